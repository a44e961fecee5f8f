#!/usr/bin/env python3
"""What part of a run's wall time measures, and where the rest goes.

    measuring_share.py RUN_JSON      what `bindgate run --json` wrote

Measuring is warm-up, reference readings, lead-in and timed blocks. Exit status: 0 when it is 70 % or more, else 1.
"""

import json
import sys
from pathlib import Path

LEAST = 0.70
MEASURING = ("warm_up", "readings", "lead_in", "blocks")

spent = json.loads(Path(sys.argv[1]).read_text())["spent"]
wall = spent.pop("wall")
if wall <= 0:
    sys.exit(f"{sys.argv[1]}: no round was completed, so nothing is known of its time")
share = sum(spent[name] for name in MEASURING) / wall
print(f"measuring: {share:.1%} of {wall:.0f} s (goal at least {LEAST:.0%}): {'met' if share >= LEAST else 'NOT MET'}")
for name, seconds in sorted(spent.items(), key=lambda part: -part[1]):
    print(f"    {name:<10} {seconds / wall:6.1%}" + ("  measuring" if name in MEASURING else ""))
print(f"    {'rest':<10} {1 - sum(spent.values()) / wall:6.1%}")
sys.exit(share < LEAST)
