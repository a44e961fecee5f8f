#!/usr/bin/env python3
"""Real kernels on emulated machines: what bindgate plans there, proves and refuses. Structure only, never times.

    numa_test.py BUILD TEST

BUILD: the build folder; TEST: a key of TESTS, or "kernel", which only makes the guests' kernel. Exits with 77, which ctest counts as skipped, where guests
cannot be had, but with 1 where BINDGATE_REQUIRE_NUMA is set.
"""

import json
import math
import os
import subprocess
import sys
import unittest
from pathlib import Path

from emulator import Emulator
from guest_kernel import Unavailable
from laboratory import CHEAT, RUN, CheatsAreFound, EveryVariantHolds, Laboratory


class TwoNodes(EveryVariantHolds, CheatsAreFound, Laboratory):
    guest = "two-nodes"
    script = RUN + CHEAT + 'keep refused "$BIN/unprivileged" ./bindgate variants --json\n'
    allowed = ("0-3", "0-1")
    nodes = {0: "0-1", 1: "2-3"}
    placements = {
        "none": "0-3 default",
        "taskset": "0-1 default",
        "numactl": "0-1 bind 0",
        "remote": "0-1 bind 1",
        "interleave": "0-3 interleave 0-1",
        "one-per-core": "as none",
    }
    escaped = "may run on CPUs 0-3 instead of 0-1"
    strayed = "32.0 MiB of 32.0 MiB on node 1 instead of 0"

    def test_without_the_right_to_bind_memory_only_those_variants_are_skipped_that_do(self):
        for variant in self.document("refused")["variants"]:
            if self.variants[variant["name"]]["status"] != "ok":
                continue
            if self.variants[variant["name"]]["memory"]["policy"] == "default":
                self.assertEqual(variant["status"], "ok", variant)
            else:
                self.assertEqual(variant["status"], "skipped", variant)
                self.assertIn("set_mempolicy", variant["reason"])
                self.assertIn("EPERM", variant["reason"])


class FourNodes(EveryVariantHolds, CheatsAreFound, Laboratory):
    guest = "four-nodes"
    allowed = ("0-15", "0-3")
    nodes = {0: "0-3", 1: "4-7", 2: "8-11", 3: "12-15"}
    placements = {
        "none": "0-15 default",
        "taskset": "0-3 default",
        "numactl": "0-3 bind 0",
        "remote": "0-3 bind 2",
        "interleave": "0-15 interleave 0-3",
        "one-per-core": "0,2,4,6,8,10,12,14 default",
    }
    escaped = "may run on CPUs 0-15 instead of 0-3"
    strayed = "32.0 MiB of 32.0 MiB on node 3 instead of 0"

    def test_hardware_threads_and_dies_are_no_cores_and_packages(self):
        self.assertEqual([package["cpus"] for package in self.topology["packages"]], ["0-7", "8-15"])
        self.assertEqual([core["cpus"] for core in self.topology["cores"]][:3], ["0-1", "2-3", "4-5"])
        self.assertEqual([cache["cpus"] for cache in self.topology["l3"]], ["0-3", "4-7", "8-11", "12-15"])

    def test_a_variant_stands_for_all_nodes_alike(self):
        rotates = self.variants["remote"]["rotates"]
        self.assertEqual([(one["cpus"], one["memory"]["nodes"]) for one in rotates],
                         [("4-7", "2"), ("8-11", "0"), ("12-15", "0")])  # fmt: skip


class CpuLess(EveryVariantHolds, CheatsAreFound, Laboratory):
    guest = "cpu-less"
    allowed = ("0-3", "0-2")
    nodes = {0: "0-1", 1: "2-3", 2: ""}
    placements = {
        "taskset": "0-1 default",
        "numactl": "0-1 bind 0",
        "remote": "0-1 bind 1",
        "interleave": "0-3 interleave 0-2",
    }
    escaped = "may run on CPUs 0-3 instead of 0-1"
    strayed = "32.0 MiB of 32.0 MiB on node 2 instead of 0"

    def test_the_farthest_memory_may_be_where_no_cpu_is(self):
        rotates = self.variants["remote"]["rotates"]
        self.assertEqual([(one["cpus"], one["memory"]["nodes"]) for one in rotates], [("2-3", "2")])


class MemoryLess(EveryVariantHolds, Laboratory):
    guest = "memory-less"
    script = RUN
    allowed = ("0-3", "0")
    nodes = {0: "0-1", 1: "2-3"}
    placements = {
        "none": "0-3 default",
        "taskset": "0-1 default",
        "numactl": "as taskset",
        "remote": "skipped: no second node has allowed memory",
        "interleave": "as none",
    }


