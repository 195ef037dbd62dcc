// SPDX-License-Identifier: Apache-2.0
//
// Small files of procfs, sysfs, debugfs and tracefs, and descriptors with an owner.
#ifndef NDTEL_TESTS_VM_SUPPORT_FILE_HPP
#define NDTEL_TESTS_VM_SUPPORT_FILE_HPP

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ndtel::vm {

/// A descriptor that is closed with its owner. Negative: none.
class Fd {
 public:
  Fd() noexcept = default;
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const noexcept { return fd_; }
  bool valid() const noexcept { return fd_ >= 0; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// The whole text of a file; nothing when it cannot be opened or read (a device may go meanwhile).
std::optional<std::string> read_file(const std::string& path);

/// Writes text with one write(2). 0 or -errno of open or write.
int write_file(const std::string& path, std::string_view text);

/// Whether a path exists.
bool exists(const std::string& path);

/// Text cut at a separator; empty pieces are left out.
std::vector<std::string> split(std::string_view text, char separator);

/// Throws std::system_error with what was tried.
[[noreturn]] void fail_errno(const std::string& what);

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_FILE_HPP
