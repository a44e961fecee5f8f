"""Derives every described machine again, from hwloc's own programs and the kernel's files, and compares with the
golden files. It shares no code with bindgate: a mistake must be made twice, in two languages, to get past it.

    derive.py GOLDEN_FOLDER MACHINES_FOLDER...

Exits 77 (ctest: skipped) where lstopo is missing, 1 on any disagreement.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree

ENVIRONMENT = dict(os.environ, HWLOC_HIDE_ERRORS="2", HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES="1")
IO_TYPES = {"Bridge", "PCIDev", "OSDev", "Misc"}


def mask(text):
    """hwloc's "0x00000001,,0x3" as a set."""
    value = 0
    for word in (text or "0x0").split(","):
        value = value << 32 | int(word or "0", 16)
    return {bit for bit in range(value.bit_length()) if value >> bit & 1}


def parse_list(text):
    """Linux's "0-3,8" as a set."""
    ids = set()
    for part in filter(None, text.strip().split(",")):
        low, _, high = part.partition("-")
        ids.update(range(int(low), int(high or low) + 1))
    return ids


def read(path):
    try:
        return path.read_text().strip()
    except OSError:
        return None


def run(program, source, *arguments):
    command = [program, "-i", source, "--disallowed", *arguments]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


class Derived:
    """The sets of one machine. `root`: its sysfs root, or None."""

    def __init__(self, source, root):
        self.source, self.root = source, root
        self.tree = ElementTree.fromstring(run("lstopo", source, "--of", "xml", "-"))
        self.top = self.tree.find("object")
        self.parents = {child: parent for parent in self.tree.iter() for child in parent}
        self.online = mask(self.top.get("cpuset"))

    def objects(self, kind):
        return [one for one in self.top.iter("object") if one.get("type") == kind]

    def cpus(self, one):
        return mask(one.get("cpuset"))

    def by_id(self, kind):
        return {int(one.get("os_index")): self.cpus(one) for one in self.objects(kind)}

    def kernel_nodes(self):
        """What each node's own files say: {id: (CPUs, bytes)}; None where there are no such files."""
        nodes = {}
        for folder in (self.root / "sys/devices/system/node").glob("node[0-9]*") if self.root else []:
            cpulist, cpumap = read(folder / "cpulist"), read(folder / "cpumap")
            cpus = parse_list(cpulist) if cpulist is not None else mask(",".join("0x" + w for w in cpumap.split(",")))
            total = re.search(r"MemTotal:\s+(\d+) kB", read(folder / "meminfo") or "")
            nodes[int(folder.name[4:])] = (cpus & self.online, int(total.group(1)) * 1024 if total else 0)
        return nodes or None

    def nodes(self):
        told = self.kernel_nodes()
        if told is None:
            # The tree hangs CPU-less nodes beside those that have the CPUs: the smallest takes its CPUs first.
            ordinary = lambda one: one.get("subtype") in (None, "DRAM")
            order = sorted(self.objects("NUMANode"),
                           key=lambda one: (len(self.cpus(one)), not ordinary(one), int(one.get("os_index"))))
            told, taken = {}, set()
            for one in order:
                told[int(one.get("os_index"))] = (self.cpus(one) - taken, int(one.get("local_memory", "0")))
                taken |= self.cpus(one)
        claims = [cpu for cpus, _ in told.values() for cpu in cpus]
        twice = {cpu for cpu in claims if claims.count(cpu) > 1} if len(claims) > len(set(claims)) else set()
        return {node: (cpus - twice, memory) for node, (cpus, memory) in told.items()}

    def allowed(self, nodes):
        cpus, allowed = mask(self.top.get("allowed_cpuset")) & self.online, mask(self.top.get("allowed_nodeset"))
        # What hwloc left out of its tree cannot be in its sets; without a cpuset everything is allowed.
        return cpus, set(nodes) if allowed == mask(self.top.get("nodeset")) else allowed

    def cores(self):
        cores = [self.cpus(one) for one in self.objects("Core") if self.cpus(one)]
        covered = set().union(*cores) if cores else set()
        return cores + [{cpu} for cpu in self.online - covered]

    def efficient(self):
        """CPUs of each kind's rank, the weakest first; [] where all are alike or the ranks are not told."""
        kinds = [(int(kind.get("forced_efficiency", "-1")), mask(kind.get("cpuset")))
                 for kind in self.tree.findall("cpukind")]
        return [cpus for _, cpus in sorted(kinds, key=lambda kind: kind[0])]

    def devices(self, nodes):
        devices = {}
        for one in self.objects("PCIDev"):
            address = one.get("pci_busid")
            told = read(self.root / "sys/bus/pci/devices" / address / "numa_node") if self.root else None
            place = one
            while place.get("type") in IO_TYPES:
                place = self.parents[place]
            near = {node for node in mask(place.get("nodeset")) if nodes.get(node, (set(), 0))[0]}
            in_tree = near.pop() if place is not self.top and len(near) == 1 else None
            if told is None:
                devices[address] = in_tree
            else:
                known = int(told) in nodes and in_tree in (None, int(told))
                devices[address] = int(told) if known else None
        return devices


