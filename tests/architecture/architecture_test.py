#!/usr/bin/env python3
"""The architecture check must itself be able to fail: each rule is broken once in a copy of the tree.

    architecture_test.py ROOT
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import architecture

ROOT = Path(sys.argv.pop(1)).resolve()


class Architecture(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.copy = Path(self.folder.name) / "tree"
        for part in ("bench", "harness", "baselines", "ci", "reports", "tests"):
            shutil.copytree(ROOT / part, self.copy / part)

    def tearDown(self):
        self.folder.cleanup()

    def offences_after(self, path, text):
        target = self.copy / path
        target.write_text((target.read_text() if target.exists() else "") + text)
        return "\n".join(architecture.offences(self.copy))

    def test_the_tree_as_it_stands_is_clean(self):
        self.assertEqual(list(architecture.offences(ROOT)), [])

    def test_every_room_is_declared_after_the_rooms_it_uses(self):
        seen = []
        for room, uses in architecture.rooms(ROOT).items():
            self.assertLessEqual(set(uses), set(seen), room)
            seen.append(room)
        self.assertEqual(seen[0], "core")
        self.assertEqual(seen[-1], "cli")

    def test_the_two_rules_made_on_purpose_stand(self):
        rooms = architecture.rooms(ROOT)
        self.assertNotIn("baseline", rooms["verdict"])
        self.assertNotIn("statistics", rooms["runner"])

    def test_a_forbidden_include_is_found(self):
        found = self.offences_after("harness/runner/offence.cpp", '#include "statistics/summary.hpp"\n')
        self.assertIn("room 'runner' may not use 'statistics'", found)

    def test_bench_may_not_reach_into_the_harness(self):
        found = self.offences_after("bench/offence.cpp", "#include <runner/child.hpp>\n")
        self.assertIn("bench may use core and samples, not 'runner'", found)

    def test_an_undeclared_room_is_found(self):
        (self.copy / "harness/attic").mkdir()
        self.assertIn("harness/attic", self.offences_after("harness/attic/a.cpp", "\n"))

    def test_a_file_that_wants_to_be_two_is_found(self):
        self.assertIn("401 lines", self.offences_after("harness/core/long.cpp", "\n" * 401))

    def test_a_drawer_is_found(self):
        self.assertIn("name the idea", self.offences_after("harness/core/string_utils.cpp", "\n"))

    def test_naming_a_later_room_stops_the_configuration(self):
        lists = self.copy / "harness/CMakeLists.txt"
        text, count = re.subn(r"(harness_module\(samples[^)]*USES core)", r"\1 verdict", lists.read_text())
        self.assertEqual(count, 1)
        lists.write_text(text)
        (self.copy / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(copy LANGUAGES CXX)\nadd_subdirectory(harness)\n"
        )
        outcome = subprocess.run(
            ["cmake", "-G", "Ninja", "-S", self.copy, "-B", self.copy / "build"], capture_output=True, text=True, check=False
        )
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("room 'samples' may not use 'verdict'", " ".join(outcome.stderr.split()))


if __name__ == "__main__":
    unittest.main()
