#!/usr/bin/env python3
"""What the commands that measure nothing tell of this machine, as a user meets them: `topology` and `variants`.

    views_test.py BINARIES
"""

import json
import os
import sys
import unittest
from pathlib import Path

from workbench import Workbench

BINARIES = Path(sys.argv.pop(1))
ALLOWED = sorted(os.sched_getaffinity(0))


class Views(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = Workbench(BINARIES, {})
        cls.addClassCleanup(cls.bench.close)
        _, cls.machine = cls.bench.json("topology")

    def written(self, name, document):
        (self.bench.folder / name).write_text(json.dumps(document))
        return name

    def out(self, *words):
        status, out, err = self.bench.call(*words)
        self.assertEqual((status, err), (0, ""), words)
        return out

    def test_a_printed_machine_is_a_source_again_and_not_a_live_one(self):
        name = self.written("monday.json", self.machine)
        _, again = self.bench.json("topology", "--from", name)
        self.assertEqual(again, {**self.machine, "source": name, "live": False})
        _, here = self.bench.json("variants", "none", "one-per-core", "wrapper:taskset")
        status, there = self.bench.json("variants", "none", "one-per-core", "wrapper:taskset", "--from", name)
        self.assertEqual(status, 0)
        self.assertEqual([one["cpus"] for one in there["variants"]][:2], [one["cpus"] for one in here["variants"]][:2])
        self.assertEqual(there["variants"][2]["status"], "skipped", "nothing is bound to a described machine")

    def test_what_one_side_does_not_tell_is_no_difference(self):
        told = {**self.machine, "isolated": "", "hypervisor": "none"}
        less = {**told, "isolated": None, "hypervisor": None}
        names = ("--compare", self.written("less.json", less), "--from", self.written("told.json", told))
        self.assertIn("\nnot compared\n  - isolated CPUs, hypervisor (less.json does not tell)\n",
                      self.out("topology", *names))
        _, document = self.bench.json("topology", *names)
        self.assertFalse(document["differs"])
        self.assertEqual(document["not_compared"], [{"what": "isolated CPUs", "not_told": "then"},
                                                    {"what": "hypervisor", "not_told": "then"}])
        self.assertIn("Exit status: 0", self.out("topology", "--help"))

    def test_every_variant_says_what_it_means_and_what_else_there_is(self):
        _, document = self.bench.json("variants")
        for variant in document["variants"]:
            self.assertTrue(variant["meaning"], variant["name"])
        self.assertIn("matrix[:NODE,NODE]", document["left_out"])
        out = self.out("variants")
        self.assertIn("\n    # all allowed CPUs, default memory policy\n", out)
        self.assertIn("not shown, since no profile measures them unasked: matrix", out)
        self.assertNotIn("not shown", self.out("variants", "none"))

    def test_ranks_say_that_they_belong_together(self):
        machine = self.written("two.json", self.bench.json("topology", "--from", "synthetic:numa:2 core:2 pu:1")[1])
        out = self.out("variants", "ranks-apart", "--from", machine)
        for rank, fellow in ((0, 1), (1, 0)):
            self.assertIn(f"\n    & at once with ranks-apart:{fellow}: end each one's line with &, then wait;", out)
            self.assertIn(f"srun --ntasks=1 --overlap --cpu-bind=mask_cpu:0x{'3c'[rank]} ", out)
        self.assertNotIn("--exclusive --cpus-per-task=2", out)

    @unittest.skipIf(len(ALLOWED) < 2, "needs two CPUs, one is allowed")
    def test_why_there_is_no_line_for_srun(self):
        narrow = Workbench(BINARIES, {}, wrapper=["taskset", "-c", ALLOWED[0]])
        self.addCleanup(narrow.close)
        status, out, err = narrow.call("variants", "none")
        self.assertEqual(status, 0, err)
        self.assertNotIn("srun --", out)
        self.assertIn(f"\nno lines for srun: only CPU {ALLOWED[0]} of ", out)


if __name__ == "__main__":
    unittest.main()