class TwoKinds(EveryVariantHolds, Laboratory):
    guest = "two-kinds"
    script = RUN
    allowed = ("0-1", "0-1")
    nodes = {0: "0-1", 1: ""}
    placements = {"taskset": "as none", "numactl": "0-1 bind 0", "remote": "0-1 bind 1"}


class Sparse(EveryVariantHolds, CheatsAreFound, Laboratory):
    guest = "sparse"
    allowed = ("0-3", "0,2")
    nodes = {0: "0-1", 2: "2-3"}
    placements = {
        "numactl": "0-1 bind 0",
        "remote": "0-1 bind 2",
        "interleave": "0-3 interleave 0,2",
    }
    escaped = "may run on CPUs 0-3 instead of 0-1"
    strayed = "32.0 MiB of 32.0 MiB on node 2 instead of 0"


class Offline(EveryVariantHolds, Laboratory):
    guest = "offline"
    script = RUN + "keep asked ./bindgate variants --json cpus:0-1\n"
    allowed = ("0,2-3", "0-1")
    nodes = {0: "0", 1: "2-3"}
    placements = {
        "none": "0,2-3 default",
        "taskset": "2-3 default",
        "numactl": "2-3 bind 1",
        "remote": "2-3 bind 0",
        "one-per-core": "as none",
    }

    def test_an_offline_cpu_that_is_asked_for_is_named(self):
        self.assertEqual((self.out / "asked.status").read_text().strip(), "2")
        self.assertIn("CPU 1", (self.out / "asked.err").read_text())


class Maxcpus(EveryVariantHolds, Laboratory):
    guest = "maxcpus"
    script = RUN
    allowed = ("0-2", "0-1")
    nodes = {0: "0-1", 1: "2"}
    placements = {"none": "0-2 default", "numactl": "0-1 bind 0", "remote": "0-1 bind 1"}


class Cpuset(EveryVariantHolds, Laboratory):
    guest = "cpuset"
    script = RUN + "keep asked ./bindgate variants --json cpus:0\n"
    allowed = ("1-2", "1")
    nodes = {0: "0-1", 1: "2-3"}
    placements = {
        "none": "1-2 default",
        "taskset": "2 default",
        "numactl": "as taskset",
        "remote": "skipped: no second node has allowed memory",
    }

    def test_a_cpu_outside_the_group_that_is_asked_for_is_refused(self):
        self.assertEqual((self.out / "asked.status").read_text().strip(), "2")
        self.assertIn("CPU 0 not allowed", (self.out / "asked.err").read_text())


class Quota(EveryVariantHolds, Laboratory):
    guest = "quota"
    script = RUN
    allowed = ("0-3", "0-1")
    nodes = {0: "0-1", 1: "2-3"}
    placements = {"none": "0-3 default", "numactl": "0-1 bind 0"}

    def test_threads_are_limited_to_the_outer_groups_quota(self):
        self.assertEqual(self.topology["quota_cpus"], 1.5)
        for name in ("none", "taskset", "numactl", "remote", "interleave"):
            self.assertEqual(self.variants[name]["threads"], 1, name)


class Devices(Laboratory):
    guest = "devices"
    script = ""
    allowed = ("0-3", "0-1")
    nodes = {0: "0-1", 1: "2-3"}

    def test_a_device_is_where_the_machine_says_and_nowhere_where_it_does_not(self):
        gpus = {device["pci"]: device["node"] for device in self.topology["devices"] if device["kind"] == "gpu"}
        self.assertEqual(gpus, {"0000:00:04.0": None, "0000:81:00.0": 1})


class Fake(EveryVariantHolds, Laboratory):
    guest = "fake"
    script = RUN
    allowed = ("0-3", "0-1")
    nodes = {0: "", 1: ""}  # both claim all CPUs, so that neither has any
    placements = {
        "taskset": "skipped: no allowed CPU belongs to a node",
        "numactl": "skipped: no node has both an allowed CPU and allowed memory",
        "interleave": "0-3 interleave 0-1",
    }

    def test_nodes_that_share_their_cpus_are_a_finding(self):
        self.assertIn("nodes 0-1 all claim CPUs 0-3", " ".join(self.topology["findings"]))


