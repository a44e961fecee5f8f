// unprivileged COMMAND...: runs a command as container engines do by default, without the system calls of NUMA
// memory policies and of performance counters: each of them gives EPERM.

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr unsigned refused[] = {SYS_get_mempolicy, SYS_set_mempolicy, SYS_mbind,
                                SYS_migrate_pages, SYS_move_pages,    SYS_perf_event_open};

std::vector<sock_filter> filter() {
  std::vector<sock_filter> program{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)}};
  for (const unsigned call : refused) {
    program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call});
    program.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM});
  }
  program.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
  return program;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: unprivileged COMMAND [ARGUMENT...]\n");
    return 2;
  }
  std::vector<sock_filter> program = filter();
  const sock_fprog installed{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &installed) != 0) {
    std::perror("unprivileged: prctl");
    return 2;
  }
  execvp(words[1], words + 1);
  std::perror(words[1]);
  return 127;
}
