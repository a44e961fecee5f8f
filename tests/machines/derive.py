"""Derives every described machine again, from hwloc's own programs and the kernel's files, and compares with the
golden files. It shares no code with bindgate: a mistake must be made twice, in two languages, to get past it.

    derive.py GOLDEN_FOLDER MACHINES_FOLDER...

Exits 1 on any disagreement, which names machine, variant, field and both values, and on golden files of no machine.
Where lstopo or a folder is missing it exits 77 (ctest: skipped), but with 1 where BINDGATE_REQUIRE_HWLOC or
BINDGATE_REQUIRE_TOPOLOGIES is set.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile

from golden_plans import plan_disagreements
from plans import plan
from told import Derived, machines_in, parse_list, run


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
    same("cores", sorted(map(sorted, derived.cores())),
         sorted(sorted(parse_list(one["cpus"])) for one in golden["cores"]))
    same("L3", sorted((sorted(derived.cpus(one)), int(one.get("cache_size"))) for one in derived.objects("L3Cache")),
         sorted((sorted(parse_list(one["cpus"])), one["bytes"]) for one in golden["l3"]))
    same("devices", derived.devices(nodes),
         sorted(((one["pci"], one["kind"], one["node"]) for one in golden["devices"]), key=lambda device: device[:2]))
    ids = [one["id"] for one in golden["nodes"]]
    same("distances", derived.distances(nodes),
         {(a, b): golden["distances"][i][j] for i, a in enumerate(ids) for j, b in enumerate(ids)}
         if golden["distances"] else {})
    same("CPU quota", derived.quota(), golden["quota_cpus"])
    dies = sorted(sorted(derived.cpus(one)) for one in derived.objects("Die"))
    if len(dies) > len(golden["packages"]):
        same("dies", dies, sorted(sorted(parse_list(one["cpus"])) for one in golden["dies"]))
    for key, told in (("offline", derived.offline()), ("isolated", derived.set_aside("isolated")),
                      ("nohz_full", derived.set_aside("nohz_full"))):
        same(key, told, None if golden[key] is None else parse_list(golden[key]))
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


COMPARISONS = {"topology": disagreements, "variants": lambda told, golden: plan_disagreements(*plan(told), golden)}


def without(what, required_by):
    """The exit status where something is missing."""
    print(what)
    return 1 if os.environ.get(required_by) else 77


def compared(folder, goldens):
    """(golden file, lines of disagreement) for both of each machine in a folder."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as unpacked:
        for name, source, root in machines_in(folder, pathlib.Path(unpacked)):
            told = Derived(source, root)
            for kind, compare in COMPARISONS.items():
                file = goldens / f"{name}.{kind}.json"
                yield file, compare(told, json.loads(file.read_text())) if file.exists() else [
                    "there is no golden file; BINDGATE_UPDATE_GOLDEN=1 writes it"]


def main():
    if not shutil.which("lstopo") or not shutil.which("hwloc-calc"):
        return without("lstopo or hwloc-calc is missing: install the package hwloc", "BINDGATE_REQUIRE_HWLOC")
    goldens, folders = pathlib.Path(sys.argv[1]), [pathlib.Path(one) for one in sys.argv[2:]]
    found = {file: lines for folder in folders if folder.is_dir() for file, lines in compared(folder, goldens)}
    missing = [str(folder) for folder in folders if not folder.is_dir()]
    if not missing:
        found.update({file: ["is of no machine any more"] for file in set(goldens.glob("*.json")) - set(found)})
    for file, lines in found.items():
        print(f"{file.name}: {'agrees' if not lines else 'DISAGREES'}")
        for line in lines:
            print(f"  {line}")
    if any(found.values()):
        return 1
    if missing:
        return without(f"{', '.join(missing)}: no such folder, so its machines are not compared; "
                       "-DBINDGATE_TOPOLOGIES=FOLDER names the one of real machines", "BINDGATE_REQUIRE_TOPOLOGIES")
    return 0


if __name__ == "__main__":
    sys.exit(main())
