#!/usr/bin/env python3
"""How long `bindgate topology` and `bindgate variants` take on the live machine, start-up included.

    topology_speed.py BINARIES [--repeats N]

Exit status: 0 when both are fast enough, else 1.
"""

import argparse
import sys
from pathlib import Path

from measured import Limits, best

LONGEST = 100  # ms, of both together


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", type=Path)
    parser.add_argument("--repeats", type=int, default=10, help="the fastest counts")
    chosen = parser.parse_args()

    print(f"{'command':<10} {'wall ms':>8} {'CPU ms':>7} {'peak MB':>8}")
    together = 0
    for command in ("topology", "variants"):
        took = best(chosen.repeats, chosen.binaries / "bindgate", command)
        assert took.status == 0, took.out
        together += took.wall
        print(f"{command:<10} {took.wall * 1e3:>8.1f} {took.cpu * 1e3:>7.1f} {took.peak / 1e6:>8.1f}")
    limits = Limits()
    print()
    limits.hold("topology and variants", together * 1e3, LONGEST, "ms")
    return 0 if limits.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
