#!/usr/bin/env python3
"""In a container without privileges the memory policy calls are refused. What claims no memory policy must work
as everywhere; what claims one must say that it cannot be had, with the system call and its error.

    unprivileged_test.py BINARIES
"""

import sys
import unittest
from pathlib import Path

from workbench import Workbench

BINARIES = Path(sys.argv.pop(1))


class Unprivileged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = Workbench(BINARIES, {"bench_steady": BINARIES / "child_steady"}, wrapper=[BINARIES / "unprivileged"])
        cls.addClassCleanup(cls.bench.close)

    def test_a_run_works_and_its_binding_is_proven(self):
        status, _, err = self.bench.call("run", "--variant", "none", "--variant", "taskset", "--rounds", "2", "--out", "run")
        self.assertEqual(status, 0, err)
        status, document = self.bench.json("show", "run")
        self.assertEqual(status, 0)
        for row in document["cases"]:
            self.assertNotEqual(row["verdict"], "failed", row)
        self.assertEqual(document["proofs"][0]["variant"], "none")
        for proof in document["proofs"]:
            self.assertEqual((proof["violated"], proof["unverifiable"]), (0, 0), proof)
            self.assertGreater(proof["held"], 0, proof)
            self.assertGreater(proof["weakest"]["threads"], 0, proof)

    def test_a_variant_that_needs_the_refused_call_is_skipped_with_its_name(self):
        _, document = self.bench.json("variants")
        several_nodes = len(self.bench.json("topology")[1]["nodes"]) > 1
        for variant in document["variants"]:
            if variant["name"] in ("numactl", "interleave", "remote") and several_nodes:
                self.assertEqual(variant["status"], "skipped")
                self.assertIn("set_mempolicy (EPERM)", variant["reason"])
            elif variant["name"] in ("none", "taskset", "one-per-core"):
                self.assertEqual(variant["status"], "ok", variant)


if __name__ == "__main__":
    unittest.main()
