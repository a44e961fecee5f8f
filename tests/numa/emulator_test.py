#!/usr/bin/env python3
"""What becomes of an emulator that ends otherwise than it should. No guest is started."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from emulator import started


class Started(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.starts = Path(folder.name) / "starts"

    def end(self, script):
        """What became of a shell that counts its starts and then does `script`, and what was said meanwhile."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            done = started(["sh", "-c", f'echo x >> "$0"; {script}', self.starts], timeout=60)
        return done.returncode, len(self.starts.read_text().split()), said.getvalue()

    def test_one_that_crashed_is_started_again(self):
        status, starts, said = self.end('[ "$(wc -l < "$0")" -eq 2 ] || kill -SEGV $$')
        self.assertEqual((status, starts), (0, 2))
        self.assertIn("ended by signal 11; starting it again", said)

    def test_what_a_crashed_one_left_is_gone(self):
        left = self.starts.with_name("status")
        with contextlib.redirect_stderr(io.StringIO()):
            done = started(["sh", "-c", '[ ! -e "$0.twice" ] || exit 0; echo 0 > "$0"; touch "$0.twice"; kill -SEGV $$',
                            left], timeout=60, leftovers=[left])
        self.assertEqual(done.returncode, 0)
        self.assertFalse(left.exists())

    def test_one_that_always_crashes_is_not_started_for_ever(self):
        status, starts, said = self.end("kill -SEGV $$")
        self.assertEqual((status, starts), (-11, 3))

    def test_one_that_says_what_is_wrong_is_believed(self):
        self.assertEqual(self.end("exit 1")[:2], (1, 1))


if __name__ == "__main__":
    unittest.main()
