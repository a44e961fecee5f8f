#include <algorithm>
#include <string_view>

#include "binding/variants.hpp"

namespace bindgate {
namespace {

// "0x" and hexadecimal digits of any number, the lowest id in the last bit.
std::string hexadecimal_mask(const IndexSet& set) {
  const std::size_t digits = set.last().value_or(0) / 4 + 1;
  std::string text(digits, '0');
  std::vector<unsigned> values(digits, 0);
  for (const unsigned id : set) values[id / 4] |= 1u << (id % 4);
  for (std::size_t i = 0; i < digits; ++i) text[digits - 1 - i] = "0123456789abcdef"[values[i]];
  return "0x" + text;
}

// A word as a POSIX shell reads it back; plain letters stay as they are, so that most lines need no quotes.
std::string quoted(const std::string& word) {
  static constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
  const auto is_plain = [](char c) { return plain.find(c) != std::string_view::npos; };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (const char c : word)
    if (c == '\'') text += "'\\''";  // no escape exists within single quotes: end them, quote this one, begin again
    else text += c;
  return text + '\'';
}

}  // namespace

std::map<std::string, std::string> launch_lines(const Placement& placement, const Machine& machine, bool at_once) {
  std::string environment;
  for (const auto& [name, value] : placement.environment) environment += quoted(name) + '=' + quoted(value) + ' ';
  // A program makes as many threads as it has CPUs, unless it is told otherwise.
  if (placement.threads != placement.cpus.size() && !placement.environment.contains("OMP_NUM_THREADS"))
    environment += "OMP_NUM_THREADS=" + std::to_string(placement.threads) + ' ';
  if (!environment.empty()) environment = "env " + environment;

  const Memory& memory = placement.memory;
  const std::string cpus = placement.cpus.list(), nodes = memory.nodes.list();
  std::map<std::string, std::string> lines;
  if (!placement.workers.empty()) return lines;  // each binds a process and all that it starts alike
  const std::string numactl = environment + "numactl --physcpubind=" + cpus;
  // A number of CPUs beside --overlap would leave a rank those of Slurm's choice, and its mask outside of them.
  const std::string share =
      at_once ? "--overlap" : "--exclusive --cpus-per-task=" + std::to_string(placement.cpus.size());
  const std::string srun =
      environment + "srun --ntasks=1 " + share + " --cpu-bind=mask_cpu:" + hexadecimal_mask(placement.cpus);
  switch (memory.policy) {
    case MemoryPolicy::default_policy:
      lines["taskset"] = environment + "taskset --cpu-list " + cpus;
      lines["numactl"] = numactl;
      lines["srun"] = srun;
      break;
    case MemoryPolicy::bind:
      lines["numactl"] = numactl + " --membind=" + nodes;
      lines["srun"] = srun + " --mem-bind=mask_mem:" + hexadecimal_mask(memory.nodes);
      break;
    case MemoryPolicy::preferred:
      lines["numactl"] = numactl + " --preferred=" + nodes;
      lines["srun"] = srun + " --mem-bind=prefer,mask_mem:" + hexadecimal_mask(memory.nodes);
      break;
    // Slurm's local binds to the nodes of the CPUs; the policy falls back to others when these are full.
    case MemoryPolicy::local: lines["numactl"] = numactl + " --localalloc"; break;
    case MemoryPolicy::preferred_many: lines["numactl"] = numactl + " --preferred-many=" + nodes; break;
    case MemoryPolicy::weighted_interleave: lines["numactl"] = numactl + " --weighted-interleave=" + nodes; break;
    case MemoryPolicy::interleave: lines["numactl"] = numactl + " --interleave=" + nodes; break;
  }
  if (!why_no_srun(machine).empty()) lines.erase("srun");
  return lines;
}

std::string why_no_srun(const Machine& machine) {
  if (machine.allowed_cpus == machine.online) return "";
  return "only " + cpus_text(machine.allowed_cpus) + " of " + machine.online.list() +
         " may be used, and Slurm counts those that a job was given from 0: the same numbers would mean others";
}

}  // namespace bindgate
