// SPDX-License-Identifier: Apache-2.0
//
// The command ndtel as a user runs it.
#ifndef NDTEL_TESTS_VM_CLI_COMMAND_HPP
#define NDTEL_TESTS_VM_CLI_COMMAND_HPP

#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/eventually.hpp"

namespace ndtel::vm {

/// An ndtel that runs beside the test; killed and reaped at the object's end. Its output goes to
/// files.
class Command {
 public:
  explicit Command(const std::vector<std::string>& arguments,
                   const std::function<void()>& before_exec = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  pid_t pid() const noexcept { return pid_; }
  void signal(int number) const;
  /// Waits for the end: the exit code, or minus the signal that killed it; -1000 when it does not
  /// end in time.
  int wait(std::chrono::milliseconds timeout = kPatience);

  /// What it has printed so far.
  std::string out() const;
  std::string err() const;
  /// Its output as one JSON document. Throws when it is none.
  nlohmann::json json() const { return nlohmann::json::parse(out()); }
  /// Its whole lines as one JSON document each.
  std::vector<nlohmann::json> json_lines() const;

 private:
  pid_t pid_ = -1;
  int result_ = 0;
  std::string out_;
  std::string err_;
};

/// A fresh directory below /tmp, removed at the object's end.
class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Waits until an `ndtel posts` listens.
bool listens(const Command& posts);

/// Tracing instances that `ndtel posts` made.
std::vector<std::string> posts_instances();

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_CLI_COMMAND_HPP
