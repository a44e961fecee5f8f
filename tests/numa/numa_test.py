#!/usr/bin/env python3
"""Real kernels on emulated machines: what bindgate plans there, proves and refuses. Structure only, never times.

    numa_test.py BUILD GUEST

BUILD: the build folder; GUEST: as `boot --list` names it. Exits with 77, which ctest counts as skipped, where guests
cannot be had, but with 1 where BINDGATE_REQUIRE_NUMA is set.
"""

import os
import sys
import unittest

from emulator import Emulator
from guest_kernel import Unavailable
from laboratory import CheatsAreFound, EveryVariantHolds, Laboratory


class TwoNodes(EveryVariantHolds, CheatsAreFound, Laboratory):
    guest = "two-nodes"
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
    escaped = "thread 'bench_numa'"
    strayed = "32.0 MiB of 32.0 MiB on node 1 instead of 0"


def tests_of(guest):
    known = {test.guest: test for test in globals().values() if isinstance(test, type) and getattr(test, "guest", None)}
    if guest not in known:
        sys.exit(f"numa_test.py: no test of guest '{guest}'; there are: {', '.join(known)}")
    return unittest.defaultTestLoader.loadTestsFromTestCase(known[guest])


def main():
    build, guest = sys.argv[1:]
    Laboratory.build = build
    try:
        Emulator(build).prepare()
    except Unavailable as error:
        print(error)
        return 1 if os.environ.get("BINDGATE_REQUIRE_NUMA") else 77
    if guest == "kernel":
        return 0
    result = unittest.TextTestRunner(verbosity=2).run(tests_of(guest))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
