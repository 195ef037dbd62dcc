// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_TESTS_UNIT_NTFF_FULL_DISK_HPP
#define NDTEL_TESTS_UNIT_NTFF_FULL_DISK_HPP

#include <signal.h>
#include <sys/resource.h>

namespace ndtel::ntff::test {

/// While this lives no file of the process grows beyond `bytes`.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : signal_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  sighandler_t signal_;
  rlimit before_{};
};

}  // namespace ndtel::ntff::test

#endif  // NDTEL_TESTS_UNIT_NTFF_FULL_DISK_HPP
