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
        words = ["-machine", self.machine, "-cpu", self.cpu, "-smp", self.smp]
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


GUESTS = [
    Guest(
        "two-nodes",
        "2 packages with 2 CPUs and 1 GiB each",
        "4,sockets=2,cores=2",
        (Node("0-1"), Node("2-3")),
        {(0, 1): 21},
    ),
]


def guest_named(name):
    for guest in GUESTS:
        if guest.name == name:
            return guest
    raise KeyError(f"no guest '{name}'; known: {', '.join(guest.name for guest in GUESTS)}")