class Balancing(Laboratory):
    guest = "balancing"
    script = """
export MEMORY_MIB=8
unset MEMORY_FEW_TURNS
moved() { sed -n 's/^numa_pages_migrated //p' /proc/vmstat; }
before=$(moved)
measure moved --case memory/left-behind --variant taskset
echo $(($(moved) - before)) > /out/moved.pages
measure bound --case memory/plain --variant remote
"""
    allowed = ("0-3", "0-1")
    nodes = {0: "0-1", 1: "2-3"}

    def test_pages_touched_from_elsewhere_come_after_their_user(self):
        self.assertGreater(int((self.out / "moved.pages").read_text()), 1024, "of 2048")
        record = self.record("moved")
        self.assertEqual(record.status, 0, record.progress)
        self.assertEqual(dict(record.proofs("memory/left-behind"))["taskset"]["status"], "held")

    def test_bound_pages_stay(self):
        proof = dict(self.record("bound").proofs("memory/plain"))["remote"]
        self.assertEqual((proof["status"], proof["node_bytes"]), ("held", {"1": 8 << 20}), proof)


class SmallNode(Laboratory):
    guest = "small-node"
    script = """
export MEMORY_MIB=8 MEMORY_BESIDE_MIB=160
measure spilled --case memory/plain --variant numactl
"""
    allowed = ("0-3", "0-1")
    nodes = {0: "0", 1: "1-3"}
    placements = {"numactl": "1-3 bind 1"}

    def test_memory_that_cannot_be_bound_ends_the_bound_launch_and_no_other(self):
        record = self.record("spilled")
        self.assertEqual(record.status, 4, record.progress)
        ends = {record.variant_of[line["launch"]]: line["failure"] for line in record.lines
                if line["line"] == "launch_ended"}  # fmt: skip
        self.assertEqual(ends["none"], "")
        self.assertIn("SIGKILL", ends["numactl"])
        self.assertEqual([proof["status"] for _, proof in record.proofs("memory/plain")], ["held", "held"])

    def test_the_run_goes_on(self):
        self.assertEqual(self.record("spilled").lines[-1]["line"], "finished")


class LibTorch(Laboratory):
    """The real programs, the smallest case of one, under what people choose between."""

    timeout = 1140

    @classmethod
    def setUpClass(cls):
        bindgate = Path(cls.build) / "bin/bindgate"  # asked here, where starting LibTorch takes no minute
        listed = json.loads(subprocess.check_output([bindgate, "list", "--json", "matmul/*"]))["cases"]
        cls.case = min(listed, key=lambda case: case["operations"] or math.inf)["case"]
        cls.script = (
            'cp "$BIN/bench_matmul" . && rm bench_numa || exit 9\n'
            "export OPENBLAS_CORETYPE=Haswell\n"  # what an owner names is not searched for, by starting it twice more
            f"measure torch --deadline 8m --case {cls.case} --variant none --variant numactl --variant remote\n"
        )
        super().setUpClass()

    def test_every_thread_and_page_is_where_it_was_bound(self):
        record = self.record("torch")
        self.assertEqual(record.status, 0, record.progress)
        proofs = record.proofs(self.case)
        self.assertEqual(sorted(variant for variant, _ in proofs), ["none", "none", "numactl", "remote"])
        for variant, proof in proofs:
            self.assertEqual(proof["status"], "held", f"{variant}: {proof['detail']}")
            if variant != "none":
                self.assertEqual(list(proof["node_bytes"]), [self.variants[variant]["memory"]["nodes"]])


class LibTorchOnTwoNodes(LibTorch):
    guest = "two-nodes"
    allowed, nodes, placements = TwoNodes.allowed, TwoNodes.nodes, TwoNodes.placements


class LibTorchWithACpuLessNode(LibTorch):
    guest = "cpu-less"
    allowed, nodes, placements = CpuLess.allowed, CpuLess.nodes, CpuLess.placements


TESTS = {
    "two-nodes": TwoNodes,
    "four-nodes": FourNodes,
    "cpu-less": CpuLess,
    "memory-less": MemoryLess,
    "two-kinds": TwoKinds,
    "sparse": Sparse,
    "offline": Offline,
    "maxcpus": Maxcpus,
    "cpuset": Cpuset,
    "quota": Quota,
    "devices": Devices,
    "fake": Fake,
    "balancing": Balancing,
    "small-node": SmallNode,
    "libtorch-two-nodes": LibTorchOnTwoNodes,
    "libtorch-cpu-less": LibTorchWithACpuLessNode,
}


def main():
    build, name = sys.argv[1:]
    Laboratory.build = build
    try:
        Emulator(build).prepare()
    except Unavailable as error:
        print(error)
        return 1 if os.environ.get("BINDGATE_REQUIRE_NUMA") else 77
    if name == "kernel":
        return 0
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(TESTS[name])
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