def disagreements(derived, golden):
    """One line for each set that the golden file has otherwise."""
    lines = []

    def same(what, expected, found):
        if expected != found:
            lines.append(f"{what}: hwloc's programs give {expected}, the golden file has {found}")

    nodes = derived.nodes()
    cpus, allowed_nodes = derived.allowed(nodes)
    same("online", derived.online, parse_list(golden["online"]))
    same("allowed CPUs", cpus, parse_list(golden["allowed"]["cpus"]))
    same("allowed nodes", allowed_nodes, parse_list(golden["allowed"]["nodes"]))
    same("packages", derived.by_id("Package"), {one["id"]: parse_list(one["cpus"]) for one in golden["packages"]})
    same("nodes", nodes, {one["id"]: (parse_list(one["cpus"]), one["memory_bytes"]) for one in golden["nodes"]})
    same("cores", sorted(map(sorted, derived.cores())), sorted(sorted(parse_list(one["cpus"])) for one in golden["cores"]))
    same("L3", sorted((sorted(derived.cpus(one)), int(one.get("cache_size"))) for one in derived.objects("L3Cache")),
         sorted((sorted(parse_list(one["cpus"])), one["bytes"]) for one in golden["l3"]))
    same("devices", derived.devices(nodes), {one["pci"]: one["node"] for one in golden["devices"]})
    dies = sorted(sorted(derived.cpus(one)) for one in derived.objects("Die"))
    if len(dies) > len(golden["packages"]):
        same("dies", dies, sorted(sorted(parse_list(one["cpus"])) for one in golden["dies"]))
    if derived.root and read(derived.root / "sys/devices/system/cpu/present"):
        present = parse_list(read(derived.root / "sys/devices/system/cpu/present"))
        same("offline", present - derived.online, parse_list(golden["offline"]))
    for core in golden["cores"]:
        of_core = parse_list(core["cpus"])
        same(f"package of core {core['cpus']}", [i for i, cpus in derived.by_id("Package").items() if of_core & cpus],
             [] if core["package"] is None else [core["package"]])
        own = {node for node, (cpus, _) in nodes.items() if cpus & of_core}
        if own:
            same(f"nodes of core {core['cpus']}", own, parse_list(core["nodes"]))
    kinds = derived.efficient()
    if len(kinds) > 1:
        best = {cpu for core in golden["cores"] if core["kind"] == "performance" for cpu in parse_list(core["cpus"])}
        whole = [core for core in derived.cores() if core <= kinds[-1]]  # not those with threads of several kinds
        same("performance cores", set().union(*whole), best)
    counted = run("hwloc-calc", derived.source, "--number-of", "core", "all").strip()
    if derived.objects("Core"):
        same("number of cores", int(counted), len([one for one in derived.objects("Core") if derived.cpus(one)]))
    return lines


def machines_in(folder, unpacked):
    """(name of the golden file, source for hwloc, sysfs root or None)"""
    for file in sorted(folder.iterdir()):
        if file.suffix == ".xml":
            yield file.name, str(file), None
        elif ".tar" in file.name:
            name = file.name[:file.name.index(".tar")]
            with tarfile.open(file) as archive:
                archive.extractall(unpacked / name)
            root = next((unpacked / name).iterdir())
            yield name, str(root), root
        elif file.name == "synthetic.txt":
            for line in file.read_text().splitlines():
                if not line.startswith("#"):
                    name, description = line.split(" ", 1)
                    yield name, description, None


def main():
    if not shutil.which("lstopo") or not shutil.which("hwloc-calc"):
        print("lstopo or hwloc-calc is missing: install the package hwloc")
        return 77
    goldens, folders = pathlib.Path(sys.argv[1]), [pathlib.Path(one) for one in sys.argv[2:]]
    failed = 0
    for folder in folders:
        if not folder.is_dir():
            print(f"{folder}: no such folder, so its machines are not compared")
            continue
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as unpacked:
            for name, source, root in machines_in(folder, pathlib.Path(unpacked)):
                file = goldens / f"{name}.topology.json"
                lines = (disagreements(Derived(source, root), json.loads(file.read_text())) if file.exists()
                         else ["has no golden file; BINDGATE_UPDATE_GOLDEN=1 writes it"])
                print(f"{name}: {'agrees' if not lines else 'DISAGREES'}")
                for line in lines:
                    print(f"  {line}")
                failed += bool(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
