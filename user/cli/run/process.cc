// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "../failure.hpp"

namespace ndtel::cli {
PrivateDirectory::PrivateDirectory() {
  const char* const tmp = ::getenv("TMPDIR");
  path_ = fmt::format("{}/ndtel-run-XXXXXX", tmp != nullptr && *tmp != '\0' ? tmp : "/tmp");
  if (::mkdtemp(path_.data()) == nullptr)
    throw Failure(Exit::kMissing,
                  fmt::format("{}: a directory for the socket cannot be made: {}; set TMPDIR to "
                              "one that can be written to",
                              path_, std::strerror(errno)));
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

Descriptor watch_process(pid_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) {
    const char* const name = ::sigabbrev_np(WTERMSIG(status));
    return name != nullptr ? fmt::format("was killed by SIG{}", name)
                           : fmt::format("was killed by signal {}", WTERMSIG(status));
  }
  return fmt::format("exited with {}", WEXITSTATUS(status));
}

std::uint64_t realtime_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace ndtel::cli
