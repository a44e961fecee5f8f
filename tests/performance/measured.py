"""Programs timed from outside, and lines of figures held against limits."""

import os
import subprocess
import time
from dataclasses import dataclass


@dataclass
class Took:
    wall: float  # seconds
    cpu: float  # seconds of user and system, children's included
    peak: int  # bytes of memory resident at most
    status: int
    out: str


def take(*words):
    """Runs one command to its end."""
    start = time.monotonic()
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"})
    # The output of what is timed here fits a pipe's buffer or is read as it comes, so that nothing waits for us.
    out = process.stdout.read()
    err = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    if process.returncode not in (0, 1, 3, 4):
        raise SystemExit(f"{words}: exit {process.returncode}\n{err.decode()}")
    return Took(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, process.returncode, out.decode())


def best(repeats, *words):
    """The take with the least wall time: what else ran meanwhile only ever adds."""
    return min((take(*words) for _ in range(repeats)), key=lambda took: took.wall)


class Limits:
    """Prints each figure with its limit, and remembers whether all were met."""

    def __init__(self):
        self.all_met = True

    def hold(self, what, figure, limit, unit):
        met = figure <= limit
        self.all_met = self.all_met and met
        print(f"{what}: {figure:.3g} {unit}, at most {limit:g} {unit}: {'met' if met else 'NOT MET'}")
