// SPDX-License-Identifier: Apache-2.0
#include "byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ndtel::ntff::read {

Result<ByteSource> ByteSource::open(const std::string& path) {
  // Whoever opens a pipe waits for its writer, unless told not to.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int code = errno;
    return Error{code, "cannot open " + path + ": " + std::strerror(code)};
  }
  struct stat status;
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return Error{EINVAL, path + " is not a regular file"};
  }
  return ByteSource(fd, path, static_cast<std::uint64_t>(status.st_size));
}

ByteSource ByteSource::over(std::string name, std::string_view bytes) {
  ByteSource source(-1, std::move(name), bytes.size());
  source.whole_ = source.window_ = bytes;
  return source;
}

ByteSource::ByteSource(int fd, std::string name, std::uint64_t size)
    : fd_(fd), name_(std::move(name)), size_(size) {}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      size_(other.size_),
      offset_(other.offset_),
      window_(other.window_),  // what a vector holds stays where it is when the vector moves
      whole_(other.whole_),
      buffer_(std::move(other.buffer_)),
      error_(std::move(other.error_)) {}

ByteSource::~ByteSource() {
  if (fd_ >= 0) ::close(fd_);
}

void ByteSource::seek(std::uint64_t offset) {
  offset_ = std::min(offset, size_);
  window_ = fd_ < 0 ? whole_.substr(static_cast<std::size_t>(offset_)) : std::string_view();
}

void ByteSource::fill(std::size_t want) {
  if (fd_ < 0 || window_.size() == left()) return;
  want = std::min(want, kLargest);
  const std::size_t kept = window_.size();
  if (buffer_.size() < std::max(want, kWindow)) {
    // Not larger than needed: most files have no such record.
    std::vector<char> larger(std::max(want, kWindow));
    std::copy(window_.begin(), window_.end(), larger.begin());
    buffer_ = std::move(larger);
  } else if (kept > 0) {
    std::memmove(buffer_.data(), window_.data(), kept);
  }
  std::size_t have = kept;
  while (have < want && offset_ + have < size_) {
    const auto room = static_cast<std::size_t>(
        std::min<std::uint64_t>(buffer_.size() - have, size_ - offset_ - have));
    const ssize_t n = ::pread(fd_, buffer_.data() + have, room, static_cast<off_t>(offset_ + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n < 0 && !error_) {
        const int code = errno;
        error_ = Error{code, "cannot read " + name_ + ": " + std::strerror(code)};
      }
      // Somebody made it shorter: it ends here.
      size_ = offset_ + have;
      break;
    }
    have += static_cast<std::size_t>(n);
  }
  window_ = std::string_view(buffer_.data(), have);
}

}  // namespace ndtel::ntff::read
