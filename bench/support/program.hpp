#pragma once
// A bench program: its cases, and the two ways to start it. By hand it is a Google Benchmark program; with
// the harness's descriptors in the environment it is a partner in the conversation of bench/README.md.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "samples/protocol.hpp"
#include "support/measure.hpp"

namespace bindgate {

/// The author's function: sets up and calls measure().
using CaseBody = std::function<void(State&)>;

/// Compute threads to use: BINDGATE_THREADS, else every CPU that this process may run on.
/// Error: the variable is no number above 0.
[[nodiscard]] Result<unsigned> requested_threads();

class Program {
 public:
  /// `name` leads the names of all cases: "matmul".
  explicit Program(std::string name);

  /// Settings and libraries may be filled in until run().
  protocol::Hello& hello() { return hello_; }

  /// Throws std::logic_error when a case of that name is there.
  void add(CaseInfo info, CaseBody body);

  /// A line for --help about what this program alone understands.
  void explain(std::string line) { explanation_ = std::move(line); }

  /// The body of main; gives the exit status.
  [[nodiscard]] int run(int argc, char** argv, unsigned threads);

 private:
  int run_by_hand(int argc, char** argv, unsigned threads);
  void converse(Session& session, unsigned threads);
  [[nodiscard]] protocol::Reply begin(Session& session, const std::string& name, unsigned threads);

  protocol::Hello hello_;
  std::vector<CaseBody> bodies_;  // by position in hello_.cases
  std::vector<bool> served_;
  std::string explanation_;
};

}  // namespace bindgate
