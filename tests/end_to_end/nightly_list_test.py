#!/usr/bin/env python3
"""The nightly list is made on the first night, kept when that is accepted, and stays what it was until its file is
deleted. The programs are made up: none takes the time that it names.

    nightly_list_test.py BINARIES
"""

import json
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

from workbench import Workbench

BINARIES = Path(sys.argv.pop(1))
NIGHT = ["run", "--profile", "nightly", "--variant", "none", "--rounds", "1", "--out"]


class NightlyList(unittest.TestCase):
    def setUp(self):
        self.bench = Workbench(BINARIES, {"bench_steady": BINARIES / "child_steady"})
        self.addCleanup(self.bench.close)
        self.set(STEADY_CASES="steady/fast steady/medium steady/absent steady/sluggish")

    def set(self, **variables):
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def header(self, name):
        return json.loads((self.bench.folder / name / "run.jsonl").read_text().split("\n", 1)[0])

    def run_night(self, name):
        status, out, err = self.bench.call(*NIGHT, name)
        self.assertEqual(status, 0, out + err)
        header = self.header(name)
        cases = [case["name"] for program in header["plan"]["programs"] for case in program["cases"]]
        left_out = {one["case"]: one["reason"] for one in header["plan"]["left_out"]}
        return cases, left_out, header["findings"], err

    def accept(self, name):
        status, _, err = self.bench.call("accept", name, "--force")  # the tests' programs are Debug builds
        self.assertEqual(status, 0, err)
        return err

    def stored(self):
        return next(self.bench.folder.glob("baselines/*/nightly.json"))

    def test_the_first_night_makes_the_list_and_says_how_long_it_takes(self):
        cases, left_out, _, err = self.run_night("first")
        self.assertEqual(cases, ["steady/fast", "steady/medium", "steady/absent"])
        self.assertIn("an iteration takes 2.00 s", left_out["steady/sluggish"])
        self.assertRegex(err, r"about \d+ s: 3 cases, 1 round, 1 placement \+ twin; 1 case left out, see 'bindgate list")
        self.assertFalse(list(self.bench.folder.glob("baselines/*/nightly.json")), "only accept stores it")

    def test_a_profile_is_listed_for_the_launches_that_it_has(self):
        names = ["none", "taskset", "numactl", "remote", "interleave", "one-per-core", "one-core"]
        _, planned = self.bench.json("variants", *names)
        own = [one["name"] for one in planned["variants"] if one["status"] == "ok" and not one["same_as"]]
        for profile, unasked in (("quick", [name for name in own if name != "one-core"]), ("nightly", own)):
            status, listed = self.bench.json("list", "--profile", profile)
            self.assertEqual((status, listed["members"]), (0, len(unasked) + 1), profile)

    def test_quick_says_which_variant_it_leaves_to_larger_profiles(self):
        for profile, said in (("quick", True), ("nightly", False)):
            _, _, err = self.bench.call("run", "--profile", profile, "--case", "steady/fast", "--rounds", "1", "--out", profile)
            left_out = next(line for line in err.splitlines() if "left to larger profiles" in line)
            self.assertIn("omp-close", left_out)
            self.assertEqual("one-core" in left_out, said, err)

    def test_tonights_list_is_last_nights(self):
        first = self.run_night("first")
        self.assertIn("not kept, for want of a usable launch: steady/absent", self.accept("first"))
        kept = self.stored().read_bytes()
        self.set(STEADY_SLUGGISH="steady/medium")  # would be left out if the list were made now
        second = self.run_night("second")
        self.assertEqual(second[:2], first[:2])
        self.accept("second")
        self.assertEqual(self.stored().read_bytes(), kept)

        self.stored().unlink()
        cases, left_out, _, _ = self.run_night("third")
        self.assertEqual(cases, ["steady/fast", "steady/absent"], "without its file it is made anew")
        self.assertIn("steady/medium", left_out)

    def test_what_came_and_went_since_is_said_and_gone_cases_are_missing(self):
        self.run_night("first")
        self.accept("first")
        self.set(STEADY_CASES="steady/fast steady/absent steady/sluggish steady/new")
        cases, left_out, findings, err = self.run_night("second")
        self.assertEqual(cases, ["steady/fast", "steady/absent"])
        self.assertEqual(left_out["steady/new"], "new since the nightly list was made")
        said = "\n".join(findings)
        self.assertIn("new since the nightly list was made, and not measured: steady/new; delete baselines/", said)
        self.assertIn("no program has it any more: steady/medium; delete baselines/", said)
        self.assertIn("steady/new", err)
        _, document = self.bench.json("gate", "second")
        verdicts = {row["case"]: row["verdict"] for row in document["cases"]}
        self.assertEqual(verdicts["steady/medium"], "missing")

    def test_a_left_out_case_with_a_baseline_is_not_selected(self):
        status, _, err = self.bench.call("run", "--case", "steady/sluggish", *NIGHT[3:], "slow")
        self.assertEqual(status, 0, err)
        self.accept("slow")
        self.run_night("first")
        _, document = self.bench.json("gate", "first")
        row = next(row for row in document["cases"] if row["case"] == "steady/sluggish")
        self.assertEqual(row["verdict"], "not selected")
        self.assertIn("left out of the nightly list: an iteration takes 2.00 s", row["reasons"][0])

    def test_a_case_that_kills_its_program_is_kept_and_the_others_are_still_looked_at(self):
        self.set(STEADY_DIE_BEFORE="steady/medium")
        _, document = self.bench.json("list", "--profile", "nightly")
        notes = {case["case"]: case["note"] for case in document["cases"]}
        self.assertEqual(notes["steady/medium"], "failed: exited with status 3")
        self.assertEqual(notes["steady/absent"], "not run: made up to be absent")
        self.assertEqual([one["case"] for one in document["left_out"]], ["steady/sluggish"])

    def test_a_resumed_night_keeps_its_list(self):
        self.run_night("night")
        journal = self.bench.folder / "night" / "run.jsonl"
        lines = journal.read_text().splitlines()
        end = next(i for i, line in enumerate(lines) if '"line":"round_completed"' in line)
        journal.write_text("\n".join(lines[:end]) + "\n")
        self.set(STEADY_SLUGGISH="steady/medium")
        status, _, err = self.bench.call("run", "--resume", "night")
        self.assertEqual(status, 0, err)

    def test_list_shows_what_a_profile_holds(self):
        status, document = self.bench.json("list", "--profile", "nightly")
        self.assertEqual(status, 0)
        self.assertEqual(document["schema"], "bindgate.list/1")
        self.assertEqual([case["case"] for case in document["cases"]], ["steady/fast", "steady/medium", "steady/absent"])
        self.assertEqual(document["cases"][1]["iteration_seconds"], 0.002)
        self.assertEqual(document["cases"][1]["program"], "bench_steady")
        self.assertIsNone(document["stored_in"])
        _, quick = self.bench.json("list", "--profile", "quick")
        self.assertEqual([case["case"] for case in quick["cases"]], ["steady/fast"])
        _, thorough = self.bench.json("list", "--profile", "thorough")
        self.assertEqual(len(thorough["cases"]), 4)
        self.run_night("night")
        self.accept("night")
        _, document = self.bench.json("list", "--profile", "nightly")
        self.assertEqual(document["stored_in"], str(self.stored().relative_to(self.bench.folder)))

    def test_a_list_whose_words_a_terminal_would_obey(self):
        self.run_night("night")
        self.accept("night")
        document = json.loads(self.stored().read_text())
        document["planned"] = document["cases"][0]["note"] = document["left_out"][0]["reason"] = "\x1b[2J\n\x9bx"
        document["cases"].append({"case": "gone\x1b[2J", "seconds": 1})
        self.stored().write_text(json.dumps(document))
        for words in (["list", "--profile", "nightly"], [*NIGHT, "second"]):
            status, out, err = self.bench.call(*words)
            self.assertEqual(status, 0, err)
            self.assertNotRegex(out + err, "[\x1b\x9b]")
            self.assertIn("gone?[2J", out + err)

    def test_a_damaged_list_is_one_clear_line(self):
        self.run_night("night")
        self.accept("night")
        good = self.stored().read_text()
        damages = {
            "": "is empty; expected JSON",
            good[:100]: "is not JSON (line ",
            good.replace("bindgate.profile/1", "bindgate.profile/9"): "$.schema: expected",
            good.replace('"rounds":6', '"rounds":"6"'): "$.rounds: expected a whole number",
            good.replace('"seconds":', '"secnds":', 1): "did you mean 'seconds'?",
            good.replace("steady/medium", "steady/fast"): "stands here twice",
            good.replace('"profile":"nightly"', '"profile":"quick"'): "$.profile: is the list of profile quick",
        }
        for text, expected in damages.items():
            self.stored().write_text(text)
            for words in ([*NIGHT, "never"], ["list", "--profile", "nightly"]):
                status, out, err = self.bench.call(*words, "--quiet")
                self.assertEqual((status, out), (2, ""), err)
                self.assertIn(expected, err)
                self.assertIn("nightly.json: ", err)
                self.assertEqual(err.count("\n"), 1, err)
            self.assertFalse((self.bench.folder / "never").exists())
        status, _, err = self.bench.call("run", "--variant", "none", "--rounds", "1", "--out", "quick")
        self.assertEqual(status, 0, "the quick profile has no use for it\n" + err)


if __name__ == "__main__":
    unittest.main()
