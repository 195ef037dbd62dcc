// SPDX-License-Identifier: Apache-2.0
//
// Child processes and how to stay in step with them.
#ifndef NDTEL_TESTS_VM_SUPPORT_CHILD_HPP
#define NDTEL_TESTS_VM_SUPPORT_CHILD_HPP

#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "support/eventually.hpp"
#include "support/file.hpp"

namespace ndtel::vm {

/// One end of a two-way channel that carries 64-bit numbers between processes. Both ends survive
/// fork() and are close-on-exec.
class Channel {
 public:
  Channel() noexcept = default;
  /// The two ends.
  static std::pair<Channel, Channel> pair();

  /// False when nobody is left to hear it.
  bool send(std::uint64_t value = 0) const;
  /// The next number; nothing when the other end is gone or says nothing in time.
  std::optional<std::uint64_t> receive(std::chrono::milliseconds timeout = kPatience) const;
  void close() noexcept { fd_.reset(); }
  int fd() const noexcept { return fd_.get(); }

 private:
  explicit Channel(int fd) noexcept : fd_(fd) {}
  Fd fd_;
};

/// A forked process that runs a function and exits with its result (or 99 after an exception, with
/// a line on stderr). Assertions of googletest have no effect there: send facts and assert in the
/// test, or use check().
///
/// The child is killed with its parent unless `orphan_ok`; at the object's end it is killed and
/// reaped.
class Child {
 public:
  using Body = std::function<int(Channel&)>;

  explicit Child(const Body& body, bool orphan_ok = false);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const noexcept { return pid_; }
  bool send(std::uint64_t value = 0) const { return channel_.send(value); }
  std::optional<std::uint64_t> receive(std::chrono::milliseconds timeout = kPatience) const {
    return channel_.receive(timeout);
  }
  const Channel& channel() const noexcept { return channel_; }

  void signal(int number) const;
  /// Waits for the end: the exit code, or minus the number of the signal that killed it. -1000
  /// when it does not end in time (it is then killed).
  int wait(std::chrono::milliseconds timeout = kPatience);
  /// SIGKILL and wait: -SIGKILL when that is what ended it.
  int kill();

 private:
  pid_t pid_ = -1;
  int result_ = 0;
  Channel channel_;
};

/// Waits for any child process by its id, also one that was inherited (see become_subreaper()).
/// Result as Child::wait().
int wait_for(pid_t pid, std::chrono::milliseconds timeout = kPatience);

/// Orphaned grandchildren become children of this process, which can then wait for them.
void become_subreaper();

/// In a child: says what was wrong on stderr and exits with 98. Does nothing when `good`.
void check(bool good, const char* what);

/// Blocks until a signal ends the process.
[[noreturn]] void sleep_for_ever();

}  // namespace ndtel::vm

/// In a child: check() with the expression as text.
#define CHILD_CHECK(expression) ::ndtel::vm::check(static_cast<bool>(expression), #expression)

#endif  // NDTEL_TESTS_VM_SUPPORT_CHILD_HPP
