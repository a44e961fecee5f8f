#!/usr/bin/env python3
"""The real programs on LibTorch in conversation: one small case each. Structure only, never times.

    programs_test.py FOLDER_OF_PROGRAMS
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from program import Program

FOLDER = Path(sys.argv.pop(1))
MATMUL, DECODE, CONV, ATTENTION, MEMORY, DISPATCH, TRAIN = PROGRAMS = [
    str(FOLDER / f"bench_{name}") for name in ("matmul", "decode", "conv", "attention", "memory", "dispatch", "train")]
CACHE = tempfile.TemporaryDirectory()  # made once: what a test damages it copies
KERNELS = ["compute", "l2", "l3", "dram", "chase", "faults"]


def workers_of(process):
    """The living children of a process, by id; zombies are not alive."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == process and state not in "ZX":
            found.append(int(entry.name))
    return found


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Programs(unittest.TestCase):
    def start(self, path, environment=None, **options):
        program = Program(path, environment={"BINDGATE_CACHE": CACHE.name, **(environment or {})}, **options)
        self.addCleanup(program.close)
        self.hello = program.receive()
        self.cases = {case["name"]: case for case in self.hello["cases"]}
        return program

    def wait_until_gone(self, processes):
        while any(is_alive(process) for process in processes):
            time.sleep(0.01)  # the alarm ends a wait that does not end

    def take_two_turns(self, program, name, *, workers=False):
        ready = program.ask("begin", case=name)
        self.assertEqual(ready["reply"], "ready", ready)
        for number in range(2):
            block = program.turn(number, samples=2, batch=1, references=KERNELS)
            self.assertEqual(block["reply"], "block", block)
            clocks = ["wall", "thread", "process"]
            clocks += ["interval"] if self.cases[name]["primary"] == "interval" else []
            clocks += ["tree"] if workers else []
            self.assertEqual({clock: len(samples) for clock, samples in block["nanoseconds"].items()},
                             dict.fromkeys(clocks, 2))
            self.assertEqual([len(block["references"][kernel]) for kernel in KERNELS], [3] * 6)
        self.done = program.ask("next")
        self.assertEqual(self.done["reply"], "done", self.done)
        return ready

    def masks_of(self, program):
        """Of every thread, as the kernel writes them."""
        masks = set()
        for status in Path(f"/proc/{program.process.pid}/task").glob("*/status"):
            masks |= {line.split()[1] for line in status.read_text().splitlines() if line.startswith("Cpus_allowed_list")}
        return masks

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

    def expect_ready_or_not_run(self, program, name, reason):
        reply = program.ask("begin", case=name)
        if reply["reply"] == "not_run":
            self.assertEqual(reply["reason"], reason)
        else:
            self.assertEqual(reply["reply"], "ready", reply)
            program.ask("next")

    def test_bf16_is_right_or_said_not_to_run(self):
        for path, name in (
            (MATMUL, "matmul/bf16/256x256x256"),
            (MATMUL, "matmul/bf16/32x128x128x64"),
            (CONV, "conv/bf16/1x1-2048-512-7/b1/nchw"),
            (CONV, "conv/bf16/3x3-128-128-28/b1/channels_last"),
            (ATTENTION, "attention/bf16/bert-base/causal/unfused"),
        ):
            self.expect_ready_or_not_run(self.start(path), name, "no bf16 kernel")

    def test_conv_is_right_in_both_layouts(self):
        program = self.start(CONV, threads=2)
        stem = self.cases["conv/f32/7x7s2-3-64-224/b1/nchw"]
        self.assertEqual(stem["operations"], 2 * 3 * 7 * 7 * 64 * 112 * 112)
        self.assertEqual(stem["bytes"], 4 * (3 * 224 * 224 + 64 * 3 * 7 * 7 + 64 * 112 * 112))
        self.assertEqual(stem["shape"]["stride"], "2")
        self.assertEqual(len(self.cases), 13 * 2 * 2 * 2)
        ready = self.take_two_turns(program, stem["name"])
        self.assertEqual([part["bytes"] for part in ready["ranges"]], [4 * 3 * 224 * 224, 4 * 64 * 3 * 7 * 7])
        self.take_two_turns(program, "conv/f32/3x3-128-128-28/b1/channels_last")
        self.take_two_turns(program, "conv/f32/1x1-64-256-56/b1/channels_last")
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_attention_is_right_with_a_mask_and_with_shared_heads(self):
        program = self.start(ATTENTION, threads=2)
        full, causal = (self.cases[f"attention/f32/bert-base/{mask}/unfused"] for mask in ("full", "causal"))
        self.assertEqual(full["operations"], 4 * 12 * 64 * 512 * 512)
        self.assertEqual(causal["operations"], 4 * 12 * 64 * 512 * 513 / 2)
        tensor = 4 * 12 * 512 * 64
        self.assertEqual(full["bytes"], 4 * tensor)
        self.assertEqual([part["bytes"] for part in self.take_two_turns(program, full["name"])["ranges"]], [tensor] * 3)
        ranges = self.take_two_turns(program, causal["name"])["ranges"]
        self.assertEqual([part["bytes"] for part in ranges], [tensor] * 3 + [4 * 512 * 512])
        self.take_two_turns(program, "attention/f32/llama-decode/full/unfused")
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_fused_attention_is_right_or_said_not_to_be_there(self):
        program = self.start(ATTENTION, threads=2)
        for name in ("attention/f32/bert-base/causal/fused", "attention/f32/bert-base/full/fused"):
            self.expect_ready_or_not_run(program, name, "this LibTorch has no fused attention")

    def test_the_layers_of_a_transformer_are_right(self):
        program = self.start(MATMUL, threads=2)
        self.assertIn("bandwidth-bound", self.cases["matmul/f32/1x4096x4096"]["label"])
        self.take_two_turns(program, "matmul/f32/1x4096x4096")
        self.take_two_turns(program, "matmul/f32/32x128x128x64")

    def test_the_quick_profile_holds_six_cases(self):
        quick = []
        for path in PROGRAMS:
            self.start(path)
            quick += [name for name, case in self.cases.items() if case["profile"] == "quick"]
        self.assertEqual(len(quick), 6, quick)

    def test_decode_by_threads_from_hello_to_exit(self):
        program = self.start(DECODE, threads=2)
        self.assertEqual(self.cases["decode/threads/all"]["items"], 32)
        self.assertEqual(self.take_two_turns(program, "decode/threads/1")["threads"], 1)
        ready = self.take_two_turns(program, "decode/threads/all")
        self.assertEqual(ready["threads"], 2)
        self.assertEqual(len(ready["ranges"]), 1 + 32)
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_decode_names_a_corrupt_file_and_goes_on_with_the_rest(self):
        self.take_two_turns(self.start(DECODE), "decode/threads/1")  # the cache is there now
        with tempfile.TemporaryDirectory() as cache:
            shutil.copytree(CACHE.name, cache, dirs_exist_ok=True)
            usual = [path for path in sorted(Path(cache).rglob("*.jpg")) if path.stem[-5:-2] in ("444", "420")]
            self.assertEqual(len(usual), 32)
            usual[5].write_bytes(usual[5].read_bytes()[:5000])
            program = self.start(DECODE, environment={"BINDGATE_CACHE": cache})
            self.take_two_turns(program, "decode/threads/1")
            program.send("exit")
            status, _, said = program.wait()
            self.assertEqual(status, 0)
            self.assertIn(str(usual[5]), said)
            self.assertIn("1 of 32 files are corrupt", said)

    def test_other_formats_are_right(self):
        program = self.start(DECODE, threads=2)
        for pictures in ("1920x1080", "progressive", "grayscale", "cmyk"):
            self.take_two_turns(program, f"decode/{pictures}/threads/all")

    def test_worker_processes_are_there_for_their_case_and_no_longer(self):
        program = self.start(DECODE, threads=2)
        for name, count in (("decode/processes/1", 1), ("decode/processes/all", 2)):
            self.assertEqual(program.ask("begin", case=name)["reply"], "ready")
            workers = workers_of(program.process.pid)
            self.assertEqual(len(workers), count)
            block = program.turn(0, samples=1)
            self.assertGreater(block["nanoseconds"]["tree"][0], block["nanoseconds"]["process"][0])
            program.ask("next")
            self.assertFalse(any(Path(f"/proc/{worker}").exists() for worker in workers))
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_a_worker_that_is_killed_fails_its_case_and_not_the_next(self):
        program = self.start(DECODE)
        self.assertEqual(program.ask("begin", case="decode/processes/1")["reply"], "ready")
        os.kill(workers_of(program.process.pid)[0], signal.SIGKILL)
        answer = program.turn(0)
        self.assertEqual(answer, {"reply": "failed", "reason": "worker decode-0: killed by SIGKILL"})
        program.ask("next")
        self.take_two_turns(program, "decode/threads/1")

    def test_no_worker_outlives_the_program(self):
        for end in ("kill", "life"):
            program = self.start(DECODE, threads=2)
            program.ask("begin", case="decode/processes/all")
            workers = workers_of(program.process.pid)
            self.assertEqual(len(workers), 2)
            if end == "kill":
                program.process.kill()
            else:
                os.close(program.life_write)
                program.life_write = -1
            program.process.wait()
            self.wait_until_gone(workers)

    def test_workers_watch_the_pipe_of_life_themselves(self):
        program = self.start(DECODE, threads=2)
        program.ask("begin", case="decode/processes/all")
        workers = workers_of(program.process.pid)
        program.process.send_signal(signal.SIGSTOP)  # so it cannot end them
        os.close(program.life_write)
        program.life_write = -1
        self.wait_until_gone(workers)
        program.process.send_signal(signal.SIGCONT)
        program.process.wait()

    def test_decode_reads_a_users_own_pictures(self):
        self.take_two_turns(self.start(DECODE), "decode/threads/1")
        self.assertFalse([name for name in self.cases if name.startswith("decode/images")])
        with tempfile.TemporaryDirectory() as folder:
            for number, path in enumerate(sorted(Path(CACHE.name).rglob("*-444-*.jpg"))[:3]):
                shutil.copy(path, Path(folder, f"{number}.jpg"))
            Path(folder, "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
            program = self.start(DECODE, environment={"BINDGATE_IMAGES": folder})
            self.assertEqual(self.hello["settings"]["images"], folder)
            name = next(name for name in self.cases if name.startswith("decode/images"))
            self.assertRegex(name, "^decode/images-[0-9a-f]{8}/threads/all$")
            self.take_two_turns(program, name)
            program.send("exit")
            status, _, said = program.wait()
            self.assertEqual(status, 0)
            self.assertIn(f"left out: {folder}/a.png: is a PNG, not a JPEG", said)

            listed = subprocess.run([DECODE, "--images", folder, "--benchmark_list_tests"], capture_output=True, text=True)
            self.assertIn(name.replace("threads", "processes"), listed.stdout)
            Path(folder, "1.jpg").write_bytes(b"other")
            self.start(DECODE, environment={"BINDGATE_IMAGES": folder})
            self.assertNotIn(name, self.cases)
        program = self.start(DECODE, environment={"BINDGATE_IMAGES": folder})
        answer = program.ask("begin", case="decode/images/threads/all")
        self.assertEqual(answer["reply"], "failed")
        self.assertIn(f"{folder}: No such file or directory", answer["reason"])

    def test_decode_says_what_images_needs(self):
        for arguments in (["--images"], ["--images="]):
            said = subprocess.run([DECODE, *arguments], capture_output=True, text=True)
            self.assertEqual(said.returncode, 2)
            self.assertIn("give --images DIR", said.stderr)

    def test_train_from_hello_to_exit(self):
        program = self.start(TRAIN, threads=2)
        self.assertEqual(list(self.cases), ["train/resnet18/b4/workers/1", "train/resnet18/b4/workers/all"])
        # ResNet-18 at 224 x 224: 1.814e9 products forward.
        self.assertAlmostEqual(self.cases["train/resnet18/b4/workers/1"]["operations"] / (4 * 3 * 2), 1.814e9, delta=1e6)
        self.take_two_turns(program, "train/resnet18/b4/workers/all", workers=True)
        shares = self.done["figures"]
        self.assertEqual(sorted(shares), ["share_compute", "share_copy", "share_waiting"])
        self.assertAlmostEqual(sum(shares.values()), 1)
        self.assertEqual(workers_of(program.process.pid), [])
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_decode_without_a_cache_says_what_to_set(self):
        program = self.start(DECODE, environment={"BINDGATE_CACHE": "/proc/nowhere"})
        reply = program.ask("begin", case="decode/threads/1")
        self.assertEqual(reply["reply"], "failed")
        self.assertIn("set BINDGATE_CACHE", reply["reason"])

    def test_memory_from_latency_to_libtorchs_copies(self):
        program = self.start(MEMORY, threads=2)
        buffers = {int(case["shape"]["buffers_mib"]) << 20 for case in self.cases.values()}
        self.assertEqual(len(buffers), 1, "every case has the same amount of memory")
        self.assertEqual({name for name, case in self.cases.items() if case["profile"] == "quick"}, set())
        window = 32 << 20
        self.assertEqual(self.cases["memory/latency"]["items"], 10_000)
        self.assertEqual(self.cases["memory/triad/threads/1"]["bytes"], 3 * window)
        self.assertEqual(self.cases["memory/copy/threads/all"]["bytes"], 2 * 2 * window)
        threads = {"memory/latency": 1, "memory/triad/threads/1": 1, "memory/copy/threads/all": 2,
                   "memory/write-streaming/threads/all": 2, "memory/torch-copy": 2}
        for name, expected in threads.items():
            ready = program.ask("begin", case=name)
            if ready["reply"] == "not_run":  # too little memory is free, or no such stores
                self.assertRegex(ready["reason"], "^(needs .*, a quarter of the free .* is less|no stores)")
                continue
            self.assertEqual(ready["reply"], "ready", ready)
            self.assertEqual(ready["threads"], expected)
            self.assertEqual([part["bytes"] for part in ready["ranges"]], list(buffers))
            self.assertEqual(program.turn(0, references=KERNELS)["reply"], "block")
            share = program.ask("next")["figures"]["huge_page_share"]
            self.assertTrue(0 <= share <= 1, share)
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_memory_has_the_same_cases_on_every_number_of_threads(self):
        names = []
        for threads in (1, 2):
            self.start(MEMORY, threads=threads)
            names.append(list(self.cases))
        self.assertEqual(*names)

    def test_every_case_of_dispatch_runs_or_says_why_not_and_leaves_nothing_behind(self):
        program = self.start(DISPATCH, threads=2)
        masks = self.masks_of(program)
        reasons = ("the placement has no two CPUs", "spinning threads need a CPU each", "the placement has 2 threads")
        for name in self.cases:
            if name.startswith("dispatch/oversubscribed/4x"):
                continue  # the same code as 2x, for longer
            ready = program.ask("begin", case=name)
            if ready["reply"] == "not_run":
                self.assertTrue(ready["reason"].startswith(reasons), ready)
                continue
            self.assertEqual(ready["reply"], "ready", ready)
            self.assertEqual(ready.get("moves", False), name.startswith("dispatch/migrate") or name.endswith("/pipe"))
            block = program.turn(0, references=["compute"])
            self.assertEqual(block["reply"], "block", block)
            self.assertEqual("interval" in block["nanoseconds"], name.startswith("dispatch/wake"))
            self.assertEqual(program.ask("next")["reply"], "done")
            self.assertEqual(self.masks_of(program), masks, name)
        program.send("exit")
        self.assertEqual(program.wait(), (0, "", ""))

    def test_a_forced_migration_needs_two_cpus_and_stands_against_nothing(self):
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        program = self.start(DISPATCH, threads=1)
        for name, case in self.cases.items():
            if name.startswith("dispatch/migrate/") and "/stay/" not in name:
                self.assertEqual(case["against"], "", "it is dearer by design, and never pays off")
                self.assertIn("the placement has no two CPUs", program.ask("begin", case=name)["reason"])
        self.take_two_turns(program, "dispatch/migrate/stay/with-data")
        self.assertEqual(program.ask("begin", case="dispatch/parallel_for/threads/1/grain/1")["reply"], "ready")


if __name__ == "__main__":
    signal.alarm(570)  # a conversation that hangs is a failure, not a wait
    unittest.main()
