#include <csignal>
#include <cstdio>

#include "cli/commands.hpp"

namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace

int main(int count, char** words) {
  using namespace bindgate;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves early must not kill a run; writes report it
  const auto parsed = parse_command_line(count, words);
  if (const auto* end = std::get_if<ParsingEnd>(&parsed)) {
    std::fputs(end->text.c_str(), end->exit == 0 ? stdout : stderr);
    return end->exit;
  }
  const CommandLine& line = std::get<CommandLine>(parsed);
  const Console console(line.json, line.quiet);
  const Result<int> status = std::visit(
      Overloaded{[&](const ListArguments& arguments) { return list_command(arguments, console); },
                 [&](const TopologyArguments& arguments) { return topology_command(arguments, console); },
                 [&](const VariantsArguments& arguments) { return variants_command(arguments, console); },
                 [&](const RunArguments& arguments) { return run_command(arguments, console); },
                 [&](const ShowArguments& arguments) { return show_command(arguments, console); },
                 [&](const AcceptArguments& arguments) { return accept_command(arguments, console); },
                 [&](const GateArguments& arguments) { return gate_command(arguments, console); }},
      line.command);
  if (status) return *status;
  console.error(status.error().message);
  return 2;
}
