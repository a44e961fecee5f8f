#include <sys/utsname.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "core/files.hpp"
#include "topology/hypervisor.hpp"
#include "topology/machine.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

// "always [madvise] never" -> "madvise"
std::string chosen(const std::string& line) {
  const auto open = line.find('['), close = line.find(']', open);
  return open == std::string::npos || close == std::string::npos ? line : line.substr(open + 1, close - open - 1);
}

}  // namespace

std::map<std::string, std::string> read_environment() {
  const fs::path root = "/";
  std::map<std::string, std::string> environment;
  const auto tell = [&environment](const std::string& name, const std::string& value) {
    if (!value.empty()) environment[name] = value;
  };
  const fs::path cpu = root / "sys/devices/system/cpu";
  const fs::path huge_pages = root / "sys/kernel/mm/transparent_hugepage";
  tell("kernel", read_line_of(root / "proc/sys/kernel/osrelease"));
  tell("governor", read_line_of(cpu / "cpu0/cpufreq/scaling_governor"));
  tell("frequency_driver", read_line_of(cpu / "cpu0/cpufreq/scaling_driver"));
  tell("boost", read_line_of(cpu / "cpufreq/boost"));
  tell("no_turbo", read_line_of(cpu / "intel_pstate/no_turbo"));
  tell("huge_pages", chosen(read_line_of(huge_pages / "enabled")));
  tell("huge_pages_defrag", chosen(read_line_of(huge_pages / "defrag")));
  tell("numa_balancing", read_line_of(root / "proc/sys/kernel/numa_balancing"));
  tell("microcode", cpuinfo(root, "microcode"));
  tell("smt", read_line_of(cpu / "smt/control"));
  tell("isolated_cpus", read_line_of(cpu / "isolated"));
  tell("hypervisor", has_hypervisor_flag(root) ? "yes" : "no");
  const std::string hypervisor = hypervisor_of(root);
  tell("virtualisation", hypervisor.empty() ? "none" : hypervisor);
  std::istringstream boot(read_line_of(root / "proc/cmdline"));
  for (std::string word; boot >> word;)
    for (const std::string_view option : {"isolcpus", "nohz_full", "rcu_nocbs", "mitigations", "maxcpus", "nosmt"})
      if (word == option || word.starts_with(std::string(option) + '='))
        tell("boot_" + std::string(option), word == option ? "on" : word.substr(option.size() + 1));
  return environment;
}

}  // namespace bindgate
