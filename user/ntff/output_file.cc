// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ndtel::ntff {

namespace {

Error failed(const char* what, const std::string& path, int code) {
  const char* advice = "";
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) advice = "; make room for it";
  if (code == EACCES || code == EPERM || code == EROFS)
    advice = "; choose a directory that can be written to";
  return {code, fmt::format("cannot {} {}: {}{}", what, path, ::strerror(code), advice)};
}

std::string part_of(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;  // 0 when there is no slash
  return fmt::format("{}.{}.{}.part", std::string_view(path).substr(0, name),
                     std::string_view(path).substr(name), ::getpid());
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  std::string part = part_of(path);
  // A part of this name is of a process that is gone: numbers of processes come again.
  ::unlink(part.c_str());
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return failed("create", path, errno);
  return OutputFile(fd, path, std::move(part));
}

OutputFile::OutputFile(int fd, std::string path, std::string part)
    : fd_(fd), path_(std::move(path)), part_(std::move(part)), owner_(::getpid()) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      size_(std::exchange(other.size_, 0)),
      path_(std::move(other.path_)),
      part_(std::exchange(other.part_, {})),
      owner_(other.owner_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  fd_ = std::exchange(other.fd_, -1);
  size_ = std::exchange(other.size_, 0);
  path_ = std::move(other.path_);
  part_ = std::exchange(other.part_, {});
  owner_ = other.owner_;
  return *this;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  // The part of a parent is not a child's to remove.
  if (!part_.empty() && owner_ == ::getpid()) ::unlink(part_.c_str());
  part_.clear();
}

Result<void> OutputFile::write(std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(size_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      // No regular file takes nothing without a reason; if one does, it is full.
      const int code = n < 0 ? errno : ENOSPC;
      // Whoever reads by offset or by length must not meet half of what was refused.
      if (done > 0 && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
        const int truncation = errno;
        discard();
        return failed("shorten", path_, truncation);
      }
      return failed("write", path_, code);
    }
    done += static_cast<std::size_t>(n);
  }
  size_ += bytes.size();
  return {};
}

Result<void> OutputFile::commit() {
  const int fd = std::exchange(fd_, -1);
  // Some file systems say only here that they had no room.
  if (::close(fd) != 0 && errno != EINTR) {
    const int code = errno;
    discard();
    return failed("write", path_, code);
  }
  if (::rename(part_.c_str(), path_.c_str()) != 0) {
    const int code = errno;
    discard();
    return failed("finish", path_, code);
  }
  part_.clear();
  return {};
}

}  // namespace ndtel::ntff
