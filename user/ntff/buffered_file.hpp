// SPDX-License-Identifier: Apache-2.0
//
// A file that is written field by field.
#ifndef NDTEL_NTFF_BUFFERED_FILE_HPP
#define NDTEL_NTFF_BUFFERED_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "message_writer.hpp"
#include "ndtel/result.hpp"
#include "output_file.hpp"

namespace ndtel::ntff {

/// An OutputFile behind a buffer of about kBuffer bytes.
class BufferedFile {
 public:
  static constexpr std::size_t kBuffer = std::size_t{1} << 18;

  static Result<BufferedFile> create(const std::string& path);

  /// Appends to the buffer; spill() from time to time.
  MessageWriter fields() noexcept { return MessageWriter(&buffer_); }
  std::string* buffer() noexcept { return &buffer_; }

  /// Writes the buffer if it is full. On an error it is kept.
  Result<void> spill() { return buffer_.size() < kBuffer ? Result<void>() : flush(); }

  /// Writes the buffer. On an error it is kept.
  Result<void> flush();

  /// Bytes so far, those in the buffer too.
  std::uint64_t size() const noexcept { return file_.size() + buffer_.size(); }

  /// Writes what is left and gives the file its name.
  Result<void> commit();

 private:
  explicit BufferedFile(OutputFile file) noexcept : file_(std::move(file)) {}

  OutputFile file_;
  std::string buffer_;
};

}  // namespace ndtel::ntff

#endif  // NDTEL_NTFF_BUFFERED_FILE_HPP
