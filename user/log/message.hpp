// SPDX-License-Identifier: Apache-2.0
//
// Messages that parts of the library write with fmt, before they are given to a log.
#ifndef NDTEL_LOG_MESSAGE_HPP
#define NDTEL_LOG_MESSAGE_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "rate_limit.hpp"

namespace ndtel::nlog {

/// A format string and where it was written.
template <typename... Args>
struct Format {
  template <typename Text>
  consteval Format(const Text& text,  // NOLINT(google-explicit-constructor): literals become one
                   const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
      : text(text), place{file, line} {}

  fmt::format_string<Args...> text;
  Place place;
};

/// One message on the stack, so that running out of memory can be reported. It is cut at kMost.
class Message {
 public:
  static constexpr std::size_t kMost = 1023;  ///< bytes

  void append(fmt::string_view text, fmt::format_args args) {
    const std::size_t room = kMost - length_;
    length_ += std::min(fmt::vformat_to_n(text_ + length_, room, text, args).size, room);
  }

  /// Says how many were refused before this one, unless none was.
  void append_refused(std::uint64_t count) {
    if (count > 0) append(" ({} more such lines were left out)", fmt::make_format_args(count));
  }

  /// Behind a NUL of its own a message would be lost without a trace.
  bool has_nul() const noexcept { return std::memchr(text_, 0, length_) != nullptr; }

  /// Control characters become '?': a name cannot make one line look like two.
  void make_printable() noexcept {
    for (char& c : std::span(text_, length_))
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }

  const char* c_str() noexcept {
    text_[length_] = 0;
    return text_;
  }

 private:
  char text_[kMost + 1];
  std::size_t length_ = 0;
};

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_MESSAGE_HPP
