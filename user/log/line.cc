// SPDX-License-Identifier: Apache-2.0
#include "line.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ndtel::nlog {
namespace {

constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

const char* level_name(nrt_log_level_t level) noexcept {
  switch (level) {
    case NRT_LOG_LEVEL_ERROR:
      return "ERROR";
    case NRT_LOG_LEVEL_WARN:
      return "WARN";
    case NRT_LOG_LEVEL_INFO:
      return "INFO";
    case NRT_LOG_LEVEL_DEBUG:
      return "DEBUG";
    case NRT_LOG_LEVEL_TRACE:
      return "TRACE";
    case NRT_LOG_LEVEL_DISABLED:
      break;
  }
  return "";
}

// Skips a number, or a '*' that may name its argument ("*2$"); false when the number is too large.
bool skip_number(const char*& at) noexcept {
  const bool star = *at == '*';
  if (star) ++at;
  const std::size_t digits = std::strspn(at, "0123456789");
  if (star && at[digits] != '$') return true;
  at += digits;
  if (star) ++at;
  return digits <= 5;
}

// Skips the number of the argument that a conversion takes ("2$"), when there is one.
void skip_argument(const char*& at) noexcept {
  const std::size_t digits = std::strspn(at, "0123456789");
  if (digits > 0 && digits <= 5 && at[digits] == '$') at += digits + 1;
}

}  // namespace

// Only what every C library reads the same way passes: where two readers disagree about the end of
// a conversion, the next '%' is a conversion for one and text for the other.
bool is_safe_format(const char* format) noexcept {
  for (const char* at = std::strchr(format, '%'); at != nullptr; at = std::strchr(at, '%')) {
    ++at;
    if (*at == '%') {
      ++at;
      continue;
    }
    skip_argument(at);
    at += std::strspn(at, "-+ #0'I");
    if (!skip_number(at)) return false;
    if (*at == '.' && !skip_number(++at)) return false;
    at += std::strspn(at, "hlqLjzZt");
    if (*at == 'w') {  // the widths of C23: w32, wf32
      at += at[1] == 'f' ? 2 : 1;
      if (!skip_number(at)) return false;
    }
    if (*at == '\0' || std::strchr("diouxXbBeEfFgGaAcCsSpm", *at) == nullptr) return false;
    ++at;
  }
  return true;
}

void Line::grow(int wrote) noexcept {
  if (wrote > 0) length_ += std::min(static_cast<std::size_t>(wrote), kPartSize - 1);
  text_[length_] = '\0';
}

void Line::add_prefix(const timespec& now, int pid, int tid, nrt_log_level_t level,
                      const char* submodule, const char* func) noexcept {
  tm local{};
  ::localtime_r(&now.tv_sec, &local);
  const std::size_t before = length_;
  grow(std::snprintf(end(), kPartSize, "%4d-%3s-%02d %02d:%02d:%02d.%06d %5d:%-5d %5s %5s:%-40s",
                     local.tm_year + 1900, kMonths[local.tm_mon], local.tm_mday, local.tm_hour,
                     local.tm_min, local.tm_sec, static_cast<int>(now.tv_nsec / 1000), pid, tid,
                     level_name(level), submodule, func));
  // A name that fills its column would run into the message.
  if (length_ > before && text_[length_ - 1] != ' ') {
    if (length_ - before == kPartSize - 1) --length_;
    add_text(" ");
  }
}

void Line::add_origin(const char* submodule, const char* func) noexcept {
  grow(std::snprintf(end(), kPartSize, "%s:%s ", submodule, func));
}

void Line::add_message(const char* format, va_list args) noexcept {
  if (is_safe_format(format)) {
    const int wrote = std::vsnprintf(end(), kPartSize, format, args);
    if (wrote >= 0) {
      grow(wrote);
      return;
    }
    *end() = '\0';  // what cannot be converted: a wide character, a text beyond 2 GiB
  }
  add_text(std::string_view(format).substr(0, kPartSize - 1));
}

void Line::add_text(std::string_view text) noexcept {
  const std::size_t n = std::min(text.size(), sizeof text_ - 1 - length_);
  if (n == 0) return;
  std::memcpy(end(), text.data(), n);
  length_ += n;
  text_[length_] = '\0';
}

}  // namespace ndtel::nlog
