#!/usr/bin/env python3
"""The real programs on LibTorch in conversation: one small case each. Structure only, never times.

    programs_test.py BENCH_MATMUL BENCH_DECODE
"""

import signal
import sys
import tempfile
import unittest
from pathlib import Path

from program import Program

DECODE, MATMUL = sys.argv.pop(2), sys.argv.pop(1)
KERNELS = ["compute", "l2", "l3", "dram", "chase", "faults"]


class Programs(unittest.TestCase):
    def start(self, path, **options):
        program = Program(path, **options)
        self.addCleanup(program.close)
        self.hello = program.receive()
        self.cases = {case["name"]: case for case in self.hello["cases"]}
        return program

    def take_two_turns(self, program, name):
        ready = program.ask("begin", case=name)
        self.assertEqual(ready["reply"], "ready", ready)
        for number in range(2):
            block = program.turn(number, samples=2, batch=1, references=KERNELS)
            self.assertEqual(block["reply"], "block", block)
            self.assertEqual([len(samples) for samples in block["nanoseconds"].values()], [2, 2, 2])
            self.assertEqual([len(block["references"][kernel]) for kernel in KERNELS], [3] * 6)
        self.assertEqual(program.ask("next"), {"reply": "done"})
        return ready

    def test_matmul_from_hello_to_exit(self):
        program = self.start(MATMUL)
        self.assertTrue(self.hello["libraries"]["libtorch"])
        for setting in ("threads", "blas", "blas_core", "cpu_capability"):
            self.assertIn(setting, self.hello["settings"])
        case = self.cases["matmul/f32/256x256x256"]
        self.assertEqual(case["operations"], 2 * 256**3)
        self.assertEqual(case["bytes"], 3 * 256 * 256 * 4)
        ready = self.take_two_turns(program, case["name"])
        self.assertEqual([part["bytes"] for part in ready["ranges"]], [256 * 256 * 4] * 3)
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_bf16_is_right_or_said_not_to_run(self):
        program = self.start(MATMUL)
        for name in ("matmul/bf16/256x256x256", "matmul/bf16/32x128x128x64"):
            reply = program.ask("begin", case=name)
            if reply["reply"] == "not_run":
                self.assertEqual(reply["reason"], "no bf16 kernel")
            else:
                self.assertEqual(reply["reply"], "ready", reply)
                program.ask("next")

    def test_the_layers_of_a_transformer_are_right(self):
        program = self.start(MATMUL, threads=2)
        self.assertIn("bandwidth-bound", self.cases["matmul/f32/1x4096x4096"]["label"])
        self.take_two_turns(program, "matmul/f32/1x4096x4096")
        self.take_two_turns(program, "matmul/f32/32x128x128x64")

    def test_the_quick_profile_holds_six_cases(self):
        quick = []
        for path in (MATMUL, DECODE):
            self.start(path)
            quick += [name for name, case in self.cases.items() if case["profile"] == "quick"]
        self.assertEqual(len(quick), 6, quick)

    def test_decode_names_a_corrupt_file_and_goes_on_with_the_rest(self):
        with tempfile.TemporaryDirectory() as cache:
            environment = {"BINDGATE_CACHE": cache}
            program = self.start(DECODE, threads=2, environment=environment)
            self.assertEqual(self.cases["decode/threads/all"]["items"], 32)
            self.assertEqual(self.take_two_turns(program, "decode/threads/1")["threads"], 1)
            ready = self.take_two_turns(program, "decode/threads/all")
            self.assertEqual(ready["threads"], 2)
            self.assertEqual(len(ready["ranges"]), 1 + 32)
            program.send("exit")
            self.assertEqual(program.wait(), (0, "", ""))

            files = sorted(Path(cache).rglob("*.jpg"))
            self.assertEqual(len(files), 32)
            files[5].write_bytes(files[5].read_bytes()[:5000])
            program = self.start(DECODE, environment=environment)
            self.take_two_turns(program, "decode/threads/1")
            program.send("exit")
            status, _, said = program.wait()
            self.assertEqual(status, 0)
            self.assertIn(str(files[5]), said)
            self.assertIn("1 of 32 files are corrupt", said)

    def test_decode_without_a_cache_says_what_to_set(self):
        program = self.start(DECODE, environment={"BINDGATE_CACHE": "/proc/nowhere"})
        reply = program.ask("begin", case="decode/threads/1")
        self.assertEqual(reply["reply"], "failed")
        self.assertIn("set BINDGATE_CACHE", reply["reason"])


if __name__ == "__main__":
    signal.alarm(300)  # a conversation that hangs is a failure, not a wait
    unittest.main()
