// SPDX-License-Identifier: Apache-2.0
//
// Small things of Linux that running a command needs.
#ifndef NDTEL_CLI_RUN_PROCESS_HPP
#define NDTEL_CLI_RUN_PROCESS_HPP

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

namespace ndtel::cli {

/// A descriptor that is closed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// A directory that only this user can enter, for as long as the object lives.
class PrivateDirectory {
 public:
  /// Below $TMPDIR, or /tmp. Throws Failure.
  PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  ~PrivateDirectory();
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Readable when the process is gone; none when it is gone already.
Descriptor watch_process(pid_t pid);

/// "ended by itself", "exited with 3", "was killed by SIGKILL", from the status of waitpid().
std::string describe_end(int status);

/// CLOCK_REALTIME.
std::uint64_t realtime_ns() noexcept;

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_RUN_PROCESS_HPP
