#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
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

// A file opened later must not take the place of a standard stream that the caller closed: what is said would be
// written into it.
void fill_standard_streams() {
  for (int number = open("/dev/null", O_RDWR); number >= 0; number = open("/dev/null", O_RDWR))
    if (number > STDERR_FILENO) {
      close(number);
      return;
    }
}

}  // namespace

int main(int count, char** words) {
  using namespace bindgate;
  fill_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves early must not kill a run; writes report it
  const auto parsed = parse_command_line(count, words);
  if (const auto* end = std::get_if<ParsingEnd>(&parsed)) {
    std::fputs(end->text.c_str(), end->exit == 0 ? stdout : stderr);
    return end->exit;
  }
  const CommandLine& line = std::get<CommandLine>(parsed);
  const Console console(line.json, line.quiet);
  const Result<int> status =
      std::visit(Overloaded{[&](const ListArguments& arguments) { return list_command(arguments, console); },
                            [&](const TopologyArguments& arguments) { return topology_command(arguments, console); },
                            [&](const VariantsArguments& arguments) { return variants_command(arguments, console); },
                            [&](const RunArguments& arguments) { return run_command(arguments, console); },
                            [&](const ShowArguments& arguments) { return show_command(arguments, console); },
                            [&](const AcceptArguments& arguments) { return accept_command(arguments, console); },
                            [&](const GateArguments& arguments) { return gate_command(arguments, console); },
                            [&](const VerifyArguments& arguments) { return verify_command(arguments, console); }},
                 line.command);
  if (!status) {
    console.error(status.error().message);
    return 2;
  }
  if (const int error = console.write_error(); error != 0 && error != EPIPE) {
    console.error("standard output: " + describe_errno("write", error) + "; the result is not whole");
    return 2;
  }
  return *status;
}
