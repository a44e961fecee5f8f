"""That derive.py can fail: golden files are falsified, one field at a time, and each must be found by its name.

    falsified_test.py GOLDEN_FOLDER
"""

import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from derive import disagreements
from golden_plans import plan_disagreements, read_line
from plans import plan
from told import Derived, machines_in

HERE = pathlib.Path(__file__).parent
MACHINES = {"2-packages-of-4-nodes", "one-node", "hybrid.xml", "gpu-memory.xml"}
OTHERWISE = {
    "status": lambda variant: "degraded" if variant["status"] == "ok" else "ok",
    "cpus": lambda variant: variant["cpus"] + ",4000",
    "memory": lambda variant: {**variant["memory"], "nodes": "7" if variant["memory"]["nodes"] != "7" else "6"},
    "threads": lambda variant: variant["threads"] + 1,
    "workers": lambda variant: "0",
    "environment": lambda variant: {**variant.get("environment", {}), "OMP_PLACES": "threads"},
    "rotates": lambda variant: variant.get("rotates", [])[:-1] or [{"cpus": "4000"}],
    "same_as": lambda variant: "oversubscribed",
    "group": lambda variant: "of-mine",
    "launch": lambda variant: {tool: line + ",4000" if tool == "taskset" else line.replace("cpubind=", "cpubind=4000,")
                               for tool, line in variant["launch"].items()},
    "reason": lambda variant: None,
}
NAMES_IN_LINES = {"launch": "launch lines"}


def derive(goldens, folder, **settings):
    done = subprocess.run([sys.executable, HERE / "derive.py", goldens, folder], capture_output=True, text=True,
                          env={**os.environ, **settings})
    return done.returncode, done.stdout


class Falsified(unittest.TestCase):
    goldens = None

    def machines(self):
        for name, source, root in machines_in(HERE, None):
            if name in MACHINES:
                yield name, Derived(source, root)

    def golden(self, name, kind):
        return json.loads((self.goldens / f"{name}.{kind}.json").read_text())

    def test_each_field_of_each_plan_is_compared(self):
        for name, told in self.machines():
            golden, derived = self.golden(name, "variants"), plan(told)
            self.assertEqual(plan_disagreements(*derived, golden), [], name)
            for position, variant in enumerate(golden["variants"]):
                of_skipped = variant["status"] == "skipped"
                for field in ("status", "reason") if of_skipped else set(OTHERWISE) - {"reason"}:
                    false = copy.deepcopy(golden)
                    false["variants"][position][field] = OTHERWISE[field](variant)
                    with self.subTest(machine=name, variant=variant["name"], field=field):
                        lines = plan_disagreements(*derived, false)
                        begins = f"{variant['name']}: {NAMES_IN_LINES.get(field, field)}: "
                        self.assertTrue(any(line.startswith(begins) for line in lines), lines)

    def test_a_launch_line_is_read_as_a_shell_reads_it(self):
        line = "env OMP_PLACES='{0,1},{2,3}' FOO='a b=c' taskset --cpu-list 0-1"
        environment = {"OMP_PLACES": "{0,1},{2,3}", "FOO": "a b=c"}
        self.assertEqual(read_line(line), ("taskset", {0, 1}, ("default", set()), environment))

    def test_a_variant_that_is_missing_or_in_another_place_is_found(self):
        name, told = next(self.machines())
        golden, derived = self.golden(name, "variants"), plan(told)
        last = golden["variants"].pop()
        self.assertTrue(plan_disagreements(*derived, golden))
        golden["variants"].insert(1, last)
        self.assertTrue(plan_disagreements(*derived, golden))

    def test_each_set_of_the_topology_is_compared(self):
        for name, told in self.machines():
            golden = self.golden(name, "topology")
            self.assertEqual(disagreements(told, golden), [], name)
            for key in ("packages", "nodes", "cores"):
                false = copy.deepcopy(golden)
                false[key][0]["cpus"] += ",4000"
                self.assertTrue(disagreements(told, false), f"{name}: {key}")
            others = {"online": "4000", "quota_cpus": 0.5, "allowed": {"cpus": "0", "nodes": "0"}, "l3": [],
                      "offline": "", "isolated": "", "nohz_full": ""}
            for key, value in others.items():
                self.assertTrue(disagreements(told, {**golden, key: value}), f"{name}: {key}")

    def test_the_program_names_machine_variant_field_and_both_values(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            lines = (HERE / "synthetic.txt").read_text().splitlines()
            (folder / "synthetic.txt").write_text(next(line for line in lines if line.startswith("one-node ")) + "\n")
            for kind in ("topology", "variants"):
                shutil.copy(self.goldens / f"one-node.{kind}.json", folder)
            self.assertEqual(derive(folder, folder),
                             (0, "one-node.topology.json: agrees\none-node.variants.json: agrees\n"))
            file = folder / "one-node.variants.json"
            whole = file.read_text()
            self.assertIn('"one-per-core","status":"ok","cpus":"0,2,4,6"', whole)
            file.write_text(whole.replace('"one-per-core","status":"ok","cpus":"0,2,4,6"',
                                          '"one-per-core","status":"ok","cpus":"0,2,4,7"'))
            status, output = derive(folder, folder)
            self.assertEqual(status, 1)
            self.assertIn("one-node.variants.json: DISAGREES\n  one-per-core: cpus: hwloc's programs and the rules "
                          "give {0, 2, 4, 6}, the golden file has {0, 2, 4, 7}\n", output)
            file.unlink()
            self.assertEqual(derive(folder, folder)[0], 1)
            file.write_text(whole)
            file.with_name("gone.topology.json").write_text("{}")
            status, output = derive(folder, folder)
            self.assertEqual(status, 1)
            self.assertIn("gone.topology.json: DISAGREES\n  is of no machine any more\n", output)

    def test_a_folder_that_is_missing_is_skipped_but_not_where_it_is_required(self):
        with tempfile.TemporaryDirectory() as empty:
            missing = pathlib.Path(empty) / "topologies"
            status, output = derive(empty, missing, BINDGATE_REQUIRE_TOPOLOGIES="")
            self.assertEqual(status, 77)
            self.assertIn("topologies: no such folder", output)
            self.assertIn("-DBINDGATE_TOPOLOGIES", output)
            self.assertEqual(derive(empty, missing, BINDGATE_REQUIRE_TOPOLOGIES="1")[0], 1)

    def test_without_hwloc_it_is_skipped_but_not_where_it_is_required(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(derive(empty, empty, PATH=empty, BINDGATE_REQUIRE_HWLOC="")[0], 77)
            self.assertEqual(derive(empty, empty, PATH=empty, BINDGATE_REQUIRE_HWLOC="1")[0], 1)


if __name__ == "__main__":
    if not shutil.which("lstopo"):
        print("lstopo is missing: install the package hwloc")
        sys.exit(1 if os.environ.get("BINDGATE_REQUIRE_HWLOC") else 77)
    Falsified.goldens = pathlib.Path(sys.argv.pop(1))
    unittest.main()
