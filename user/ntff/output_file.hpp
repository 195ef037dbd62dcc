// SPDX-License-Identifier: Apache-2.0
//
// Files that appear whole or not at all.
#ifndef NDTEL_NTFF_OUTPUT_FILE_HPP
#define NDTEL_NTFF_OUTPUT_FILE_HPP

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ndtel/result.hpp"

namespace ndtel::ntff {

/// A file under construction: it has a name of its own beside its place, `.NAME.PID.part`, until
/// commit() renames it. Destroyed before, it leaves nothing; destroyed by a child that was forked
/// off, it stays as it is. Whoever is killed leaves the part, which nobody takes for a file.
class OutputFile {
 public:
  /// @param path of the finished file; a file that is there is replaced by commit().
  static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// Appends all of `bytes`. On an error none of them: the file is as long as before.
  Result<void> write(std::span<const std::byte> bytes);

  /// Bytes written.
  std::uint64_t size() const noexcept { return size_; }
  const std::string& path() const noexcept { return path_; }

  /// Gives the file its name. On an error it leaves nothing.
  Result<void> commit();

 private:
  OutputFile(int fd, std::string path, std::string part);
  void discard() noexcept;

  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::string path_;
  std::string part_;  // empty: committed
  pid_t owner_ = 0;
};

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_OUTPUT_FILE_HPP
