// SPDX-License-Identifier: Apache-2.0
#include "support/kernel_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ndtel::vm {

KernelLog::KernelLog() : fd_(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (!fd_.valid() || ::lseek(fd_.get(), 0, SEEK_END) < 0) fail_errno("opening /dev/kmsg");
}

const std::vector<std::string>& KernelLog::read() {
  // One read(2), one record: "priority,sequence,time,flags;text\n key=value\n".
  char record[8192];
  for (;;) {
    const ssize_t got = ::read(fd_.get(), record, sizeof record);
    // EPIPE: records were overwritten; the next read goes on with the oldest one.
    if (got < 0 && (errno == EINTR || errno == EPIPE)) continue;
    if (got <= 0) return lines_;
    const std::string text(record, static_cast<std::size_t>(got));
    const auto start = text.find(';');
    if (start == std::string::npos) continue;
    lines_.push_back(text.substr(start + 1, text.find('\n', start) - start - 1));
  }
}

int KernelLog::count(const std::string& part) {
  int found = 0;
  for (const auto& line : read()) found += line.find(part) != std::string::npos ? 1 : 0;
  return found;
}

}  // namespace ndtel::vm
