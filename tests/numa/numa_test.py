#!/usr/bin/env python3
"""Real kernels on emulated machines: what bindgate plans there, proves and refuses. Structure only, never times.

    numa_test.py BUILD TEST

BUILD: the build folder; TEST: a key of TESTS, or "kernel", which only makes the guests' kernel. Exits with 77, which
ctest counts as skipped, where guests cannot be had, but with 1 where BINDGATE_REQUIRE_NUMA is set.
"""

import os
import re
import sys
import unittest

from emulator import Emulator
from guest_kernel import Unavailable
from laboratory import CHEAT, PILE_UP, REPAIR, RUN, CheatsAreFound, EveryVariantHolds, Laboratory, placement_text
from real_program import LibTorch


class TwoNodes(EveryVariantHolds, CheatsAreFound, Laboratory):
    guest = "two-nodes"
    script = RUN + CHEAT + PILE_UP + REPAIR + 'keep refused "$BIN/unprivileged" ./bindgate variants --json\n'
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

    def test_threads_and_workers_that_a_runtime_piles_up_on_one_cpu_are_found(self):
        record = self.record("piled")
        self.assertEqual(record.status, 4, record.progress)
        for variant, proof in record.proofs("memory/helpers"):
            detail = proof["detail"]
            self.assertEqual((proof["status"], proof["threads"]), ("violated", 3), f"{variant}: {detail}")
            for thread in (r"'bench_numa' \(\d+\)", r"'loader' \(\d+\)", r"'worker' \(\d+, of process \d+\)"):
                place = f"may run on CPUs 0 instead of {self.variants[variant]['cpus']} since turn 0"
                self.assertRegex(detail, f"thread {thread} {place}")
            self.assertIn("(likely: OMP_PROC_BIND=close is in its environment)", detail)

    def test_a_process_that_nobody_bound_is_moved_with_its_pages(self):
        before, shown, repaired, after = (self.document(name) for name in ("stray", "shown", "repaired", "settled"))
        self.assertEqual(before["status"], "violated", before)
        self.assertGreater(before["anonymous_node_bytes"]["1"], 32 << 20)
        self.assertIn("instead of 0-1", " ".join(before["misfits"]))
        self.assertIn("on node 1 instead of 0", " ".join(before["misfits"]))
        self.assertEqual((shown["status"], shown["repaired"]), ("violated", None), "shown, and nothing done")
        self.assertRegex(" ".join(shown["would_repair"]), r"1 thread from CPUs 2-3 to CPUs 0-1 .* to node 0")
        self.assertRegex(" ".join(repaired["repaired"]), r"bound 1 thread moved .* of anonymous memory")
        for document in (repaired, after):
            self.assertEqual((document["status"], document["misfits"]), ("held", []), document)
            self.assertEqual(list(document["anonymous_node_bytes"]), ["0"])

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
        "smt": "0-7 default",
        "even-cpus": "as one-per-core",
        "l3": "as taskset",
        "package": "0-7 default",
        "each-node:3": "12-15 bind 3",
        "performance-cores": "skipped: this machine tells of no kinds of cores",
    }
    escaped = "may run on CPUs 0-15 instead of 0-3"
    strayed = "32.0 MiB of 32.0 MiB on node 3 instead of 0"

    def test_hardware_threads_and_dies_are_no_cores_and_packages(self):
        self.assertEqual([package["cpus"] for package in self.topology["packages"]], ["0-7", "8-15"])
        self.assertEqual([core["cpus"] for core in self.topology["cores"]][:3], ["0-1", "2-3", "4-5"])
        self.assertEqual([cache["cpus"] for cache in self.topology["l3"]], ["0-3", "4-7", "8-11", "12-15"])
        dies = [(die["package"], die["id"], die["cpus"]) for die in self.topology["dies"]]
        self.assertEqual(dies, [(0, 0, "0-3"), (0, 1, "4-7"), (1, 0, "8-11"), (1, 1, "12-15")])

    def test_threads_are_as_many_as_cores_where_that_is_asked_for(self):
        self.assertEqual([self.variants[name]["threads"] for name in ("one-per-core", "smt", "none", "oversubscribed")],
                         [8, 8, 16, 32])  # fmt: skip

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

    def test_the_kinds_of_memory_are_told_by_what_the_firmware_says_of_them(self):
        told = [(node["kind"], node["latency_ns"], node["bandwidth_mib_s"]) for node in self.topology["nodes"]]
        self.assertEqual(told, [("unknown", 100, 100 << 10), ("hbm", 120, 400 << 10)])


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
    allowed = ("0,2-3", "0-1")  # of which test_nothing_is_planned_outside_what_is_allowed makes sure
    nodes = {0: "0", 1: "2-3"}
    placements = {
        "none": "0,2-3 default",
        "taskset": "2-3 default",
        "numactl": "2-3 bind 1",
        "remote": "2-3 bind 0",
        "one-per-core": "as none",
        "even-cpus": "0,2 default",
        "each-node:0": "0 bind 0",
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
    script = RUN + """
keep asked ./bindgate variants --json cpus:0
echo '{"schema": "bindgate.variants/1", "variants": [
  {"name": "elsewhere", "memory": "bind:0"}, {"name": "there", "memory": "bind:1"}]}' > nodes.json
keep elsewhere ./bindgate variants --json --variants-file nodes.json elsewhere there
keep kernel numactl --membind=0 true
"""
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

    def test_cpus_are_counted_within_the_allowed_ones_not_from_zero(self):
        self.assertEqual([self.variants[name]["threads"] for name in ("none", "taskset")], [2, 1])
        self.assertEqual(placement_text(self.variants["even-cpus"]), "as taskset")
        self.assertEqual(placement_text(self.variants["one-core"])[:2], "1 ")

    def test_a_node_that_exists_and_may_not_be_used_is_named_with_those_that_may(self):
        self.assertNotEqual((self.out / "kernel.status").read_text().strip(), "0", "numactl is refused, too")
        planned = {variant["name"]: variant for variant in self.document("elsewhere")["variants"]}
        self.assertEqual(placement_text(planned["elsewhere"]),
                         "skipped: node 0 has no memory that is allowed here (only node 1); "
                         "Mems_allowed leaves out node 0")  # fmt: skip
        self.assertEqual(placement_text(planned["there"]), "as none")


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
    script = """
keep unknown ./bindgate variants --json device:0000:00:04.0 away-from:0000:00:04.0
measure near --case memory/plain --variant device:0000:81:00.0 --variant away-from:0000:81:00.0
"""
    allowed = ("0-3", "0-1")
    nodes = {0: "0-1", 1: "2-3"}

    def test_a_device_is_where_the_machine_says_and_nowhere_where_it_does_not(self):
        gpus = {device["pci"]: device["node"] for device in self.topology["devices"] if device["kind"] == "gpu"}
        self.assertEqual(gpus, {"0000:00:04.0": None, "0000:81:00.0": 1})

    def test_memory_and_threads_are_beside_the_device_or_away_from_it(self):
        record = self.record("near")
        self.assertEqual(record.status, 0, record.progress)
        proofs = dict(record.proofs("memory/plain"))
        for variant, cpus, node in (("device:0000:81:00.0", "2-3", "1"), ("away-from:0000:81:00.0", "0-1", "0")):
            self.assertEqual((proofs[variant]["status"], proofs[variant]["node_bytes"]), ("held", {node: 32 << 20}))
            self.assertEqual(record.placement_of[variant]["cpus"], cpus)

    def test_where_a_device_of_unknown_place_is_nothing_is_planned(self):
        planned = {variant["name"]: variant for variant in self.document("unknown")["variants"]}
        for name in ("device:0000:00:04.0", "away-from:0000:00:04.0"):
            self.assertIn("does not tell which node device 0000:00:04.0 is at (numa_node is -1, or",
                          placement_text(planned[name]))  # fmt: skip


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
        proof = dict(record.proofs("memory/left-behind"))["taskset"]
        self.assertEqual(proof["status"], "held", proof)
        self.assertGreater(proof["balanced_bytes"], 4 << 20, proof)
        self.assertEqual(proof["node_bytes_before"], {"1": 8 << 20}, proof)
        # Where it moved them to is told unless they wait to be moved again, when this kernel does not show them.
        moved = "numa_balancing moved .* (from node 1 to node 0|for its threads) during the case"
        self.assertRegex(proof["detail"], moved, proof)

    def test_bound_pages_stay(self):
        proof = dict(self.record("bound").proofs("memory/plain"))["remote"]
        self.assertEqual((proof["status"], proof["node_bytes"]), ("held", {"1": 8 << 20}), proof)
        self.assertNotIn("moved", proof["detail"])


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
        self.assertRegex(ends["numactl"], r"SIGKILL.*; its memory was bound to node 1, which had ([\d.]+) MiB free: "
                                          "MPOL_BIND never spills")  # fmt: skip
        free = float(re.search(r"had ([\d.]+) MiB", ends["numactl"])[1])
        self.assertTrue(0 < free < 192, f"{free} MiB of 192")
        self.assertEqual([proof["status"] for _, proof in record.proofs("memory/plain")], ["held", "held"])

    def test_the_run_goes_on(self):
        self.assertEqual(self.record("spilled").lines[-1]["line"], "finished")


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
