#!/usr/bin/env python3
"""Holds the source tree to the architecture that harness/CMakeLists.txt declares.

    architecture.py ROOT    prints one line per offence; exits 1 if there is any
"""

import re
import sys
from pathlib import Path

SOURCE_SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}
LONGEST_FILE = 400
DRAWERS = re.compile(r"(^|_)(utils?|helpers?|common|misc)(_|$)")
BENCH_MAY_USE = {"core", "samples"}


def rooms(root):
    """Room -> the rooms it may use, in the order of declaration."""
    text = re.sub(r"#[^\n]*", "", (root / "harness/CMakeLists.txt").read_text())
    declared = {}
    for call in re.findall(r"^harness_module\(([^)]*)\)", text, re.MULTILINE):
        words = call.split()
        uses = []
        if "USES" in words:
            for word in words[words.index("USES") + 1 :]:
                if word in ("SOURCES", "LIBRARIES"):
                    break
                uses.append(word)
        declared[words[0]] = uses
    return declared


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.match(r'\s*#\s*include\s*["<]([a-z_]+)/', line):
            yield number, match.group(1)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCE_SUFFIXES)


def offences(root):
    allowed = rooms(root)
    for room, uses in allowed.items():
        for path in sources(root / "harness" / room):
            for number, used in includes(path):
                if used in allowed and used != room and used not in uses:
                    yield f"{path.relative_to(root)}:{number}: room '{room}' may not use '{used}'"
    for folder in sorted(p.name for p in (root / "harness").iterdir() if p.is_dir()):
        if folder not in allowed:
            yield f"harness/{folder}: no room of this name is declared in harness/CMakeLists.txt"
    for path in sources(root / "bench"):
        for number, used in includes(path):
            if used in allowed and used not in BENCH_MAY_USE:
                yield f"{path.relative_to(root)}:{number}: bench may use core and samples, not '{used}'"
    for folder in ("harness", "bench"):
        for path in sources(root / folder):
            lines = len(path.read_text().splitlines())
            if lines > LONGEST_FILE:
                yield f"{path.relative_to(root)}: {lines} lines; more than {LONGEST_FILE} want to be two files"
            if DRAWERS.search(path.stem):
                yield f"{path.relative_to(root)}: name the idea, not the drawer"
    for folder in ("bench", "harness", "baselines", "ci", "reports", "tests"):
        if not (root / folder / "README.md").is_file():
            yield f"{folder}: has no README.md that says what lives there"


def main():
    found = list(offences(Path(sys.argv[1])))
    print("\n".join(found) if found else "the source tree keeps to its architecture")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
