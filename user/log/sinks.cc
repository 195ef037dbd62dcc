// SPDX-License-Identifier: Apache-2.0
#include "sinks.hpp"

#include <fcntl.h>
#include <ndtel/ioctl.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>

namespace ndtel::nlog {
namespace {

constexpr std::string_view kRed = "\x1B[91m";
constexpr std::string_view kMagenta = "\x1B[95m";
constexpr std::string_view kReset = "\x1B[0m";

// All parts in one system call where the descriptor takes them, so that lines of threads and
// processes do not mix.
void write_parts(int fd, std::span<iovec> parts) noexcept {
  while (!parts.empty()) {
    ssize_t n = ::writev(fd, parts.data(), static_cast<int>(parts.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;  // nobody is left to tell
    while (!parts.empty() && static_cast<std::size_t>(n) >= parts.front().iov_len) {
      n -= static_cast<ssize_t>(parts.front().iov_len);
      parts = parts.subspan(1);
    }
    if (parts.empty()) return;
    parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + n;
    parts.front().iov_len -= static_cast<std::size_t>(n);
  }
}

iovec part(std::string_view text) noexcept { return {const_cast<char*>(text.data()), text.size()}; }

std::string_view color_of(nrt_log_level_t level) noexcept {
  if (level == NRT_LOG_LEVEL_ERROR) return kRed;
  if (level == NRT_LOG_LEVEL_WARN) return kMagenta;
  return {};
}

void to_syslog(nrt_log_level_t level, std::string_view line) noexcept {
  ::syslog(syslog_priority(level), "%.*s", static_cast<int>(line.size()), line.data());
}

// The node is opened for writing only, which takes nothing from a device, and stays open: closing
// such a file gives up the cores that the process has marked for itself.
int open_node() noexcept {
  for (const char* name_space : {"ndtel", "neuron"}) {
    for (int index = 0; index < ND_MAX_DEVICES; ++index) {
      char path[32];
      std::snprintf(path, sizeof path, "/dev/%s%d", name_space, index);
      const int fd = ::open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (fd >= 0) return fd;
    }
  }
  return -1;
}

void to_kernel(std::string_view line) noexcept {
  static const int node = open_node();
  if (node >= 0) write_kernel(node, line);
}

constexpr Sinks kReal = {write_console, to_syslog, to_kernel};
std::atomic<const Sinks*> current{&kReal};

}  // namespace

const Sinks& sinks() noexcept { return *current.load(std::memory_order_acquire); }

void replace_sinks(const Sinks* other) noexcept {
  current.store(other != nullptr ? other : &kReal, std::memory_order_release);
}

void write_console(nrt_log_level_t level, std::string_view line) noexcept {
  const int fd = level == NRT_LOG_LEVEL_ERROR ? STDERR_FILENO : STDOUT_FILENO;
  const std::string_view color = color_of(level);
  if (!color.empty() && ::isatty(fd) != 0) {
    iovec parts[] = {part(color), part(line), part(kReset), part("\n")};
    write_parts(fd, parts);
  } else {
    iovec parts[] = {part(line), part("\n")};
    write_parts(fd, parts);
  }
}

int syslog_priority(nrt_log_level_t level) noexcept {
  switch (level) {
    case NRT_LOG_LEVEL_ERROR:
      return LOG_ERR;
    case NRT_LOG_LEVEL_WARN:
      return LOG_WARNING;
    case NRT_LOG_LEVEL_INFO:
      return LOG_INFO;
    default:
      return LOG_DEBUG;
  }
}

void write_kernel(int node, std::string_view line) noexcept {
  char text[ND_PRINTK_MAX];
  const std::size_t length = std::min(line.size(), sizeof text - 1);
  std::memcpy(text, line.data(), length);
  text[length] = '\0';
  nd_ioctl_printk request{};
  request.buffer = reinterpret_cast<std::uintptr_t>(text);
  request.size = static_cast<std::uint32_t>(length + 1);
  ::ioctl(node, ND_IOC_PRINTK, &request);
}

}  // namespace ndtel::nlog
