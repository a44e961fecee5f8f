#include "topology/hypervisor.hpp"

#include <sstream>
#include <string_view>

#include "core/files.hpp"
#include "topology/system_files.hpp"

namespace bindgate {
namespace {

namespace fs = std::filesystem;

bool has_word(const std::string& text, std::string_view wanted) {
  std::istringstream stream(text);
  for (std::string word; stream >> word;)
    if (word == wanted) return true;
  return false;
}

bool is_wsl(std::string_view kernel_release) {
  return kernel_release.find("microsoft") != std::string_view::npos ||
         kernel_release.find("Microsoft") != std::string_view::npos;
}

// Vendors that make no hardware: where no processor flag tells, only these names do.
bool is_virtual(std::string_view vendor, std::string_view product) {
  for (const std::string_view known :
       {"QEMU", "VMware", "Xen", "innotek", "Parallels", "Bochs", "OpenStack", "KubeVirt"})
    if (vendor.starts_with(known)) return true;
  return product == "KVM" || product == "Virtual Machine" || product == "Google Compute Engine";
}

}  // namespace

bool has_hypervisor_flag(const fs::path& root) { return has_word(cpuinfo(root, "flags"), "hypervisor"); }

std::string hypervisor_of(const fs::path& root) {
  // A dump of a system has the second file rather than the first.
  if (is_wsl(read_line_of(root / "proc/sys/kernel/osrelease")) || is_wsl(read_line_of(root / "proc/version")))
    return "wsl";
  if (const std::string type = read_line_of(root / "sys/hypervisor/type"); !type.empty()) return type;
  const std::string vendor = read_line_of(root / "sys/class/dmi/id/sys_vendor");
  if (has_hypervisor_flag(root)) return vendor.empty() ? "a virtual machine, kind not told" : vendor;
  if (!cpuinfo(root, "flags").empty()) return "none";
  return hypervisor_of("", vendor, read_line_of(root / "sys/class/dmi/id/product_name"));
}

std::string hypervisor_of(const std::string& kernel_release, const std::string& vendor, const std::string& product) {
  if (is_wsl(kernel_release)) return "wsl";
  return is_virtual(vendor, product) ? vendor : "";
}

}  // namespace bindgate
