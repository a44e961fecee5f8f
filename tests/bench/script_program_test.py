#!/usr/bin/env python3
"""bench_script in conversation: every function both ways, checked by the program itself. Structure only, never times.

    script_program_test.py BENCH_SCRIPT
"""

import signal
import sys
import unittest

from program import Program

SCRIPT = sys.argv.pop(1)


class Script(unittest.TestCase):
    def start(self):
        program = Program(SCRIPT, threads=1)
        self.addCleanup(program.close)
        self.hello = program.receive()
        self.cases = {case["name"]: case for case in self.hello["cases"]}
        return program

    def take_a_turn(self, program, name):
        ready = program.ask("begin", case=name)
        self.assertEqual(ready["reply"], "ready", ready)
        block = program.turn(0, samples=1, batch=1, references=["compute"])
        self.assertEqual(block["reply"], "block", block)
        return ready, program.ask("next")

    def test_every_compiled_case_stands_against_its_eager_one(self):
        self.start()
        self.assertIn(self.hello["settings"]["fuser"], ("none", "nnc", "legacy"))
        compiled = [case for name, case in self.cases.items() if name.startswith("script/compiled/")]
        self.assertEqual(2 * len(compiled), len(self.cases))
        for case in compiled:
            self.assertEqual(case["against"], case["name"].replace("/compiled/", "/eager/"))
            self.assertIn(case["against"], self.cases)
        self.assertEqual([case["profile"] for case in compiled].count("nightly"), 2)
        self.assertNotIn("quick", [case["profile"] for case in self.cases.values()])

    def test_every_function_is_right_both_ways(self):
        program = self.start()
        for function in ("gelu", "mlp", "loop", "conv-bn-relu"):
            self.take_a_turn(program, "script/eager/" + function)
            _, done = self.take_a_turn(program, "script/compiled/" + function)
            told = done.get("figures", {})
            self.assertEqual("compiler_start_seconds" in told, function == "gelu", told)
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_changing_shapes_are_right_both_ways(self):
        program = self.start()
        for every, shapes in ((1, 48), (10, 20), (100, 2)):
            for way in ("eager", "compiled"):
                name = f"script/{way}/mlp/reshape-every-{every}"
                self.assertEqual(self.cases[name]["shape"]["shapes"], str(shapes))
                self.assertEqual(self.cases[name]["items"], 200)
                self.take_a_turn(program, name)


if __name__ == "__main__":
    signal.alarm(300)  # a conversation that hangs is a failure, not a wait
    unittest.main()
