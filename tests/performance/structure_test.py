#!/usr/bin/env python3
"""The performance programs still run and print what their readers look for; how fast anything is is not asked.

    structure_test.py BINARIES
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BINARIES = Path(sys.argv.pop(1))
HERE = Path(__file__).parent


def lines_of(test, program, *words):
    done = subprocess.run([sys.executable, HERE / program, BINARIES, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    test.assertIn(done.returncode, (0, 1), done.stderr)
    test.assertEqual(done.stderr, "")
    test.assertEqual(done.returncode == 1, "NOT MET" in done.stdout, done.stdout)
    return done.stdout.splitlines()


class Structure(unittest.TestCase):
    def test_gate_speed_prints_each_size_and_every_limit(self):
        lines = lines_of(self, "gate_speed.py", "--series", "2,4", "--launches", "6", "--samples", "20", "--repeats", "1")
        rows = [line.split() for line in lines[1:7]]
        self.assertEqual([row[:2] for row in rows], [[size, command] for size in ("2", "4")
                                                     for command in ("accept", "show", "gate")])
        for row in rows:
            self.assertEqual(len([float(figure) for figure in row[2:]]), 5, "wall, CPU, MB/s, peak, size")
        limits = [line for line in lines if re.search(r": (met|NOT MET)$", line)]
        self.assertEqual([line.split(":")[0] for line in limits],
                         ["gate, wall time of the largest", "gate, memory of the largest", "gate, twice the series"])

    def test_topology_speed_prints_both_commands_and_the_limit(self):
        lines = lines_of(self, "topology_speed.py", "--repeats", "1")
        self.assertEqual([line.split()[0] for line in lines[1:3]], ["topology", "variants"])
        self.assertRegex(lines[-1], r"^topology and variants: .* ms: (met|NOT MET)$")

    def test_proof_speed_proves_small_and_huge_pages(self):
        done = subprocess.run([BINARIES / "proof_speed", "4"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if "move_pages" in done.stdout:
            self.skipTest(done.stdout.strip())  # refused here, as in a container
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        for line in lines:
            self.assertRegex(line, r"^ +4 MiB in .* pages, +\d threads, 100 turns: median .* ms, .*: (met|NOT MET)$")

    def test_generate_run_refuses_samples_that_do_not_fill_its_turns(self):
        done = subprocess.run([BINARIES / "generate_run", "x", "4", "6", "15", "1"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a multiple of ten", done.stderr)

    def test_measuring_share_adds_up_and_knows_a_run_without_rounds(self):
        spent = dict.fromkeys(("warm_up", "readings", "lead_in", "blocks", "set_up", "proof"), 10.0)
        for wall, status, words in ((50, 0, "80.0%"), (100, 1, "40.0%"), (0, 1, "no round was completed")):
            with tempfile.NamedTemporaryFile("w") as run:
                json.dump({"spent": spent | {"wall": wall}}, run)
                run.flush()
                done = subprocess.run([sys.executable, HERE / "measuring_share.py", run.name], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, status, done.stdout)
            self.assertIn(words, done.stdout)


if __name__ == "__main__":
    unittest.main()
