"""What hwloc's own programs and the kernel's files tell of a described machine."""

import os
import re
import subprocess
import sys
import tarfile
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

    def first_of_each_core(self):
        return parse_list(run("hwloc-calc", self.source, "--intersect", "pu", "--physical-output", "core:all.pu:0"))

    def efficient(self):
        """CPUs of each kind's rank, the weakest first; [] where all are alike or the ranks are not told."""
        kinds = [(int(kind.get("forced_efficiency", "-1")), mask(kind.get("cpuset")))
                 for kind in self.tree.findall("cpukind")]
        return [cpus for _, cpus in sorted(kinds, key=lambda kind: kind[0])]

    def subtypes(self):
        return {int(one.get("os_index")): one.get("subtype") for one in self.objects("NUMANode")}

    def distances(self, nodes):
        """{(from, to): distance}; {} where they are not told of all nodes."""
        told = {}
        for node in nodes if self.root else []:
            row = read(self.root / f"sys/devices/system/node/node{node}/distance") or ""
            told.update({(node, other): int(distance) for other, distance in zip(sorted(nodes), row.split())})
        if not os.path.exists(self.source):  # hwloc's notation has none: what Linux takes where firmware tells none
            return {(a, b): 10 if a == b else 20 for a in nodes for b in nodes} if len(nodes) > 1 else {}
        for table in self.tree.findall("distances2") if not self.root else []:
            if table.get("type") == "NUMANode" and table.get("name") == "NUMALatency":
                ids = [int(one) for part in table.findall("indexes") for one in part.text.split()]
                values = [int(one) for part in table.findall("u64values") for one in part.text.split()]
                pairs = [(a, b) for a in ids for b in ids]
                told = dict(zip(pairs, values))
        whole = len(told) == len(nodes) ** 2 and len(set(told.values())) > 1  # equal figures tell nothing
        return told if whole else {}

    def quota(self):
        """CPUs' worth of time: the least that a control group (version 2) from this process's up to the root has."""
        group = re.search(r"^0::(.*)$", (read(self.root / "proc/self/cgroup") or "") if self.root else "", re.MULTILINE)
        if not group:
            return None
        folder, quotas = self.root / "sys/fs/cgroup", []
        for part in [""] + group.group(1).strip("/").split("/"):
            folder /= part
            time, _, period = (read(folder / "cpu.max") or "max 1").partition(" ")
            if time != "max":
                quotas.append(int(time) / int(period))
        return min(quotas, default=None)

    def offline(self):
        """CPUs that exist and are not online; None where a tree without the kernel's files may have lost them."""
        present = read(self.root / "sys/devices/system/cpu/present") if self.root else None
        if present:
            return parse_list(present) - self.online
        lost = not self.root and mask(self.top.get("allowed_cpuset")) & self.online == self.online
        return None if lost else mask(self.top.get("complete_cpuset")) - self.online

    def set_aside(self, name):
        """The kernel's list of that name, of CPUs that exist; None where there is none."""
        text = read(self.root / "sys/devices/system/cpu" / name) if self.root else None
        if text is None:
            return None
        none = not re.fullmatch(r"[\d,-]*", text)  # some kernels print "(null)"
        return set() if none else parse_list(text) & (self.online | self.offline())

    def kind_of_device(self, one):
        """By the first byte of the PCI class (02: network, 03: display), or by what the driver made of it: hwloc's
        types 1, 5 (GPUs), 2 and 3 (network, OpenFabrics)."""
        of_class, of_driver = {"02": "nic", "03": "gpu"}, {"1": "gpu", "5": "gpu", "2": "nic", "3": "nic"}
        made = [of_driver.get(driver.get("osdev_type")) for driver in one.findall("object")]
        return of_class.get(one.get("pci_type")[:2]) or next(filter(None, made), "other")

    def node_of_device(self, one, nodes):
        told = read(self.root / "sys/bus/pci/devices" / one.get("pci_busid") / "numa_node") if self.root else None
        place = one
        while place.get("type") in IO_TYPES:
            place = self.parents[place]
        near = {node for node in mask(place.get("nodeset")) if nodes.get(node, (set(), 0))[0]}
        in_tree = near.pop() if place is not self.top and len(near) == 1 else None
        if told is None:
            return in_tree
        return int(told) if int(told) in nodes and in_tree in (None, int(told)) else None

    def devices(self, nodes):
        """[(PCI address, kind, node or None)], sorted; of several with one address and different nodes none is told."""
        all_of = [(one.get("pci_busid"), self.kind_of_device(one), self.node_of_device(one, nodes))
                  for one in self.objects("PCIDev")]
        at = lambda address: {node for other, _, node in all_of if other == address and node is not None}
        return sorted(((address, kind, node if len(at(address)) == 1 else None) for address, kind, node in all_of),
                      key=lambda device: device[:2])


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
