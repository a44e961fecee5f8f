"""What every test of the lab does: boots its guest once, takes there what bindgate says and measures, and compares it
with what is written down for that guest."""

import json
import tempfile
import unittest
from pathlib import Path

from emulator import Emulator
from guests import guest_named

# In the guest: a folder with bindgate and the small program, and what both say of this machine. The program claims to
# be slow, for the sake of few turns, and takes enough memory for shares of it to be judged on four nodes.
BENCH = """
export MEMORY_MIB=32 MEMORY_FEW_TURNS=1 NO_COLOR=1
mkdir -p /tmp/bench && cd /tmp/bench || exit 9
cp "$BIN/bindgate" . && cp "$BIN/child_memory" bench_numa || exit 9
keep() { local name=$1; shift; "$@" > "/out/$name.json" 2> "/out/$name.err"; echo $? > "/out/$name.status"; }
measure() { local name=$1; shift; keep "$name" ./bindgate run --rounds 1 --seed 1 --out "/tmp/$name" --json "$@"
            cp "/tmp/$name/run.jsonl" "/out/$name.jsonl"; }
keep topology ./bindgate topology --json
keep variants ./bindgate variants --json
"""
RUN = """
chosen=()
for name in $(jq -r '.variants[] | select(.status == "ok" and .same_as == null) | .name' /out/variants.json); do
  chosen+=(--variant "$name")
done
measure plain --case memory/plain "${chosen[@]}"
"""
CHEAT = """
measure cheats --case memory/escapes --case memory/strays --variant numactl
"""

# A launcher that has an OpenMP runtime pin its main thread while it loads: what starts later inherits that one CPU.
PILE_UP = """
mkdir pinned && mv bench_numa pinned && cat > bench_numa <<'END'
#!/bin/sh
OMP_PROC_BIND=close LD_PRELOAD=libgomp.so.1 exec /tmp/bench/pinned/bench_numa
END
chmod +x bench_numa
measure piled --case memory/helpers --variant taskset
mv pinned/bench_numa .
"""
# A process that was started on the CPUs of node 1 before anybody thought of node 0.
REPAIR = """
coproc stray { exec taskset --cpu-list 2-3 /usr/bin/python3 -c 'held = b"1" * (32 << 20); print(1, flush=True); input()'; }
read -r _ <&"${stray[0]}"
keep stray ./bindgate verify "$stray_PID" --variant each-node:0 --json
keep shown ./bindgate verify "$stray_PID" --variant each-node:0 --repair --json
keep repaired ./bindgate verify "$stray_PID" --variant each-node:0 --repair --yes --json
keep settled ./bindgate verify "$stray_PID" --variant each-node:0 --json
echo >&"${stray[1]}"
wait "$stray_PID"
"""


def placement_text(variant):
    """What a test writes down: "0-1 bind 0", "as none", "skipped: one node only"."""
    if variant["status"] == "skipped":
        return "skipped: " + variant["reason"]
    if variant["same_as"]:
        return "as " + variant["same_as"]
    memory = variant["memory"]
    return " ".join(filter(None, (variant["cpus"], memory["policy"], memory["nodes"])))


class Record:
    """One `bindgate run`: its exit status, what it printed, and the lines of its journal."""

    def __init__(self, out, name):
        self.status = int((out / f"{name}.status").read_text())
        self.progress = (out / f"{name}.err").read_text()
        self.lines = [json.loads(line) for line in (out / f"{name}.jsonl").read_text().splitlines()]
        launches = [line for line in self.lines if line["line"] == "launch"]
        self.variant_of = {line["launch"]: line["member"]["variant"] for line in launches}
        self.placement_of = {line["member"]["variant"]: line["placement"] for line in launches}

    def proofs(self, case):
        """[(variant, proof)] of every launch of a case."""
        return [
            (self.variant_of[line["launch"]], line["proof"])
            for line in self.lines
            if line["line"] == "case_ended" and line["case"] == case and "proof" in line
        ]


