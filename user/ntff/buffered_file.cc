// SPDX-License-Identifier: Apache-2.0
#include "buffered_file.hpp"

#include <span>
#include <utility>

namespace ndtel::ntff {

Result<BufferedFile> BufferedFile::create(const std::string& path) {
  auto file = OutputFile::create(path);
  if (!file) return file.error();
  return BufferedFile(std::move(*file));
}

Result<void> BufferedFile::flush() {
  if (auto written = file_.write(std::as_bytes(std::span(buffer_))); !written) return written;
  buffer_.clear();
  return {};
}

Result<void> BufferedFile::commit() {
  if (auto written = flush(); !written) return written;
  return file_.commit();
}

}  // namespace ndtel::ntff
