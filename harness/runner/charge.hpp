#pragma once
// Adds the wall time of a scope to an account, so that a run can say where its time went.

#include <chrono>

namespace bindgate {

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Charge {
 public:
  /// `account`, in seconds, must outlive it.
  explicit Charge(double& account) : account_(account) {}
  ~Charge() { account_ += seconds_since(start_); }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

 private:
  double& account_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace bindgate
