// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file, of which only a window is in memory. Nothing is mapped: pages of a mapped
// file count as memory of the process.
#ifndef NDTEL_NTFF_READ_BYTE_SOURCE_HPP
#define NDTEL_NTFF_READ_BYTE_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ndtel/result.hpp"

namespace ndtel::ntff::read {

class ByteSource {
 public:
  /// What is read ahead.
  static constexpr std::size_t kWindow = std::size_t{1} << 20;
  /// What the window grows to for a record that is larger. Larger records are refused.
  static constexpr std::size_t kLargest = std::size_t{16} << 20;

  /// Opens a regular file. Errors are those of open(2); EINVAL for what is no regular file.
  static Result<ByteSource> open(const std::string& path);

  /// Bytes in memory, which have to live as long, under the name of a file.
  static ByteSource over(std::string name, std::string_view bytes);

  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&&) = delete;
  ~ByteSource();

  const std::string& name() const noexcept { return name_; }
  /// Bytes of the file, as it was when it was opened, or up to where it was found to end.
  std::uint64_t size() const noexcept { return size_; }
  /// Where the window begins.
  std::uint64_t offset() const noexcept { return offset_; }
  std::uint64_t left() const noexcept { return size_ - offset_; }

  /// The window, of at least `want` bytes (at most kLargest); fewer only where the file ends. It is
  /// valid until the next call of ask() or seek().
  std::string_view ask(std::size_t want) {
    if (window_.size() < want) fill(want);
    return window_;
  }

  /// Goes on `n` bytes, at most to the end of the file.
  void skip(std::uint64_t n) {
    if (n <= window_.size()) {
      window_.remove_prefix(static_cast<std::size_t>(n));
      offset_ += n;
    } else {
      seek(offset_ + n);
    }
  }

  /// Moves the window, at most to the end of the file.
  void seek(std::uint64_t offset);

  /// Why the file could not be read further, if that is so; until then it only seems to end.
  const std::optional<Error>& error() const noexcept { return error_; }

 private:
  ByteSource(int fd, std::string name, std::uint64_t size);
  void fill(std::size_t want);

  int fd_;  // -1: in memory
  std::string name_;
  std::uint64_t size_;
  std::uint64_t offset_ = 0;
  std::string_view window_;  // in buffer_, or in whole_
  std::string_view whole_;
  std::vector<char> buffer_;
  std::optional<Error> error_;
};

}  // namespace ndtel::ntff::read

#endif  // NDTEL_NTFF_READ_BYTE_SOURCE_HPP
