"""What each built-in variant must be on a described machine, by its meaning (`bindgate variants --help`) and by the
rules of harness/binding/README.md, as sets computed from what told.py reads. Neither variants.json nor the language of
its expressions is used."""

import math
from collections import Counter
from dataclasses import dataclass, field

DEFAULT = ("default", frozenset())
WRAPPERS = ("taskset", "numactl", "hwloc-bind")


class Skipped(Exception):
    """This machine cannot have the variant."""


@dataclass
class Wish:
    """What one variant is: the placements [(CPUs, memory)] that fulfil it alike, of which the first is taken first."""

    name: str
    placements: list
    group: str = ""
    environment: dict = field(default_factory=dict)
    threads_per_cpu: int = 1


class Machine:
    """What may be planned on: nothing offline, nothing that is not allowed."""

    def __init__(self, told):
        self.told, self.all_nodes = told, told.nodes()
        self.online = told.online
        self.cpus, allowed_nodes = told.allowed(self.all_nodes)
        self.nodes = {node: cpus & self.cpus for node, (cpus, _) in sorted(self.all_nodes.items())}
        self.kinds_of_nodes = told.subtypes()
        # A description that tells no node's memory does not mean that there is none.
        silent = not any(memory for _, memory in self.all_nodes.values())
        self.spill = {node for node, (_, memory) in self.all_nodes.items()
                      if node in allowed_nodes and (memory or silent)}
        self.memory = {node for node in self.spill if not self.is_gpu(node)}
        self.distances, self.quota = told.distances(self.all_nodes), told.quota()
        self.cores = sorted((core & self.cpus for core in told.cores() if core & self.cpus), key=min)
        self.in_cores = set().union(*(told.cpus(one) for one in told.objects("Core")))
        self.whole_cores = [core for core in self.cores if core <= self.in_cores] or self.cores
        self.packages = self.by_first_cpu(told.by_id("Package").values())
        self.l3 = self.by_first_cpu(told.cpus(one) for one in told.objects("L3Cache"))
        kinds = told.efficient()
        self.has_kinds = len(kinds) > 1
        # A core whose threads are told to be of several kinds is of none.
        whole = [core & self.cpus for core in told.cores() if kinds and core <= kinds[-1]]
        self.performance = set().union(*whole)
        self.devices = {address: node for address, kind, node in told.devices(self.all_nodes) if kind != "other"}

    def first_of_each_core(self):
        """As hwloc-calc says, unless it counts CPUs that are not allowed or in no core."""
        by_hwloc = self.cpus == self.online and self.cpus <= self.in_cores
        return self.told.first_of_each_core() if by_hwloc else {min(core) for core in self.cores}

    def is_gpu(self, node):
        return self.kinds_of_nodes.get(node) == "GPUMemory"

    def nodes_of(self, cpus):
        return {node for node, own in self.nodes.items() if own & cpus}

    def farthest(self, near, among):
        """The lowest of those whose way from the nearest is longest."""
        if len(among) > 1 and not self.distances:
            raise Skipped("no distances are told")
        way = lambda node: min(self.distances.get((start, node), 0) for start in near)
        return max(sorted(among), key=way)

    def by_first_cpu(self, sets):
        return sorted((one & self.cpus for one in sets if one & self.cpus), key=min)

    def kinds_in(self, cpus):
        return Counter(cpu in self.performance for cpu in cpus)

    def alike(self, sets):
        """The widest, and those like it."""
        widest = max(sets, key=len, default=set())
        like = (len(widest), self.kinds_in(widest))
        return [one for one in sets if widest and (len(one), self.kinds_in(one)) == like]

    def in_turn(self, sets):
        """The first of each node, then the second of each."""
        of_node, turns = Counter(), []
        for one in sets:
            node = min(self.nodes_of({min(one)}), default=None)
            turns.append(of_node[node])
            of_node[node] += 1
        return [one for _, one in sorted(zip(turns, sets), key=lambda pair: pair[0])]

    def one_node(self):
        """The nodes that are alike: {node: CPUs}."""
        in_order = sorted((node for node, cpus in self.nodes.items() if cpus), key=lambda node: min(self.nodes[node]))
        homes = {node: self.nodes[node] for node in in_order if node in self.memory}
        for candidates in (homes, {node: self.nodes[node] for node in in_order}):
            alike = self.alike(list(candidates.values()))
            if alike:
                first = next(node for node, cpus in candidates.items() if cpus == alike[0])
                found = {node: cpus for node, cpus in candidates.items() if cpus in alike
                         and self.kinds_of_nodes.get(node) == self.kinds_of_nodes.get(first)}
                return found if candidates is homes else {first: self.nodes[first]}
        raise Skipped("no CPU is in a node")

    def bound_near(self, cpus):
        return ("bind", frozenset(some(self.nodes_of(cpus) & self.memory)))

    def share(self, which, count):
        """Whole cores, node after node, in equal shares; what is left over goes to the first."""
        order = sorted(self.cores, key=lambda core: (min(self.nodes_of({min(core)}), default=0), min(core)))
        sizes = [len(order) // count + (i < len(order) % count) for i in range(count)]
        start = sum(sizes[:which])
        return set().union(*order[start:start + sizes[which]])


def some(found):
    if not found:
        raise Skipped("nothing of it is here")
    return found


def simplest(machine, memory):
    """Where one node has all memory no policy matters; memory that takes turns on one node spills when it is full, as
    preferred memory does."""
    policy, nodes = memory
    if len(machine.spill) == 1 and set(nodes) == machine.spill:
        return DEFAULT
    return ("preferred", nodes) if policy == "interleave" and len(nodes) == 1 else memory


def remote(machine, node):
    return ("bind", frozenset({machine.farthest({node}, some(machine.memory - {node}))}))


def packed(machine):
    """As many CPUs as cores: all threads of the cores with most of them, the lowest first."""
    order = sorted(machine.cores, key=lambda core: (-len(core), min(core)))
    return set([cpu for core in order for cpu in sorted(core)][:len(order)])


def of_device(machine, node, away):
    cpus = some(machine.nodes.get(node))
    if away:
        near = machine.nodes_of(cpus)
        cpus = machine.nodes[machine.farthest(near, some(machine.nodes_of(machine.cpus) - near))]
    return [(cpus, machine.bound_near(cpus))]


def wishes(machine):
    """(name, a function that gives the placements or raises Skipped, what else the variant says)"""
    everything = frozenset(machine.memory)
    first_of_each = machine.first_of_each_core()
    close, spread = ({"OMP_PLACES": "cores", "OMP_PROC_BIND": how} for how in ("close", "spread"))
    all_cpus = lambda: [(machine.cpus, DEFAULT)]
    on_a_node = lambda memory: lambda: [(cpus, memory(node)) for node, cpus in machine.one_node().items()]
    home = lambda node: ("bind", frozenset(some({node} & machine.memory)))
    any_of = lambda sets: lambda: [(one, DEFAULT) for one in machine.in_turn(some(machine.alike(sets)))]
    fast = [core for core in machine.whole_cores if core & machine.performance] or machine.whole_cores
    alike_cores = [core for core in fast if bool(core & machine.performance) == bool(fast[0] & machine.performance)]

    yield "none", all_cpus, {}
    yield "taskset", on_a_node(lambda node: DEFAULT), {}
    yield "numactl", on_a_node(home), {}
    yield "remote", on_a_node(lambda node: home(node) and remote(machine, node)), {}
    yield "interleave", lambda: [(machine.cpus, ("interleave", some(everything)))], {}
    yield "one-per-core", lambda: [(first_of_each, DEFAULT)], {}
    yield "one-core", lambda: [({min(core)}, DEFAULT) for core in machine.in_turn(alike_cores)], {}
    yield "interleave-node", on_a_node(lambda node: ("interleave", some(everything))), {}
    yield "preferred", on_a_node(lambda node: ("preferred", home(node)[1])), {}
    yield "smt", lambda: [(packed(machine), DEFAULT)], {}
    yield "l3", any_of(machine.l3), {}
    yield "package", any_of(machine.packages), {}
    own = [node for node, cpus in machine.nodes.items() if cpus and not machine.is_gpu(node)]
    bound = lambda node, to: lambda: [(machine.nodes[node], ("bind", frozenset(some({to} & machine.spill))))]
    for node in own or [""]:
        yield f"each-node:{node}".rstrip(":"), bound(node, node) if own else lambda: some(own), {}
    yield "even-cpus", lambda: [({cpu for cpu in machine.cpus if cpu % 2 == 0}, DEFAULT)], {}
    yield "performance-cores", lambda: [(some(machine.has_kinds and machine.performance), DEFAULT)], {}
    yield "omp-close", all_cpus, {"environment": close}
    yield "omp-spread", all_cpus, {"environment": spread}
    yield "oversubscribed", all_cpus, {"threads_per_cpu": 2}
    pairs = [(node, to) for node in own for to in sorted(machine.memory)]
    for node, to in pairs:
        yield f"matrix:{node},{to}", bound(node, to), {}
    if not pairs:
        yield "matrix", lambda: some(pairs), {}
    for rank in range(2):
        yield f"ranks-together:{rank}", on_a_node(home), {"group": "ranks-together"}
    for rank in range(2):
        part = machine.share(rank, 2)
        apart = lambda part=part: [(some(part), machine.bound_near(part))]
        yield f"ranks-apart:{rank}", apart, {"group": "ranks-apart"}
    for family in ("device", "away-from"):
        for address, node in machine.devices.items():
            of_this = lambda node=node, away=family != "device": of_device(machine, node, away)
            yield f"{family}:{address}", of_this, {}
        if not machine.devices:
            yield family, lambda: some(machine.devices), {}
    for wrapper in WRAPPERS:  # what a program does is known only where it runs
        yield f"wrapper:{wrapper}", lambda: some([]), {}
    ends = sorted({min(machine.cpus), max(machine.cpus)})
    text = f"{ends[0]}-{ends[1]}" if ends[-1] - ends[0] == 1 else ",".join(map(str, ends))
    yield f"cpus:{text}", lambda: [(set(ends), DEFAULT)], {}


def one_wish(machine, name, placements, more):
    found = []
    for cpus, memory in placements:
        if not cpus:
            raise Skipped(name)
        placement = (frozenset(cpus), simplest(machine, memory))
        if placement not in found:
            found.append(placement)
    return Wish(name, [one for one in found if len(one[0]) == max(len(cpus) for cpus, _ in found)], **more)


def threads(machine, cpus, per_cpu):
    limit = len(cpus) if machine.quota is None else min(len(cpus), math.floor(machine.quota))
    return max(1, limit) * per_cpu


def plan(told):
    """({name: {field: value}}, the machine), in the order of the plan. A skipped variant has but its status."""
    machine = Machine(told)
    wanted, skipped_groups = {}, set()
    for name, placements, more in wishes(machine):
        try:
            wanted[name] = one_wish(machine, name, placements(), more)
        except Skipped:
            wanted[name] = None
            skipped_groups.add(more.get("group"))
    planned, earlier = {}, []
    for name, wish in wanted.items():
        if wish is None or (wish.group and wish.group in skipped_groups):
            planned[name] = {"status": "skipped"}
            continue
        rows = [{"cpus": set(cpus), "memory": (policy, set(nodes)), "environment": wish.environment, "workers": None,
                 "threads": threads(machine, cpus, wish.threads_per_cpu)} for cpus, (policy, nodes) in wish.placements]
        equal = next((other for other, of_other in earlier if of_other == rows and not wish.group), None)
        if equal is None and not wish.group:
            earlier.append((name, rows))
        planned[name] = {"status": "ok", **rows[0], "rotates": rows[1:], "same_as": equal, "group": wish.group or None}
    return planned, machine
