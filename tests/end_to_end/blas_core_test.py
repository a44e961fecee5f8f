#!/usr/bin/env python3
"""OpenBLAS takes an old core on processors younger than itself. The harness must notice, replace it, check that the
replacement computes right, undo it if it does not, and leave the machine owner's own choice alone.

    blas_core_test.py BINARIES
"""

import json
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

from workbench import Workbench

BINARIES = Path(sys.argv.pop(1))
FLAGS = Path("/proc/cpuinfo").read_text()


@unittest.skipUnless(" avx2 " in FLAGS, "on this CPU no core is better than the oldest")
class BlasCore(unittest.TestCase):
    def setUp(self):
        self.bench = Workbench(BINARIES, {"bench_steady": BINARIES / "child_steady"})
        self.addCleanup(self.bench.close)
        environment = {"STEADY_CASES": "steady/blas", "STEADY_BLAS_CORE": "Prescott"}
        patch = mock.patch.dict(os.environ, environment)
        patch.start()
        self.addCleanup(patch.stop)
        os.environ.pop("OPENBLAS_CORETYPE", None)

    def run_and_read(self, name="run"):
        status, _, err = self.bench.call("run", "--case", "steady/blas", "--variant", "none", "--rounds", "1", "--out", name)
        lines = [json.loads(line) for line in (self.bench.folder / name / "run.jsonl").read_text().splitlines()]
        launch = next(line for line in lines if line["line"] == "launch")
        return status, err, lines[0]["findings"], launch

    def test_a_core_below_the_cpu_is_replaced_and_said(self):
        status, err, findings, launch = self.run_and_read()
        self.assertEqual(status, 0, err)
        self.assertIn("took its core 'Prescott', below this CPU's capability; replaced by", " ".join(findings))
        self.assertIn(findings[0], err)
        self.assertNotEqual(launch["settings"]["blas_core"], "Prescott")
        self.assertEqual(launch["environment"]["OPENBLAS_CORETYPE"], launch["settings"]["blas_core"])

    def test_a_replacement_that_computes_wrong_is_undone_and_said(self):
        better = self.run_and_read()[3]["settings"]["blas_core"]
        os.environ["STEADY_BAD_CORE"] = better
        status, err, findings, launch = self.run_and_read("again")
        self.assertEqual(status, 0, err)
        self.assertIn("was undone: steady/blas: expected 1, found 3", " ".join(findings))
        self.assertEqual(launch["settings"]["blas_core"], "Prescott")

    def test_the_owners_choice_is_kept_and_said(self):
        os.environ["OPENBLAS_CORETYPE"] = "Prescott"
        status, err, findings, launch = self.run_and_read()
        self.assertEqual(status, 0, err)
        self.assertIn("as OPENBLAS_CORETYPE asks for: kept", " ".join(findings))
        self.assertEqual(launch["settings"]["blas_core"], "Prescott")


if __name__ == "__main__":
    unittest.main()
