#pragma once
// One function per subcommand: from its options to its exit status. Each is one file here and wires the rooms
// together; an error is always the user's to mend and ends with status 2.

#include "cli/console.hpp"
#include "cli/arguments.hpp"
#include "core/error.hpp"

namespace bindgate {

[[nodiscard]] Result<int> list_command(const ListArguments& arguments, const Console& console);
[[nodiscard]] Result<int> topology_command(const TopologyArguments& arguments, const Console& console);
[[nodiscard]] Result<int> variants_command(const VariantsArguments& arguments, const Console& console);
[[nodiscard]] Result<int> run_command(const RunArguments& arguments, const Console& console);
[[nodiscard]] Result<int> show_command(const ShowArguments& arguments, const Console& console);
[[nodiscard]] Result<int> accept_command(const AcceptArguments& arguments, const Console& console);
[[nodiscard]] Result<int> gate_command(const GateArguments& arguments, const Console& console);
[[nodiscard]] Result<int> verify_command(const VerifyArguments& arguments, const Console& console);

}  // namespace bindgate
