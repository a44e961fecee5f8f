#!/usr/bin/env python3
"""How long `bindgate gate`, `show` and `accept` take over large runs, and how much memory.

    gate_speed.py BINARIES [--series N,N,...] [--launches N] [--samples N] [--repeats N] [--scratch DIR]

Generates a run and, from another seed, a baseline for each size; prints a line for each command and size, then the
limits. Exit status: 0 when all are met, else 1. The largest default run takes 0.4 GB of the scratch directory.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from measured import Limits, best, take

LONGEST_GATE = 3.0  # seconds, of the largest default run
LARGEST_MEMORY = 150  # MB
STEEPEST = 2.2  # times the time for twice the series


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", type=Path)
    parser.add_argument("--series", default="250,500,1000", help="sizes in rising order, each twice the last")
    parser.add_argument("--launches", type=int, default=50)
    parser.add_argument("--samples", type=int, default=100, help="of one launch and case; a multiple of ten")
    parser.add_argument("--repeats", type=int, default=5, help="the fastest counts")
    parser.add_argument("--scratch", type=Path, help="where to generate; default: the system's")
    chosen = parser.parse_args()

    print(f"{'series':>7} {'command':<7} {'wall s':>7} {'CPU s':>7} {'MB/s':>6} {'peak MB':>8} {'run MB':>7}")
    gates = []
    for series in map(int, chosen.series.split(",")):
        with tempfile.TemporaryDirectory(prefix="bindgate-", dir=chosen.scratch) as folder:
            gates.append(measure(chosen, series, Path(folder)))

    limits = Limits()
    print()
    limits.hold("gate, wall time of the largest", gates[-1].wall, LONGEST_GATE, "s")
    limits.hold("gate, memory of the largest", gates[-1].peak / 1e6, LARGEST_MEMORY, "MB")
    for smaller, larger in zip(gates, gates[1:]):
        limits.hold("gate, twice the series", larger.cpu / smaller.cpu, STEEPEST, "times the CPU time")
    return 0 if limits.all_met else 1


def measure(chosen, series, folder):
    def generate(name, seed):
        take(chosen.binaries / "generate_run", folder / name, series, chosen.launches, chosen.samples, seed)

    bindgate = chosen.binaries / "bindgate"
    baselines = folder / "baselines"
    generate("night", 1)
    accept = take(bindgate, "accept", folder / "night", "--baselines", baselines)
    assert accept.status == 0, accept.out
    shutil.rmtree(folder / "night")
    generate("run", 2)
    megabytes = (folder / "run/run.jsonl").stat().st_size / 1e6
    show = best(chosen.repeats, bindgate, "show", folder / "run")
    gate = best(chosen.repeats, bindgate, "gate", folder / "run", "--baselines", baselines)
    for name, took in (("accept", accept), ("show", show), ("gate", gate)):
        print(f"{series:>7} {name:<7} {took.wall:>7.3f} {took.cpu:>7.3f} {megabytes / took.wall:>6.0f} "
              f"{took.peak / 1e6:>8.0f} {megabytes:>7.0f}", flush=True)
    return gate


if __name__ == "__main__":
    sys.exit(main())
