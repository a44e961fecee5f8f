#include "topology/comparison.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "core/units.hpp"

namespace bindgate {
namespace {

// One thing that can be told of something: "had 8.00 GiB", "is on node 1".
struct Fact {
  const char *verb_then, *verb_now;
  std::string value;  // "" where it is not told
  double amount = 0;  // of facts that may vary a little from boot to boot, else 0
};

struct Thing {
  std::string what;  // who it is: "device 0000:81:00.0"
  std::string label;  // the same with what a reader wants to know of it: "device 0000:81:00.0 (gpu)"
  std::vector<Fact> facts;
};

std::string cpus_text(const IndexSet& set) {
  return set.empty() ? "no CPUs" : (set.size() == 1 ? "CPU " : "CPUs ") + set.list();
}

std::string id_text(const char* thing, const std::optional<unsigned>& id) {
  return id ? std::string(thing) + ' ' + std::to_string(*id) : std::string("no known ") + thing;
}

Fact has(std::string value) { return {"had", "has", std::move(value)}; }
Fact is(std::string value) { return {"was", "is", std::move(value)}; }

// Kernels keep a part of the memory, and not the same from boot to boot.
bool same(const Fact& a, const Fact& b) {
  constexpr double share_that_varies = 0.01;
  if (a.value.empty() || b.value.empty()) return true;
  const double larger = std::max(a.amount, b.amount), smaller = std::min(a.amount, b.amount);
  return larger > 0 ? larger - smaller <= share_that_varies * larger : a.value == b.value;
}

std::string facts_text(const Thing& thing) {
  std::string text;
  for (const Fact& fact : thing.facts)
    if (!fact.value.empty()) text += (text.empty() ? "" : ", ") + fact.value;
  return text;
}

// Two devices may be said to have one address: who comes first among them is no difference.
using Key = std::pair<std::string, std::size_t>;  // who it is, and the how many of that name
std::vector<std::pair<Key, const Thing*>> told_apart(const std::vector<Thing>& things) {
  std::vector<std::pair<Key, const Thing*>> keyed;
  for (const Thing& thing : things) {
    const auto comes_before = [&](const Thing& other) {
      return other.what == thing.what &&
             std::pair(facts_text(other), &other) < std::pair(facts_text(thing), &thing);
    };
    const auto position = std::count_if(things.begin(), things.end(), comes_before);
    keyed.push_back({{thing.what, static_cast<std::size_t>(position)}, &thing});
  }
  return keyed;
}

void compare_things(const std::vector<Thing>& then, const std::vector<Thing>& now,
                    std::vector<MachineDifference>& differences) {
  std::map<Key, const Thing*> left;
  for (const auto& [key, thing] : told_apart(now)) left[key] = thing;
  for (const auto& [key, before] : told_apart(then)) {
    const Thing& old = *before;
    const auto found = left.find(key);
    if (found == left.end()) {
      const std::string facts = facts_text(old);
      differences.push_back({old.what, facts, "", old.label + " was there (" + facts + "), is gone"});
      continue;
    }
    const Thing& fresh = *found->second;
    left.erase(found);
    for (std::size_t i = 0; i < old.facts.size(); ++i) {
      const Fact &a = old.facts[i], &b = fresh.facts[i];
      if (!same(a, b))
        differences.push_back({old.what, a.value, b.value, fresh.label + ' ' + a.verb_then + ' ' + a.value + ", " +
                                                               b.verb_now + ' ' + b.value});
    }
  }
  for (const auto& [key, fresh] : told_apart(now))
    if (left.contains(key))
      differences.push_back({fresh->what, "", facts_text(*fresh), fresh->label + " is new (" + facts_text(*fresh) + ')'});
}

std::string speed_text(const std::optional<std::uint64_t>& value, const char* unit) {
  return value ? std::to_string(*value) + unit : "";
}

std::vector<Thing> things_of(const Machine& machine, const std::string& key) {
  std::vector<Thing> things;
  const auto add = [&things](const std::string& what, std::vector<Fact> facts, const std::string& more = "") {
    things.push_back({what, what + more, std::move(facts)});
  };
  if (key == "packages")
    for (const Package& one : machine.packages) add("package " + std::to_string(one.id), {has(cpus_text(one.cpus))});
  if (key == "dies")
    for (const Die& one : machine.dies)
      add("die " + (one.package ? std::to_string(*one.package) + '.' : "") + std::to_string(one.id),
          {has(cpus_text(one.cpus))});
  if (key == "nodes")
    for (const Node& one : machine.nodes) {
      const auto bytes = static_cast<double>(one.memory_bytes);
      add("node " + std::to_string(one.id),
          {{"had", "has", format_bytes(bytes), bytes},
           has(cpus_text(one.cpus)),
           is(one.kind == "unknown" ? "" : one.kind),
           has(speed_text(one.bandwidth_mib_s, " MiB/s")),
           has(speed_text(one.latency_ns, " ns of latency"))});
    }
  if (key == "cores")
    for (const Core& one : machine.cores)
      add("core of CPU " + std::to_string(one.cpus.first().value_or(0)),
          {has(cpus_text(one.cpus)), {"was in", "is in", id_text("package", one.package)},
           {"was at", "is at", one.nodes.empty() ? "no node" : "node " + one.nodes.list()},
           {"was at", "is at", id_text("L3", one.l3)}, is(one.kind)});
  if (key == "l3")
    for (const L3Cache& one : machine.l3)
      add("L3 " + std::to_string(one.id), {has(format_bytes(one.bytes)), has(cpus_text(one.cpus))});
  if (key == "clusters")
    for (const Cluster& one : machine.clusters) add("cluster " + std::to_string(one.id), {has(cpus_text(one.cpus))});
  if (key == "devices")
    for (const Device& one : machine.devices)
      add("device " + one.pci, {{"was on", "is on", id_text("node", one.node)}, is(one.name)}, " (" + one.kind + ')');
  return things;
}

void compare_set(const std::string& what, const IndexSet& then, const IndexSet& now,
                 std::vector<MachineDifference>& differences) {
  if (then == now) return;
  const auto text = [](const IndexSet& set) { return set.empty() ? std::string("none") : set.list(); };
  std::string change;
  if (const IndexSet gone = then - now; !gone.empty()) change = "without " + gone.list();
  if (const IndexSet fresh = now - then; !fresh.empty())
    change += (change.empty() ? "with " : ", with ") + fresh.list();
  differences.push_back({what, then.list(), now.list(),
                         what + " were " + text(then) + ", are " + text(now) + " (" + change + ')'});
}

void compare_text(const std::string& what, const std::string& then, const std::string& now,
                  std::vector<MachineDifference>& differences) {
  if (then != now) differences.push_back({what, then, now, what + " was " + then + ", is " + now});
}

std::string quota_text(const std::optional<double>& quota) {
  if (!quota) return "none";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f CPUs", *quota);
  return text;
}

std::map<std::pair<unsigned, unsigned>, std::uint64_t> distances_by_id(const Machine& machine) {
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> distances;
  for (std::size_t i = 0; i < machine.distances.size(); ++i)
    for (std::size_t j = 0; j < machine.distances[i].size(); ++j)
      distances[{machine.nodes[i].id, machine.nodes[j].id}] = machine.distances[i][j];
  return distances;
}

void compare_distances(const Machine& then, const Machine& now, std::vector<MachineDifference>& differences) {
  const auto fresh = distances_by_id(now);
  for (const auto& [pair, distance] : distances_by_id(then))
    if (const auto found = fresh.find(pair); found != fresh.end() && found->second != distance)
      compare_text("distance from node " + std::to_string(pair.first) + " to node " + std::to_string(pair.second),
                   std::to_string(distance), std::to_string(found->second), differences);
}

void compare_findings(const Machine& then, const Machine& now, std::vector<MachineDifference>& differences) {
  const auto has_one = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  for (const std::string& finding : then.findings)
    if (!has_one(now.findings, finding)) differences.push_back({"finding", finding, "", "found no more: " + finding});
  for (const std::string& finding : now.findings)
    if (!has_one(then.findings, finding)) differences.push_back({"finding", "", finding, "found now: " + finding});
}

}  // namespace

MachineComparison compare(const MachineDocument& then, const MachineDocument& now) {
  MachineComparison result{then.fingerprint.id(), now.fingerprint.id(), {}, {}, {}, {}};
  const auto both_tell = [&result](const std::string& what, bool told_then, bool told_now) {
    if (told_then != told_now) (told_then ? result.untold_now : result.untold_then).push_back(what);
    return told_then && told_now;
  };
  const auto is_told = [](const std::string& value) { return !value.empty() && value != "unknown"; };
  auto fields = then.fingerprint.fields;
  for (const auto& [name, value] : now.fingerprint.fields) fields.emplace(name, "");
  for (const auto& [name, old] : fields) {
    const auto found = now.fingerprint.fields.find(name);
    const std::string fresh = found == now.fingerprint.fields.end() ? "" : found->second;
    if (both_tell(name, is_told(old), is_told(fresh)) && old != fresh)
      result.fingerprint_fields.push_back({name, old, fresh, name + ": " + old + " then, " + fresh + " now"});
  }

  const Machine &old = then.machine, &fresh = now.machine;
  auto& differences = result.differences;
  const auto compare_sets = [&](const char* what, const std::optional<IndexSet>& a, const std::optional<IndexSet>& b) {
    if (both_tell(what, a.has_value(), b.has_value())) compare_set(what, *a, *b, differences);
  };
  compare_set("allowed CPUs", old.allowed_cpus, fresh.allowed_cpus, differences);
  compare_set("allowed nodes", old.allowed_nodes, fresh.allowed_nodes, differences);
  compare_set("online CPUs", old.online, fresh.online, differences);
  compare_sets("offline CPUs", old.offline, fresh.offline);
  compare_sets("isolated CPUs", old.isolated, fresh.isolated);
  compare_sets("CPUs without a tick", old.no_tick, fresh.no_tick);
  if (both_tell("quota", then.told.contains("quota_cpus"), now.told.contains("quota_cpus")))
    compare_text("quota", quota_text(old.quota_cpus), quota_text(fresh.quota_cpus), differences);
  if (both_tell("hypervisor", !old.hypervisor.empty(), !fresh.hypervisor.empty()))
    compare_text("hypervisor", old.hypervisor, fresh.hypervisor, differences);
  for (const char* key : {"packages", "dies", "nodes", "l3", "clusters", "cores", "devices"})
    if (both_tell(key, then.told.contains(key), now.told.contains(key)))
      compare_things(things_of(old, key), things_of(fresh, key), differences);
  const bool several = old.nodes.size() > 1 && fresh.nodes.size() > 1;
  if (several && both_tell("distances", !old.distances.empty(), !fresh.distances.empty()))
    compare_distances(old, fresh, differences);
  compare_findings(old, fresh, differences);
  return result;
}

}  // namespace bindgate
