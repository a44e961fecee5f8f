#!/usr/bin/env python3
"""Whatever is wrong with the input: one clear line that names the file, the line or key, what was found and
what to do; exit status 2; nothing lost.

    bad_input_test.py BINARIES
"""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from workbench import Workbench

BINARIES = Path(sys.argv.pop(1))


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = Workbench(BINARIES, {"bench_steady": BINARIES / "child_steady"})
        cls.addClassCleanup(cls.bench.close)
        status, _, err = cls.bench.call("run", "--variant", "none", "--rounds", "2", "--out", "good")
        assert status == 0, err
        # A Debug build may not become a baseline unless it is forced to.
        status, _, err = cls.bench.call("accept", "good", "--force")
        assert status == 0, err
        (cls.bench.folder / "baselines" / "policy.json").write_text('{"schema": "bindgate.policy/1"}')

    def refuse(self, words, *expected, status=2):
        found, out, err = self.bench.call(*words)
        self.assertEqual(found, status, err)
        self.assertEqual(out, "", "a refusal prints no result")
        lines = [line for line in err.splitlines() if not line.startswith("planning: ")]  # progress, no refusal
        self.assertTrue(lines and lines[0].startswith("bindgate: "), err)
        for text in expected:
            self.assertIn(text, lines[0])
        self.assertLessEqual(len(lines), 2, "one clear line, and at most a hint\n" + err)
        return lines[0]

    def journal_with(self, name, change):
        """A copy of the good run whose journal's lines went through `change`."""
        folder = self.bench.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.bench.folder / "good", folder)
        lines = (folder / "run.jsonl").read_text().splitlines()
        (folder / "run.jsonl").write_text("\n".join(change(lines)) + "\n")
        return name

    def baseline_with(self, name, change):
        """A copy of the baselines whose only case file's document went through `change`."""
        folder = self.bench.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.bench.folder / "baselines", folder)
        path = next(folder.glob("*/*.json"))
        text = change(path.read_text())
        path.write_text(text)
        return name

    def change_block(self, change):
        """Lines -> lines, with the first block's object changed."""

        def changed(lines):
            index = next(i for i, line in enumerate(lines) if '"line":"block"' in line)
            block = json.loads(lines[index])
            change(block)
            return lines[:index] + [json.dumps(block)] + lines[index + 1 :]

        return changed

    # The surroundings

    def test_closed_standard_streams_do_not_become_the_journal(self):
        words = ["run", "--variant", "none", "--rounds", "1", "--json", "--out", "closed"]
        script = 'exec "$0" "$@" <&- >&- 2>&-'
        done = subprocess.run(["sh", "-c", script, str(self.bench.folder / "bindgate"), *words], cwd=self.bench.folder)
        self.assertEqual(done.returncode, 0)
        status, _, err = self.bench.call("show", "closed")
        self.assertEqual(status, 0, err)

    def test_a_result_that_cannot_be_written_is_no_success(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.bench.folder / "bindgate", "show", "good"], cwd=self.bench.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output: write (ENOSPC)", done.stderr)

    def test_a_current_directory_that_is_gone_is_said(self):
        script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" run --rounds 1 --out x'
        done = subprocess.run(["sh", "-c", script, str(self.bench.folder / "bindgate")], cwd=self.bench.folder,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the current directory is gone", done.stderr)

    def test_a_note_that_is_no_utf8_is_kept_readable(self):
        words = [os.fsencode(self.bench.folder / "bindgate"), b"accept", b"good", b"--force", b"--baselines", b"noted",
                 b"--note", b"caf\xe9"]
        done = subprocess.run(words, cwd=self.bench.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.bench.call("gate", "good", "--baselines", "noted")[0], 4)

    def test_two_runs_in_directories_of_one_name_are_two_nights(self):
        for place in ("monday", "tuesday"):
            status, _, err = self.bench.call("run", "--variant", "none", "--rounds", "2", "--out", place + "/out")
            self.assertEqual(status, 0, err)
            journal = self.bench.folder / place / "out" / "run.jsonl"
            # Runs of one second have one name; tests do not sleep.
            if place == "monday":
                header, rest = journal.read_text().split("\n", 1)
                changed = json.loads(header)
                changed["id"] = "out@2026-01-01T00-00-00Z"
                journal.write_text(json.dumps(changed) + "\n" + rest)
            else:
                self.assertIn("@", json.loads(journal.read_text().split("\n", 1)[0])["id"])
            status, _, err = self.bench.call("accept", place + "/out", "--force", "--baselines", "same-name")
            self.assertEqual(status, 0, err)

    def test_an_ignored_hangup_stays_ignored(self):
        script = 'trap "" HUP; "$0" run --variant none --rounds 4 --out hangup --quiet & bindgate=$!; ' \
            'while ! [ -s hangup/run.jsonl ]; do :; done; kill -HUP $bindgate; wait $bindgate'
        done = subprocess.run(["sh", "-c", script, str(self.bench.folder / "bindgate")], cwd=self.bench.folder)
        self.assertEqual(done.returncode, 0)

    def test_another_bindgate_does_not_go_on_with_a_run(self):
        def older(lines):
            header = json.loads(lines[0])
            header["bindgate"]["version"] = "0.0.1"
            return [json.dumps(header), *lines[1:]]

        self.refuse(["run", "--resume", self.journal_with("older", older)], "older", "bindgate: ", "0.0.1", "new run")

    def test_what_is_allowed_and_loaded_is_listed_where_it_changed(self):
        def changed(lines):
            header = json.loads(lines[0])
            header["id"] = "changed"
            self.assertEqual(header["environment"]["bindgate"], header["bindgate"]["version"])
            self.assertIn("allowed_cpus", header["environment"])
            header["environment"].update({"allowed_cpus": "7", "bench_steady made-up": "2.0", "bindgate": "0.0.1",
                                          "bench_steady build": "MinSizeRel"})
            return [json.dumps(header), *lines[1:]]

        _, document = self.bench.json("gate", self.journal_with("changed", changed))
        listed = "\n".join(document["environment_changes"])
        self.assertIn("allowed_cpus: 7 here", listed)
        self.assertIn("bench_steady made-up: 2.0 here, 1.0 there", listed)
        self.assertIn("bindgate: 0.0.1 here, ", listed)
        self.assertIn("bench_steady build: MinSizeRel here, Release there", listed)

    # The command line

    def test_an_unknown_command_is_answered_with_the_nearest(self):
        self.refuse(["gaet", "good"], "unknown command 'gaet'", "did you mean 'gate'?")

    def test_an_unknown_option_is_answered_with_the_nearest(self):
        self.refuse(["run", "--varint", "none"], "unknown option '--varint'", "did you mean '--variant'?")

    def test_a_budget_without_a_unit(self):
        self.refuse(["run", "--budget", "5"], "duration '5' has no unit", "write it like 90s")

    def test_a_count_that_is_no_number(self):
        self.refuse(["run", "--rounds", "many"], "--rounds", "many")

    def test_an_unknown_option_without_a_command_is_answered_with_the_nearest(self):
        self.refuse(["--versoin"], "unknown option '--versoin'", "did you mean '--version'?")

    def test_an_unknown_profile_is_answered_with_the_nearest(self):
        self.refuse(["run", "--profile", "nigthly"], "unknown profile 'nigthly'", "did you mean 'nightly'?")

    def test_a_word_too_much_is_named(self):
        self.refuse(["run", "profile", "nightly"], "unexpected word 'profile'", "did you mean '--profile'?")
        self.refuse(["show", "good", "good too"], "unexpected word 'good too'")

    def test_a_program_that_cannot_be_started_is_named_once(self):
        program = self.bench.folder / "bench_broken"
        program.write_text("no program")
        program.chmod(0o755)
        self.addCleanup(program.unlink)
        line = self.refuse(["list"], "execve (ENOEXEC)")
        self.assertEqual(line.count("bench_broken"), 1, line)

    def test_an_unknown_case_is_answered_with_the_nearest(self):
        names = [case["case"] for case in self.bench.json("list")[1]["cases"]]
        self.refuse(["run", "--case", names[0] + "x", "--out", "never"], names[0])
        self.assertFalse((self.bench.folder / "never").exists())

    def test_a_profile_without_a_case_measures_nothing_and_says_so(self):
        os.environ["STEADY_CASES"] = "steady/medium"
        self.addCleanup(os.environ.pop, "STEADY_CASES")
        self.refuse(["run", "--variant", "none", "--out", "never"], "profile quick holds no case", "--profile", "--case")
        self.assertFalse((self.bench.folder / "never").exists())

    def test_an_unknown_variant_is_answered_with_the_nearest(self):
        self.refuse(["run", "--variant", "numctl", "--out", "never"], "numctl", "did you mean 'numactl'?")
        self.assertFalse((self.bench.folder / "never").exists())

    def test_a_cpu_that_does_not_exist(self):
        self.refuse(["run", "--variant", "cpus:0,4095", "--out", "never"], "4095")

    def test_a_cpu_list_that_is_none(self):
        self.refuse(["variants", "cpus:3-1"], "3-1", "backwards")

    def test_a_node_that_does_not_exist_cannot_be_described(self):
        self.refuse(["topology", "--from", "synthetic:nonsense:"], "synthetic:nonsense:")

    # Runs

    def test_a_run_that_is_missing(self):
        for command in ("show", "gate", "accept"):
            self.refuse([command, "nowhere"], "nowhere", "there is no run")

    def test_a_name_of_a_run_that_a_terminal_would_obey(self):
        self.refuse(["show", "no\x1b[2Jwhere"], "no?[2Jwhere: ", "there is no run")

    def test_a_journal_whose_words_a_terminal_would_obey(self):
        def hostile(lines):
            header = json.loads(lines[0])
            header["findings"] = ["machine\x1b[2J\nverdict: pass"]
            return [json.dumps(header), *lines[1:]]

        name = self.journal_with("hostile", hostile)
        for command in ("show", "gate"):
            _, out, err = self.bench.call(command, name)
            self.assertNotIn("\x1b", out + err)
            self.assertIn("  - machine?[2J verdict: pass\n", out, err)

    def test_a_directory_without_a_run(self):
        (self.bench.folder / "empty directory").mkdir(exist_ok=True)
        self.refuse(["gate", "empty directory"], "empty directory/run.jsonl", "there is no run")

    def test_a_pipe_or_device_is_refused_at_once(self):
        os.mkfifo(self.bench.folder / "pipe")
        for command in ("show", "gate", "accept"):
            for run in ("pipe", "/dev/zero"):
                self.refuse([command, run], run, "is a pipe, device or socket")
        self.refuse(["gate", "good", "--policy", "pipe"], "pipe", "name a regular file")

    def test_an_empty_journal(self):
        name = self.journal_with("emptied", lambda lines: [])
        (self.bench.folder / name / "run.jsonl").write_text("")
        self.refuse(["gate", name], "emptied/run.jsonl", "no whole line")

    def test_a_torn_last_line_is_no_error(self):
        name = self.journal_with("torn", lambda lines: lines)
        with open(self.bench.folder / name / "run.jsonl", "a") as journal:
            journal.write('{"line":"blo')
        self.assertNotEqual(self.bench.call("gate", name)[0], 2)

    def test_a_torn_line_in_the_middle_names_its_line(self):
        name = self.journal_with("torn middle", lambda lines: lines[:3] + [lines[3][:20]] + lines[4:])
        self.refuse(["gate", name], "torn middle/run.jsonl:4", "is not JSON")

    def test_a_file_of_another_kind(self):
        name = self.journal_with("other kind", lambda lines: ['{"hello": "world"}'])
        self.refuse(["gate", name], "other kind/run.jsonl:1", '"line"')
        (self.bench.folder / name / "run.jsonl").write_bytes(bytes(range(256)) * 8)
        self.refuse(["gate", name], "other kind/run.jsonl:1", "is not JSON")

    def test_a_wrong_schema_version(self):
        name = self.journal_with(
            "future", lambda lines: [lines[0].replace("bindgate.journal/1", "bindgate.journal/9")] + lines[1:]
        )
        self.refuse(["show", name], "future/run.jsonl:1", "$.schema", "bindgate.journal/9")

    def test_an_unknown_kind_of_line(self):
        name = self.journal_with("kind", lambda lines: lines[:1] + ['{"line":"blok"}'] + lines[1:])
        self.refuse(["show", name], "kind/run.jsonl:2", "blok", "did you mean 'block'?")

    def test_a_negative_time(self):
        name = self.journal_with("negative", self.change_block(lambda b: b["nanoseconds"].update(wall=[-5])))
        self.refuse(["gate", name], "$.nanoseconds.wall[0]", "-5")

    def test_not_a_number(self):
        name = self.journal_with(
            "nan", lambda lines: [line.replace('"wall":[', '"wall":[NaN,', 1) for line in lines]
        )
        self.refuse(["gate", name], "nan/run.jsonl:", "is not JSON")

    def test_a_huge_number(self):
        name = self.journal_with("huge", self.change_block(lambda b: b["nanoseconds"].update(wall=[10**30])))
        self.refuse(["gate", name], "huge/run.jsonl:", "$.nanoseconds.wall[0]")

    def test_a_duplicate_case(self):
        def doubled(lines):
            index = next(i for i, line in enumerate(lines) if '"line":"case"' in line)
            return lines[: index + 1] + [lines[index]] + lines[index + 1 :]

        name = self.journal_with("doubled", doubled)
        self.refuse(["gate", name], "doubled/run.jsonl:", "started twice")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_no_permission(self):
        name = self.journal_with("locked", lambda lines: lines)
        (self.bench.folder / name / "run.jsonl").chmod(0)
        self.refuse(["gate", name], "locked/run.jsonl", "EACCES", "permissions")

    def test_an_output_directory_that_holds_a_run(self):
        before = (self.bench.folder / "good/run.jsonl").read_bytes()
        self.refuse(["run", "--variant", "none", "--out", "good"], "good", "a run is already there", "--resume")
        self.assertEqual((self.bench.folder / "good/run.jsonl").read_bytes(), before)

    def test_an_output_directory_below_a_file(self):
        (self.bench.folder / "a file").write_text("content")
        self.refuse(["run", "--variant", "none", "--out", "a file/run"], "a file", "--out")

    def test_an_output_directory_where_nothing_can_be_written(self):
        self.refuse(["run", "--variant", "none", "--out", "/proc/bindgate"], "/proc/bindgate", "mkdir", "--out")

    def test_resuming_what_is_not_there(self):
        self.refuse(["run", "--resume", "nowhere"], "nowhere", "there is no run")

    def test_resuming_with_another_plan_says_in_what_it_differs(self):
        self.refuse(["run", "--resume", "good", "--rounds", "5"], "good", "rounds", "2", "5")

    def test_resuming_into_another_directory(self):
        self.refuse(["run", "--resume", "good", "--out", "elsewhere"], "--resume", "--out")

    # Baselines and policy

    def policy(self, text):
        (self.bench.folder / "policy under test.json").write_text(text)
        return ["gate", "good", "--policy", "policy under test.json"]

    def test_a_policy_that_is_missing(self):
        self.refuse(["gate", "good", "--policy", "nowhere.json"], "nowhere.json", "ENOENT")

    def test_a_policy_that_is_a_directory(self):
        self.refuse(["gate", "good", "--policy", "baselines"], "baselines", "is a directory")

    def test_a_policy_that_is_empty(self):
        self.refuse(self.policy(""), "policy under test.json", "is empty")

    def test_a_policy_that_is_no_json(self):
        self.refuse(self.policy("tolerance = 1 %"), "policy under test.json", "is not JSON")

    def test_a_policy_with_an_unknown_key(self):
        self.refuse(
            self.policy('{"schema": "bindgate.policy/1", "tolerence": 0.01}'), "tolerence", "did you mean 'tolerance'?"
        )

    def test_a_policy_with_a_wrong_type(self):
        self.refuse(
            self.policy('{"schema": "bindgate.policy/1", "variance": {"threshold": "5 %"}}'),
            "$.variance.threshold",
            "expected a number",
            '"5 %"',
        )

    def test_a_policy_with_a_value_out_of_range(self):
        self.refuse(self.policy('{"schema": "bindgate.policy/1", "tolerance": 5}'), "$.tolerance", "from 0.0 to 1.0", "found 5")

    def test_a_policy_with_a_number_too_large(self):
        self.refuse(self.policy('{"schema": "bindgate.policy/1", "tolerance": 1e999}'), "too large")

    def test_a_policy_of_another_schema(self):
        self.refuse(self.policy('{"schema": "bindgate.policy/7"}'), "$.schema", "bindgate.policy/7")

    def test_a_policy_with_a_key_twice(self):
        self.refuse(
            self.policy('{"schema": "bindgate.policy/1", "tolerance": 0.01, "tolerance": 0.5}'), "tolerance", "twice"
        )

    def test_a_baseline_of_another_schema(self):
        name = self.baseline_with("b1", lambda text: text.replace("bindgate.baseline/1", "bindgate.baseline/3"))
        self.refuse(["gate", "good", "--baselines", name], "$.schema", "bindgate.baseline/3")

    def test_a_baseline_with_an_unknown_key(self):
        name = self.baseline_with("b2", lambda text: text.replace('"median_ns"', '"medain_ns"', 1))
        self.refuse(["gate", "good", "--baselines", name], "medain_ns")

    def test_a_baseline_with_a_negative_time(self):
        name = self.baseline_with("b3", lambda text: text.replace('"median_ns":', '"median_ns":-', 1))
        self.refuse(["gate", "good", "--baselines", name], "median_ns")

    def test_a_baseline_that_is_empty(self):
        name = self.baseline_with("b4", lambda text: "")
        self.refuse(["gate", "good", "--baselines", name], "is empty")

    def test_a_baseline_in_the_wrong_place(self):
        name = self.baseline_with("b5", lambda text: text.replace('"case":"', '"case":"other/', 1))
        self.refuse(["gate", "good", "--baselines", name], "other/")

    def test_baselines_that_are_a_file(self):
        (self.bench.folder / "file for baselines").write_text("")
        self.refuse(["gate", "good", "--baselines", "file for baselines"], "file for baselines")

    def test_a_first_night_that_cannot_be_kept_does_not_pass(self):
        folder = self.bench.folder / "pool"
        folder.mkdir()
        (folder / "policy.json").write_text('{"schema": "bindgate.policy/1", "no_baseline": "accept"}')
        unfinished = self.journal_with("owing", lambda lines: lines[:-1])
        status, document = self.bench.json("gate", unfinished, "--baselines", folder)
        self.assertEqual((status, document["exit"]), (4, 4))
        self.assertIn("not kept as this machine's first night", " ".join(document["notes"]))
        self.assertEqual([path.name for path in folder.iterdir()], ["policy.json"])

    def test_accepting_the_same_run_twice(self):
        self.refuse(["accept", "good", "--force"], "good")

    def test_a_new_level_needs_a_note(self):
        self.refuse(["accept", "good", "--new-level", "--force"], "--note")

    def test_a_markdown_file_that_cannot_be_written(self):
        self.refuse(["gate", "good", "--markdown", "no such folder/x.md"], "no such folder/x.md")


if __name__ == "__main__":
    unittest.main()
