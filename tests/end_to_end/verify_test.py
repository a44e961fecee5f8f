#!/usr/bin/env python3
"""`bindgate verify` on living processes that this test has started, as a user meets it.

    verify_test.py BINARIES
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
ALLOWED = sorted(os.sched_getaffinity(0))
FIRST = f"cpus:{ALLOWED[0]}"


class Verify(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = Workbench(BINARIES, {})
        cls.addClassCleanup(cls.bench.close)

    def child(self, cpus, program="cat"):
        """A process that waits on those CPUs until the test ends."""
        child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        self.addCleanup(lambda: (child.stdin.close(), child.wait()))
        return child.pid

    def test_facts_alone(self):
        status, document = self.bench.json("verify", self.child(ALLOWED[:1]))
        self.assertEqual(status, 0)
        self.assertEqual(document["schema"], "bindgate.verify/1")
        self.assertEqual(document["command"], "cat")
        self.assertEqual([group["threads"] for group in document["threads"]], [1])
        self.assertEqual(document["threads"][0]["cpus"], str(ALLOWED[0]))
        self.assertIsNone(document["status"])
        self.assertIsNone(document["would_repair"])
        if Path("/proc/self/numa_maps").exists():
            self.assertGreater(sum(document["node_bytes"].values()), 0)
        status, out, _ = self.bench.call("verify", self.child(ALLOWED))
        self.assertEqual(status, 0)
        self.assertTrue(out.endswith("nothing claimed, nothing proven: name a --variant to hold it against\n"), out)

    def test_a_process_whose_names_a_terminal_would_obey(self):
        program = self.bench.folder / "c\x1b[2Jt"
        shutil.copy2(shutil.which("cat"), program)
        child = self.child(ALLOWED[:1], program)
        status, out, err = self.bench.call("verify", child)
        self.assertEqual(status, 0, err)
        self.assertNotIn("\x1b", out)
        self.assertIn("(c?[2Jt)", out, "its thread")
        _, document = self.bench.json("verify", child)
        self.assertEqual(document["threads"][0]["names"], ["c\x1b[2Jt"])

    def test_a_process_that_fits(self):
        status, out, err = self.bench.call("verify", self.child(ALLOWED[:1]), "--variant", FIRST)
        self.assertEqual(status, 0, err)
        self.assertIn(f"fits {FIRST}\n", out)

    def test_a_variant_of_ones_own(self):
        file = self.bench.folder / "mine.json"
        file.write_text(json.dumps({"schema": "bindgate.variants/1", "variants": [{"name": "mine", "cpus": FIRST}]}))
        words = ("verify", self.child(ALLOWED[:1]), "--variant", "mine")
        status, out, err = self.bench.call(*words, "--variants-file", file)
        self.assertEqual(status, 0, err)
        self.assertIn("fits mine\n", out)
        status, _, err = self.bench.call(*words)
        self.assertEqual(status, 2)
        self.assertIn("'mine' is unknown", err)
        status, _, err = self.bench.call(*words, "--variants-file", "/nonexistent/mine.json")
        self.assertEqual(status, 2)
        self.assertIn("/nonexistent/mine.json", err)

    @unittest.skipIf(len(ALLOWED) < 2, "needs two CPUs, one is allowed")
    def test_a_repair_is_shown_first_and_done_when_told(self):
        pid = self.child(ALLOWED)
        words = ("verify", pid, "--variant", FIRST)
        status, out, _ = self.bench.call(*words)
        self.assertEqual(status, 4)
        self.assertIn("does not fit", out)
        self.assertIn(f"instead of {ALLOWED[0]}", out)
        status, out, _ = self.bench.call(*words, "--repair")
        self.assertEqual(status, 4)
        self.assertIn("would     1 thread from CPUs", out)
        self.assertEqual(sorted(os.sched_getaffinity(pid)), ALLOWED)
        status, document = self.bench.json(*words, "--repair", "--yes")
        self.assertEqual(status, 0, document)
        self.assertEqual(document["status"], "held")
        self.assertEqual(document["repaired"], ["bound 1 thread"])
        self.assertEqual(os.sched_getaffinity(pid), {ALLOWED[0]})

    def test_what_cannot_be_asked_for(self):
        pid = self.child(ALLOWED)
        for words, complaint in (
            (("999999999",), "process 999999999: there is none"),
            (("python",), "PID: must be a number, as in bindgate verify 4711"),
            ((pid, "--repair"), "--variant"),
            ((pid, "--variant", FIRST, "--yes"), "--repair"),
            ((pid, "--variant", "numactk"), "did you mean"),
        ):
            status, out, err = self.bench.call("verify", *words)
            self.assertEqual(status, 2, (words, out, err))
            self.assertIn(complaint, err)
            self.assertEqual(out, "")

    def test_help_has_an_example(self):
        status, out, _ = self.bench.call("verify", "--help")
        self.assertEqual(status, 0)
        self.assertIn("bindgate verify 4711", out)
        self.assertIn("as planned for whoever types it", out)


if __name__ == "__main__":
    unittest.main()
