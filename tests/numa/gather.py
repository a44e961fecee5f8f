#!/usr/bin/env python3
"""Packs what this machine's kernel tells of it into a root directory that `bindgate topology --from` and lstopo read.
Runs in a guest; `dump` calls it. hwloc-gather-topology takes more and starts a program for each file, which takes
minutes there. What varies from boot to boot is left out, and so are owners and times.

    gather.py NAME FILE.tar
"""

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

GLOBS = (
    "proc/cpuinfo",
    "proc/version",
    "proc/self/cgroup",
    "sys/devices/system/cpu/[a-z]*",
    "sys/devices/system/cpu/cpu*/online",
    "sys/devices/system/cpu/cpu*/topology/*",
    "sys/devices/system/cpu/cpu*/cache/index*/*",
    "sys/devices/system/node/[a-z]*",
    "sys/devices/system/node/node*/cpu*",
    "sys/devices/system/node/node*/distance",
    "sys/devices/system/node/node*/meminfo",
    "sys/devices/system/node/node*/access*/initiators/*",
    "sys/devices/system/node/node*/memory_side_cache/index*/*",
    "sys/fs/cgroup/**/cgroup.controllers",
    "sys/fs/cgroup/**/cpuset.*.effective",
    "sys/fs/cgroup/**/cpu.max",
    "sys/bus/pci/devices/*/*",
    "sys/class/dmi/id/sys_vendor",
    "sys/class/dmi/id/product_name",
)
PCI = {"class", "config", "device", "local_cpus", "numa_node", "revision", "subsystem_device", "subsystem_vendor", "vendor"}
VARYING = ("MemFree", "MemUsed", "Active", "Inactive", "bogomips", "cpu MHz")
NOT_OF_THE_MACHINE = ("uevent", "power", "probe", "release", "crash_hotplug")


def text_of(path):
    """What a file says, without lines that change; nothing where it is none or says nothing to readers."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError:
        return None
    return b"".join(line for line in lines if not any(word.encode() in line for word in VARYING))


def contents():
    """{path: content} of all that GLOBS name."""
    found = {}
    for glob in GLOBS:
        for path in Path("/").glob(glob):
            name = str(path.relative_to("/"))
            if path.is_file() and path.name not in NOT_OF_THE_MACHINE and ("/pci/" not in name or path.name in PCI):
                if (text := text_of(path)) is not None:
                    found[name] = text
            elif "/initiators/" in name and path.is_dir():
                found[f"{name}/.keep"] = b""  # that the node is there is what it tells
    found["proc/mounts"] = b"cgroup /sys/fs/cgroup cgroup2 rw 0 0\n"
    found["proc/self/mountinfo"] = b"1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n"
    return found


def nofile_info():
    """What hwloc asks the system and no file; it reads it back from /proc/hwloc-nofile-info."""
    path = Path("/tmp/nofile-info")
    settings = {**os.environ, "HWLOC_DUMP_NOFILE_INFO": str(path), "HWLOC_THISSYSTEM": "1"}
    subprocess.run(["lstopo-no-graphics", "-"], env=settings, capture_output=True, check=True)
    return path.read_bytes()


def main():
    name, target = sys.argv[1:]
    files = contents()
    files["proc/hwloc-nofile-info"] = nofile_info()
    with tarfile.open(target, "w") as tar:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


if __name__ == "__main__":
    main()
