#!/usr/bin/env python3
"""The conversation between harness and program, word by word, with small cases without LibTorch.

    conversation_test.py BENCH_FAKE
"""

import os
import signal
import subprocess
import sys
import unittest

from program import Program

FAKE = sys.argv.pop(1)


class Conversation(unittest.TestCase):
    def start(self, **options):
        program = Program(FAKE, **options)
        self.addCleanup(program.close)
        self.hello = program.receive()
        return program

    def begin(self, name):
        program = self.start()
        return program, program.ask("begin", case=name)

    def test_hello_lists_version_build_threads_and_all_cases(self):
        self.start(threads=3)
        self.assertEqual(self.hello["reply"], "hello")
        self.assertEqual(self.hello["protocol"], 1)
        self.assertEqual(self.hello["program"], "fake")
        self.assertEqual(self.hello["libraries"]["benchmark"], "1.7.1")
        self.assertTrue(self.hello["build_type"])
        names = [case["name"] for case in self.hello["cases"]]
        self.assertEqual(len(names), 12)
        self.assertEqual(names[0], "fake/right")

    def test_a_case_is_set_up_takes_turns_and_is_torn_down(self):
        program, ready = self.begin("fake/right")
        self.assertEqual(ready["reply"], "ready")
        self.assertEqual(len(ready["warmup_ns"]), 1000)
        self.assertEqual(ready["ranges"][0]["bytes"], 4)
        for number in range(3):
            block = program.turn(number, samples=4, batch=100, references=["compute", "l2"])
            self.assertEqual((block["reply"], block["turn"]), ("block", number))
            self.assertEqual({clock: len(samples) for clock, samples in block["nanoseconds"].items()},
                             {"wall": 4, "thread": 4, "process": 4})
            self.assertEqual(len(block["forced"]), 4)
            self.assertEqual({kernel: len(readings) for kernel, readings in block["references"].items()},
                             {"compute": 3, "l2": 3})
        self.assertEqual(program.ask("next"), {"reply": "done"})
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_an_operation_may_time_a_part_of_itself_and_tell_figures(self):
        program, ready = self.begin("fake/interval")
        self.assertTrue(ready["moves"])
        block = program.turn(0, samples=2, batch=3)
        self.assertEqual(block["nanoseconds"]["interval"], [750, 750])
        self.assertEqual(program.ask("next"), {"reply": "done", "figures": {"share_waiting": 0.25}})

    def test_an_interval_must_be_declared_and_given(self):
        program, answer = self.begin("fake/interval-undeclared")
        self.assertIn("that is not its primary clock", answer["reason"])
        self.assertIn("the operation returns none", program.ask("begin", case="fake/interval-lacking")["reason"])

    def test_a_name_with_characters_of_patterns_is_that_case_only(self):
        program, ready = self.begin("fake/right (a+b)[0]")
        self.assertEqual(ready["reply"], "ready")

    def test_a_case_is_served_once(self):
        program, _ = self.begin("fake/right")
        self.assertEqual(program.ask("next"), {"reply": "done"})
        again = program.ask("begin", case="fake/right")
        self.assertEqual(again["reply"], "failed")
        self.assertIn("a launch serves each case once", again["reason"])
        self.assertEqual(program.ask("begin", case="fake/right (a+b)[0]")["reply"], "ready")

    def test_a_wrong_result_is_a_failure_and_never_a_time(self):
        program, reply = self.begin("fake/wrong")
        self.assertEqual(reply, {"reply": "failed", "reason": "element [3]: expected 1, found 2, bound 0"})
        self.assertEqual(program.ask("next"), {"reply": "done"})
        self.assertEqual(program.ask("begin", case="fake/right")["reply"], "ready")

    def test_a_case_that_cannot_run_here_says_why(self):
        self.assertEqual(self.begin("fake/not-run")[1], {"reply": "not_run", "reason": "no such kernel"})

    def test_an_exception_is_a_failure_with_its_text(self):
        self.assertEqual(self.begin("fake/broken-set-up")[1], {"reply": "failed", "reason": "set-up broke"})
        self.assertEqual(self.begin("fake/broken-operation")[1], {"reply": "failed", "reason": "the operation broke"})
        self.assertIn("says nothing", self.begin("fake/throws-a-number")[1]["reason"])

    def test_an_exception_during_a_turn_answers_that_turn(self):
        program, ready = self.begin("fake/broken-late")
        self.assertEqual(ready["reply"], "ready")
        self.assertEqual(program.turn(0, batch=100_000_000), {"reply": "failed", "reason": "the operation broke"})
        self.assertEqual(program.ask("begin", case="fake/right")["reply"], "ready")

    def test_a_body_without_measure_is_a_failure(self):
        self.assertIn("never called measure()", self.begin("fake/forgetful")[1]["reason"])

    def test_an_unknown_case_is_a_failure_that_names_the_nearest(self):
        reason = self.begin("fake/rihgt")[1]["reason"]
        self.assertIn('case "fake/rihgt": not in this program', reason)
        self.assertIn("did you mean 'fake/right'?", reason)

    def test_words_out_of_order_are_told_and_survived(self):
        program = self.start()
        self.assertIn("send begin first", program.turn(0)["reason"])
        program.send_line("rubbish")
        self.assertEqual(program.receive()["reply"], "failed")
        self.assertIn("begin", program.ask("bgein")["reason"])
        self.assertEqual(program.ask("begin", case="fake/right")["reply"], "ready")
        self.assertIn("send next first", program.ask("begin", case="fake/wrong")["reason"])

    def test_the_end_of_the_commands_ends_the_program(self):
        for when in ("hello", "ready"):
            with self.subTest(when):
                program = self.start()
                if when == "ready":
                    program.ask("begin", case="fake/right")
                os.close(program.command_write)
                self.assertEqual(program.wait(), (0, "", ""))

    def test_the_end_of_the_life_pipe_ends_it_at_once_also_within_a_turn(self):
        program, _ = self.begin("fake/right")
        program.send("turn", turn=0, samples=1_000_000, batch=1_000_000_000, references=[])
        os.close(program.life_write)
        status, _, _ = program.wait()
        self.assertEqual(status, 1)

    def test_a_harness_that_no_longer_reads_is_no_crash(self):
        program = self.start()
        program.replies.close()
        program.send("begin", case="fake/not-run")
        status, _, _ = program.wait()
        self.assertEqual(status, 0)


