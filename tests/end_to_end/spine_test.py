#!/usr/bin/env python3
"""The main job with the real programs: run, show, accept, gate, kill, resume. Structure only, never times.

    spine_test.py BINARIES
"""

import os
import signal
import sys
import unittest
from pathlib import Path

from workbench import Workbench

BINARIES = Path(sys.argv.pop(1))
CASES = ["matmul/f32/256x256x256", "decode/threads/1"]
SELECTION = [word for case in CASES for word in ("--case", case)]


class Spine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = Workbench(
            BINARIES, {name: BINARIES / name for name in ("bench_matmul", "bench_decode")}
        )
        cls.addClassCleanup(cls.bench.close)
        status, out, err = cls.bench.call(
            "run", *SELECTION, "--variant", "none", "--variant", "cpus:0", "--rounds", "2", "--seed", "7", "--out", "night"
        )
        assert status == 0, f"{out}\n{err}"
        cls.progress = err

    def journal(self, name):
        return (self.bench.folder / name / "run.jsonl").read_text().splitlines()

    def test_a_log_gets_no_more_than_a_line_every_ten_seconds(self):
        self.assertNotIn("\r", self.progress)
        self.assertNotIn("\x1b", self.progress)

    def test_show_ranks_every_case_and_names_its_units(self):
        status, document = self.bench.json("show", "night")
        self.assertEqual(status, 0)
        self.assertEqual(document["schema"], "bindgate.show/1")
        self.assertEqual(sorted({row["case"] for row in document["cases"]}), sorted(CASES))
        for row in document["cases"]:
            self.assertEqual(row["n_unit"], "round")

    def test_a_run_of_two_rounds_is_never_a_pass(self):
        status, out, err = self.bench.call("accept", "night", "--note", "end to end", "--baselines", "stored")
        self.assertEqual(status, 0, err)
        status, document = self.bench.json("gate", "night", "--baselines", "stored")
        self.assertEqual(document["schema"], "bindgate.gate/1")
        self.assertEqual(status, document["exit"])
        self.assertIn(status, (1, 3, 4), "five launches are needed to judge the variance")
        self.assertEqual(sorted({row["case"] for row in document["cases"]}), sorted(CASES))
        for row in document["cases"]:
            self.assertNotIn(row["verdict"], ("pass", "improved", "failed", "missing"))
            self.assertEqual(row["variance"]["fired"] <= row["variance"]["launches"], True)
            if row["seconds"] is None:  # a machine too busy leaves no turn undisturbed, and the gate says so
                self.assertIn("disturbed", str(row["reasons"]))
            else:
                self.assertGreater(row["seconds"], 0)

    def test_without_a_baseline_nothing_passes(self):
        status, document = self.bench.json("gate", "night", "--baselines", "nothing stored")
        self.assertEqual(status, 4)
        self.assertEqual({row["verdict"] for row in document["cases"]}, {"incomparable"})

    def test_a_killed_run_keeps_its_rounds_and_resumes(self):
        process = self.bench.start(
            "run", *SELECTION, "--variant", "none", "--rounds", "2", "--out", "killed", start_new_session=True
        )
        journal = self.bench.folder / "killed/run.jsonl"
        # Progress is the clock: the second round has begun when a line of it is in the journal.
        while '"round":1' not in (journal.read_text() if journal.exists() else ""):
            self.assertIsNone(process.poll(), "the run ended before it could be killed")
            os.sched_yield()
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)

        status, document = self.bench.json("gate", "killed", "--baselines", "nothing stored")
        self.assertEqual(status, 4)
        self.assertIn("run unfinished", str(document["missing"]))
        status, _, err = self.bench.call("accept", "killed", "--baselines", "stored killed")
        self.assertEqual(status, 2, err)
        self.assertIn("unfinished", err)
        self.assertEqual(self.bench.call("show", "killed")[0], 0)

        status, _, err = self.bench.call("run", "--resume", "killed")
        self.assertEqual(status, 0, err)
        self.assertIn('"line":"finished"', self.journal("killed")[-1])
        status, _, err = self.bench.call("accept", "killed", "--baselines", "stored killed")
        self.assertEqual(status, 0, err)

    def test_an_interrupted_run_says_how_to_resume(self):
        process = self.bench.start("run", *SELECTION, "--variant", "none", "--rounds", "2", "--out", "interrupted")
        journal = self.bench.folder / "interrupted/run.jsonl"
        while '"line":"block"' not in (journal.read_text() if journal.exists() else ""):
            self.assertIsNone(process.poll(), "the run ended before it could be interrupted")
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, err)
        self.assertIn("--resume", err)
        self.assertIn('"line":"stopped"', self.journal("interrupted")[-1])


if __name__ == "__main__":
    unittest.main()
