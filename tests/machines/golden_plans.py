"""Compares golden plans with those that plans.py derives: every field, and that each launch line, read as its program
reads it, gives the same placement."""

import shlex

from told import parse_list

POLICIES = {"--membind": "bind", "--preferred": "preferred", "--interleave": "interleave"}


def bits(text):
    value = int(text, 16)
    return {bit for bit in range(value.bit_length()) if value >> bit & 1}


def read_placement(json):
    return {"cpus": parse_list(json["cpus"]), "memory": (json["memory"]["policy"], parse_list(json["memory"]["nodes"])),
            "threads": json["threads"], "workers": json.get("workers"), "environment": json.get("environment", {})}


def read_golden(variant):
    """The fields of a golden plan that is not skipped; of placements that it rotates with only the differences are in
    the file."""
    rotates = [read_placement({**variant, **other}) for other in variant.get("rotates", [])]
    return {"status": variant["status"], **read_placement(variant), "rotates": rotates,
            "same_as": variant.get("same_as"), "group": variant.get("group")}


def read_line(line):
    """(tool, CPUs, memory, environment) of a launch line; srun says in one word more whether it shares its node."""
    words = shlex.split(line)
    environment = {}
    if words[0] == "env":
        while "=" in words[1]:
            name, _, value = words.pop(1).partition("=")
            environment[name] = value
        words.pop(0)
    options = dict(word.split("=", 1) for word in words if "=" in word)
    policy, nodes = "default", set()
    for option, of_option in POLICIES.items():
        if option in options:
            policy, nodes = of_option, parse_list(options[option])
    if "--mem-bind" in options:
        kind = options["--mem-bind"].rpartition("mask_mem:")
        policy, nodes = {"": "bind", "prefer,": "preferred"}[kind[0]], bits(kind[2])
    tool = words[0]
    if tool == "srun":
        cpus = bits(options["--cpu-bind"].removeprefix("mask_cpu:"))
        # A number of CPUs makes Slurm choose them, and is of use only where it is all of them that a job has.
        alone = "--exclusive" in words and options.get("--cpus-per-task") == str(len(cpus))
        shares = "--overlap" in words and "--cpus-per-task" not in options
        tool += " alone" if alone else " shared" if shares else " unclear"
    else:
        cpus = parse_list(words[2] if words[:2] == ["taskset", "--cpu-list"] else options["--physcpubind"])
    return tool, cpus, (policy, nodes), environment


def expected_lines(planned, machine):
    environment = dict(planned["environment"])
    if planned["threads"] != len(planned["cpus"]):
        environment["OMP_NUM_THREADS"] = str(planned["threads"])
    policy = planned["memory"][0]
    # taskset knows no memory, Slurm no interleaving, and Slurm's numbers are those of the whole machine.
    tools = {"taskset": policy == "default", "numactl": True,
             "srun": policy != "interleave" and machine.cpus == machine.online}
    read_as = {"srun": "srun shared" if planned["group"] else "srun alone"}
    return {tool: (read_as.get(tool, tool), planned["cpus"], planned["memory"], environment)
            for tool, can in tools.items() if can}


def plan_disagreements(planned, machine, golden):
    """One line for each field of a variant that the golden file has otherwise."""
    lines = []

    def same(variant, field, expected, found):
        if expected != found:
            lines.append(f"{variant}: {field}: hwloc's programs and the rules give {expected}, "
                         f"the golden file has {found}")

    variants = {variant["name"]: variant for variant in golden["variants"]}
    same("all", "names", list(planned), [variant["name"] for variant in golden["variants"]])
    for name in filter(variants.get, planned):
        variant, expected = variants[name], planned[name]
        same(name, "status", expected["status"], variant["status"])
        same(name, "reason", expected["status"] == "skipped", bool(variant.get("reason")))
        if expected["status"] != "ok" or variant["status"] != "ok":
            continue
        found = read_golden(variant)
        for field, value in expected.items():
            same(name, field, value, found.get(field))
        launch = {tool: read_line(line) for tool, line in variant.get("launch", {}).items()}
        same(name, "launch lines", expected_lines(expected, machine), launch)
    return lines