class Laboratory(unittest.TestCase):
    """A test names its `guest`, and what is expected of it."""

    guest = None
    script = RUN + CHEAT
    allowed = None  # (CPUs, nodes)
    nodes = {}  # id -> CPUs
    placements = {}  # variant -> placement_text; of a reason, its beginning is enough
    build = None  # the build folder, set by who loads the tests
    timeout = 540

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="bindgate numa ")
        cls.addClassCleanup(folder.cleanup)
        cls.out = Path(folder.name)
        cls.emulator = Emulator(cls.build)
        cls.outcome = cls.emulator.run(guest_named(cls.guest), BENCH + cls.script, cls.out, cls.timeout)
        cls.topology = cls.document("topology")
        cls.variants = {variant["name"]: variant for variant in cls.document("variants")["variants"]}

    @classmethod
    def document(cls, name):
        text = (cls.out / f"{name}.json").read_text()
        if not text:
            raise AssertionError(f"{name} printed nothing\n{(cls.out / f'{name}.err').read_text()}")
        return json.loads(text)

    @classmethod
    def record(cls, name):
        return Record(cls.out, name)

    def test_the_machine_is_described_as_it_was_built(self):
        allowed = self.topology["allowed"]
        self.assertEqual((allowed["cpus"], allowed["nodes"]), self.allowed)
        self.assertEqual({node["id"]: node["cpus"] for node in self.topology["nodes"]}, self.nodes)

    def test_variants_are_planned_as_written_down(self):
        for name, expected in self.placements.items():
            text = placement_text(self.variants[name])
            if expected.startswith("skipped"):
                self.assertEqual(text[: len(expected)], expected, name)
            else:
                self.assertEqual(text, expected, name)

    def test_nothing_is_planned_outside_what_is_allowed(self):
        for variant in self.variants.values():
            if variant["status"] == "ok":
                for one in (variant, *variant["rotates"]):
                    self.assertLessEqual(ids(one["cpus"]), ids(self.allowed[0]), variant)
                    self.assertLessEqual(ids(one["memory"]["nodes"]), ids(self.allowed[1]), variant)

    def test_whatever_is_skipped_says_why(self):
        for variant in self.variants.values():
            self.assertIn(variant["status"], ("ok", "skipped"), variant)
            if variant["status"] == "skipped":
                self.assertTrue(variant["reason"], variant)


class EveryVariantHolds:
    """For guests in whose script RUN is."""

    def test_every_variant_that_is_planned_is_proven(self):
        record = self.record("plain")
        self.assertEqual(record.status, 0, record.progress)
        planned = {v["name"] for v in self.variants.values() if v["status"] == "ok" and not v["same_as"]}
        proofs = record.proofs("memory/plain")
        self.assertEqual({variant for variant, _ in proofs}, planned)
        for variant, proof in proofs:
            self.assertEqual(proof["status"], "held", f"{variant}: {proof['detail']}")
            self.assert_pages_are_in_place(self.variants[variant], proof)

    def assert_pages_are_in_place(self, variant, proof):
        """A second opinion on what `held` claims of memory, from the record alone."""
        policy, nodes = variant["memory"]["policy"], variant["memory"]["nodes"]
        if policy == "bind" and len(self.topology["nodes"]) > 1:
            self.assertTrue(proof["node_bytes"], variant)
            self.assertLessEqual(set(map(int, proof["node_bytes"])), ids(nodes), variant)


class CheatsAreFound:
    """For guests in whose script CHEAT is. `escaped` and `strayed`: what the records of the two cheats say."""

    escaped = strayed = None

    def test_a_program_that_widens_its_mask_is_found(self):
        self.assert_violated("memory/escapes", r"^thread 'bench_numa' \(\d+\) " + self.escaped + " since turn 0")

    def test_a_program_whose_pages_stray_is_found(self):
        self.assert_violated("memory/strays", self.strayed)

    def assert_violated(self, case, words):
        record = self.record("cheats")
        self.assertEqual(record.status, 4, record.progress)
        proofs = dict(record.proofs(case))
        self.assertEqual(proofs["none"]["status"], "held", proofs)  # it claims nothing that they break
        self.assertEqual(proofs["numactl"]["status"], "violated", proofs)
        self.assertRegex(proofs["numactl"]["detail"], words)


def ids(text):
    """The ids in a Linux list: "0-2,5"."""
    numbers = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers
