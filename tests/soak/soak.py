#!/usr/bin/env python3
"""Rounds of launches that fail at random under a harness that is killed at random and resumed until it is done.

    soak.py BINARIES [--rounds N] [--seed N]

Afterwards every round must be accounted for and nothing may be left: no process, no descriptor, no shared memory.
The launches' moods follow from the seed; the moments of the kills do too, counted in bytes of the journal.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "end_to_end"))
from workbench import Workbench

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
LAUNCHES_A_ROUND = 3  # none, its twin, cpus:FIRST
GROWTH_BYTES = 4 << 20
STARTING_DESCRIPTORS = 13  # of a launch that is just being started; whether a look falls into that is chance
PATIENCE_SECONDS = 120  # a step that takes longer than this hangs


def look_again(process):
    """Waits for the process's end, but not long: the caller watches something else, too."""
    try:
        process.wait(timeout=0.01)
    except subprocess.TimeoutExpired:
        pass


class Soak:
    def __init__(self, binaries, rounds, seed, say):
        self.rounds, self.seed, self.say = rounds, seed, say
        self.random = random.Random(seed)
        self.bench = Workbench(binaries, {"bench_moody": Path(binaries) / "child_moody"})
        self.folder = self.bench.folder
        self.journal = self.folder / "soaked" / "run.jsonl"
        self.sanitized = b"__asan_init" in (Path(binaries) / "bindgate").read_bytes()
        self.kills = Counter()
        os.environ.update(
            MOODY_SEED=str(seed), MOODY_COUNTER=str(self.folder / "counter"), MOODY_SPARED=str(self.folder / "spared")
        )

    def lines(self, kind=""):
        """The journal's whole lines (of one kind); a torn last one is no fault."""
        text = self.journal.read_text() if self.journal.exists() else ""
        whole = text[: text.rfind("\n") + 1].splitlines()
        return [json.loads(line) for line in whole if line.startswith('{"line":"' + kind)]

    def complete(self):
        return [line["round"] for line in self.lines("round_completed")]

    def start(self):
        (self.folder / "spared").touch()  # planning asks a program for its cases, and that must succeed
        cpu = min(os.sched_getaffinity(0))
        words = ["run", "--quiet", "--deadline", "1s"]
        if self.journal.exists():
            words += ["--resume", "soaked"]
        else:
            words += ["--variant", "none", "--variant", f"cpus:{cpu}", "--rounds", str(self.rounds), "--out", "soaked"]
            words += ["--seed", str(self.seed)]
        return self.bench.start(*words, start_new_session=True)

    def survivors(self):
        """Processes whose program is one of ours, zombies left out."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and str(self.folder) in os.readlink(entry / "exe"):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def expect_nobody(self):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while survivors := self.survivors():
            assert time.monotonic() < deadline, f"still there after the harness: processes {survivors}"
            os.sched_yield()

    def expect_readable(self):
        status, out, err = self.bench.call("show", "soaked", "--json")
        if not self.lines():
            assert status == 2 and ("there is no run" in err or "holds no whole line" in err), (status, err)
            self.journal.unlink(missing_ok=True)
            return
        assert status == 0, (status, err)
        complete = self.complete()
        assert len(complete) == len(set(complete)), f"a round was completed twice: {complete}"
        for row in json.loads(out)["cases"]:
            assert row["n"] <= len(complete), (row, complete)

    def until_killed(self):
        """One process of the harness, killed where the journal has grown by so much, or done before that."""
        size = lambda: self.journal.stat().st_size if self.journal.exists() else 0
        process = self.start()
        target = size() + self.random.choice((0, 1, self.random.randrange(20_000), self.random.randrange(200_000)))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while process.poll() is None and size() < target:
            assert time.monotonic() < deadline, "the harness hangs"
            look_again(process)
        chosen = self.random.choice(SIGNALS)
        if process.poll() is None:
            process.send_signal(chosen)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
        if process.returncode in (0, 4):
            return  # done
        expected = -chosen if chosen == signal.SIGKILL else 128 + chosen
        # A signal may come before the handlers are there.
        assert process.returncode in (expected, -chosen), (process.returncode, chosen, err)
        self.kills[chosen.name] += 1

    def until_done(self):
        """The last process of the harness: it may not grow, neither in descriptors nor in memory."""
        process = self.start()
        status = Path(f"/proc/{process.pid}")
        history = []  # whenever the journal has grown: (its size, descriptors, resident bytes)
        seen = 0
        deadline = time.monotonic() + PATIENCE_SECONDS
        while process.poll() is None:
            try:
                descriptors = len(os.listdir(status / "fd"))
                resident = int((status / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
            except (OSError, IndexError):
                break
            size = self.journal.stat().st_size if self.journal.exists() else 0
            if size != seen:
                seen, deadline = size, time.monotonic() + PATIENCE_SECONDS
                history.append((size, descriptors, resident))
            assert time.monotonic() < deadline, "the harness hangs"
            look_again(process)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode in (0, 4), (process.returncode, err)
        return history

    def expect_no_growth(self, history):
        if len(history) < 15:  # too short to tell
            return
        third = len(history) // 3
        first, last = history[:third], history[-third:]
        descriptors = [max(row[1] for row in part) for part in (first, last)]
        resident = [max(row[2] for row in part) for part in (first, last)]
        self.say(f"most descriptors {descriptors[0]} -> {descriptors[1]}, resident {resident[0]:,} -> {resident[1]:,} bytes")
        assert descriptors[1] <= descriptors[0] + STARTING_DESCRIPTORS, f"descriptors leak: {descriptors}"
        if not self.sanitized:  # a sanitizer keeps what was freed
            assert resident[1] <= resident[0] + GROWTH_BYTES, f"memory grows: {resident}"

    def expect_every_round_once(self):
        launches, abandoned, complete = {}, set(), []
        failures = Counter()
        for line in self.lines():
            if line["line"] == "launch":
                assert line["launch"] not in launches, f"launch {line['launch']} was started twice"
                launches[line["launch"]] = line["round"]
            elif line["line"] == "resumed":
                abandoned |= {launch for launch, of in launches.items() if of not in complete}
            elif line["line"] == "round_completed":
                complete.append(line["round"])
            elif line["line"] in ("case_ended", "launch_ended"):
                text = line.get("failure") or line.get("reason")
                if text:
                    failures[text.split(";")[0].split(":")[0][:40]] += 1
        assert complete == list(range(self.rounds)), complete
        kept = Counter(of for launch, of in launches.items() if launch not in abandoned)
        assert kept == {number: LAUNCHES_A_ROUND for number in range(self.rounds)}, kept
        assert self.lines()[-1]["line"] == "finished"
        self.say(f"{self.rounds} rounds, {len(launches)} launches, {len(abandoned)} abandoned; killed by {dict(self.kills)}")
        for text, count in failures.most_common():
            self.say(f"  {count:5} {text}")

    def run(self):
        segments = sorted(os.listdir("/dev/shm"))
        # The last half in one go, so that growth can be seen.
        while len(self.complete()) < self.rounds // 2:
            self.until_killed()
            self.expect_nobody()
            self.expect_readable()
        self.expect_no_growth(self.until_done())
        self.expect_nobody()
        self.expect_readable()
        self.expect_every_round_once()
        ours = [name for name in sorted(os.listdir("/dev/shm")) if name not in segments and "bindgate" in name]
        assert not ours, f"left in /dev/shm: {ours}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    soak = Soak(arguments.binaries, arguments.rounds, arguments.seed, lambda text: print(f"soak: {text}", flush=True))
    try:
        soak.run()
    finally:
        soak.bench.close()


if __name__ == "__main__":
    main()
