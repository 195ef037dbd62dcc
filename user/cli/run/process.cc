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
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include "../failure.hpp"

namespace ndtel::cli {
namespace {

// Field 22 of /proc/PID/stat; the name before it may hold blanks and brackets.
std::optional<std::uint64_t> start_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::uint64_t start = 0;
  if (!(fields >> start)) return std::nullopt;
  return start;
}

}  // namespace

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

Descriptor watch_process(pid_t pid, std::uint64_t start) {
  Descriptor watch(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // Looked at after the descriptor was opened: it is of the process that has this start.
  if (start != 0) {
    const auto now = start_of(pid);
    if (!now || *now != start) return Descriptor();
  }
  return watch;
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
