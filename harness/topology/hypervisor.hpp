#pragma once
// Whether a machine is a guest, and whose, from what the system's files or firmware say of it. No instruction is
// executed for it: the machine may be a description of another one.

#include <filesystem>
#include <string>

namespace bindgate {

/// "none", "wsl", the hypervisor's or its vendor's name, "a virtual machine, kind not told"; "" where nothing tells.
[[nodiscard]] std::string hypervisor_of(const std::filesystem::path& root);

/// The same from what an hwloc XML file keeps of it, which can never say "none".
[[nodiscard]] std::string hypervisor_of(const std::string& kernel_release, const std::string& vendor,
                                        const std::string& product);

/// Whether the first processor says that it is a virtual one. x86 only.
[[nodiscard]] bool has_hypervisor_flag(const std::filesystem::path& root);

}  // namespace bindgate