class ByHand(unittest.TestCase):
    def run_fake(self, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BINDGATE_")}
        return subprocess.run([FAKE, *arguments], env={**environment, **variables}, capture_output=True, text=True,
                              timeout=60, check=False)

    def test_it_is_a_google_benchmark_program(self):
        done = self.run_fake("--benchmark_filter=fake/(right|not-run)/", "--benchmark_min_time=0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fake/right/real_time", done.stdout)
        self.assertIn("FLOP=", done.stdout)
        self.assertIn("not run: no such kernel", done.stdout)

    def test_a_wrong_result_is_an_error_and_the_exit_status_says_so(self):
        done = self.run_fake("--benchmark_filter=fake/wrong")
        self.assertEqual(done.returncode, 1)
        self.assertIn("element [3]: expected 1, found 2, bound 0", done.stdout)

    def test_an_exception_is_an_error_too(self):
        done = self.run_fake("--benchmark_filter=broken", "--benchmark_min_time=1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("set-up broke", done.stdout)
        self.assertIn("the operation broke", done.stdout)

    def test_help_shows_an_example(self):
        done = self.run_fake("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("example: BINDGATE_THREADS=1 bench_fake --benchmark_filter='fake/right'", done.stdout)

    def test_half_a_pair_of_descriptors_is_one_clear_line(self):
        done = self.run_fake(BINDGATE_COMMAND_FD="0")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("only one of the two is set", done.stderr)


if __name__ == "__main__":
    signal.alarm(120)  # a conversation that hangs is a failure, not a wait
    unittest.main()
