"""The machines of the lab: one entry each, data only."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """A memory node by its position. `cpus`: a range as "0-1", "" for none; `mib`: of memory, 0 for none."""

    cpus: str = ""
    mib: int = 1024


@dataclass(frozen=True)
class Guest:
    """`distances` holds what is not 20: {(from, to): distance}, both ways alike. `more`: further words for QEMU.
    `setup`: shell commands, run before the command and in its shell."""

    name: str
    meaning: str
    smp: str
    nodes: tuple
    distances: dict = None
    cpu: str = "max"
    machine: str = "q35"
    more: tuple = ()
    kernel_arguments: str = ""
    setup: str = ""

    def qemu_arguments(self):
        # erms=off: string instructions that kernel and libc would prefer are emulated byte by byte. la57=off: page
        # tables of five levels take longer to walk.
        words = ["-machine", self.machine, "-cpu", f"{self.cpu},erms=off,la57=off", "-smp", self.smp]
        words += ["-m", f"{sum(node.mib for node in self.nodes)}M"]
        for number, node in enumerate(self.nodes):
            parts = [f"node,nodeid={number}"]
            if node.cpus:
                parts.append(f"cpus={node.cpus}")
            if node.mib:
                words += ["-object", f"memory-backend-ram,id=memory{number},size={node.mib}M"]
                parts.append(f"memdev=memory{number}")
            words += ["-numa", ",".join(parts)]
        for (a, b), distance in (self.distances or {}).items():
            words += ["-numa", f"dist,src={a},dst={b},val={distance}", "-numa", f"dist,src={b},dst={a},val={distance}"]
        return words + list(self.more)


TWO_PACKAGES = "4,sockets=2,cores=2"
TWO_NODES = (Node("0-1"), Node("2-3"))
TWO_DISTANCES = {(0, 1): 21}

GUESTS = [
    Guest("two-nodes", "2 packages with 2 CPUs and 1 GiB each", TWO_PACKAGES, TWO_NODES, TWO_DISTANCES),
    Guest(
        "four-nodes",
        "2 packages of 2 dies, each die a node with 2 cores of 2 hardware threads",
        "16,sockets=2,dies=2,cores=2,threads=2",
        (Node("0-3", 512), Node("4-7", 512), Node("8-11", 512), Node("12-15", 512)),
        {(0, 1): 12, (2, 3): 12, (0, 2): 32, (0, 3): 32, (1, 2): 32, (1, 3): 32},
        cpu="max,vendor=GenuineIntel",  # Linux asks nobody else for dies
    ),
    Guest(
        "cpu-less",
        "a third node of memory only, as CXL memory is",
        TWO_PACKAGES,
        (*TWO_NODES, Node(mib=512)),
        {(0, 1): 21, (0, 2): 17, (1, 2): 28},
    ),
    Guest(
        "memory-less",
        "a second node of CPUs only",
        TWO_PACKAGES,
        (Node("0-1", 1536), Node("2-3", 0)),
        TWO_DISTANCES,
    ),
    Guest(
        "two-kinds",
        "one node of CPUs with ordinary memory, one of faster memory, told by ACPI's HMAT",
        "2",
        (Node("0-1", 1024), Node(mib=512)),
        {(0, 1): 15},
        machine="q35,hmat=on",
        more=(
            *("-numa", "hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-latency,latency=100"),
            *("-numa", "hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-bandwidth,bandwidth=100G"),
            *("-numa", "hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-latency,latency=120"),
            *("-numa", "hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-bandwidth,bandwidth=400G"),
        ),
    ),
    Guest("offline", "CPU 1 is switched off", TWO_PACKAGES, TWO_NODES, TWO_DISTANCES,
          setup="echo 0 > /sys/devices/system/cpu/cpu1/online"),
    Guest("maxcpus", "only CPUs 0-2 are started", TWO_PACKAGES, TWO_NODES, TWO_DISTANCES, kernel_arguments="maxcpus=3"),
    Guest(
        "cpuset",
        "a control group allows CPUs 1-2 and node 1",
        TWO_PACKAGES,
        TWO_NODES,
        TWO_DISTANCES,
        setup="""cd /sys/fs/cgroup && echo +cpuset > cgroup.subtree_control && mkdir part && cd part &&
                 echo 1-2 > cpuset.cpus && echo 1 > cpuset.mems && echo $$ > cgroup.procs; cd - > /dev/null""",
    ),
    Guest(
        "quota",
        "a control group has the time of one and a half CPUs",
        TWO_PACKAGES,
        TWO_NODES,
        TWO_DISTANCES,
        setup="""cd /sys/fs/cgroup && echo +cpu > cgroup.subtree_control && mkdir -p part/inner && cd part &&
                 echo '150000 100000' > cpu.max && echo +cpu > cgroup.subtree_control && echo $$ > inner/cgroup.procs
                 cd - > /dev/null""",
    ),
    Guest(
        "devices",
        "stand-ins for GPUs: one of node 1, one of which nobody says where it is",
        TWO_PACKAGES,
        TWO_NODES,
        TWO_DISTANCES,
        more=(
            *("-device", "pxb-pcie,id=bridge,bus=pcie.0,bus_nr=128,numa_node=1"),
            *("-device", "pcie-root-port,id=behind,bus=bridge,chassis=1"),
            *("-device", "bochs-display,bus=behind"),
            *("-device", "bochs-display,bus=pcie.0"),
        ),
    ),
    Guest("fake", "one node that the kernel cuts in two: both list all CPUs", "4", (Node("0-3", 2048),),
          kernel_arguments="numa=fake=2"),
    Guest(
        "sparse",
        "nodes 0 and 2: node 1 has but one CPU, and the kernel is told to leave that alone",
        "5,sockets=5",
        (Node("0-1"), Node("2", 0), Node("3-4")),
        kernel_arguments="disable_cpu_apicid=2",
    ),
    Guest(
        "balancing",
        "the kernel moves pages to who uses them, and looks often",
        TWO_PACKAGES,
        TWO_NODES,
        TWO_DISTANCES,
        kernel_arguments="numa_balancing=enable",
        setup="""mount -t debugfs debugfs /sys/kernel/debug
                 for setting in scan_delay_ms=10 scan_period_min_ms=10 scan_period_max_ms=20 scan_size_mb=256; do
                   echo "${setting#*=}" > "/sys/kernel/debug/sched/numa_balancing/${setting%=*}"
                 done""",
    ),
    Guest(
        "small-node",
        "the node with most CPUs has little memory",
        "4,sockets=4",
        (Node("0", 1536), Node("1-3", 192)),
        TWO_DISTANCES,
    ),
]


def guest_named(name):
    for guest in GUESTS:
        if guest.name == name:
            return guest
    raise KeyError(f"no guest '{name}'; known: {', '.join(guest.name for guest in GUESTS)}")
