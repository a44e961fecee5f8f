#include "support/team.hpp"

#include <pthread.h>

#include <string>

namespace bindgate {

Team::Team(unsigned size, const char* name) {
  try {
    for (unsigned member = 1; member < size; ++member) {
      helpers_.emplace_back([this, member] { help(member); });
      const std::string title = std::string(name).substr(0, 9) + "-" + std::to_string(member);
      pthread_setname_np(helpers_.back().native_handle(), title.substr(0, 15).c_str());
    }
  } catch (...) {
    end();
    throw;
  }
}

Team::~Team() { end(); }

void Team::run(const std::function<void(unsigned)>& work) {
  if (helpers_.empty()) return work(0);
  work_ = &work;
  busy_ = static_cast<std::uint32_t>(helpers_.size());
  ++started_;
  started_.notify_all();
  work(0);
  for (std::uint32_t left = busy_; left != 0; left = busy_) busy_.wait(left);
}

void Team::help(unsigned member) {
  for (std::uint32_t done = 0;; ++done) {
    started_.wait(done);
    if (!work_) return;
    (*work_)(member);
    if (--busy_ == 0) busy_.notify_one();
  }
}

void Team::end() {
  work_ = nullptr;
  ++started_;
  started_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

}  // namespace bindgate
