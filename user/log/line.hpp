// SPDX-License-Identifier: Apache-2.0
//
// The text of one log line, in bounded parts on the stack.
#ifndef NDTEL_LOG_LINE_HPP
#define NDTEL_LOG_LINE_HPP

#include <time.h>

#include <cstdarg>
#include <cstddef>
#include <string_view>

#include "nrt/nlog.h"

namespace ndtel::nlog {

/// Bytes of one part with its NUL.
inline constexpr std::size_t kPartSize = 1024;

/// Whether printf may be given this format: every conversion is complete, none writes memory (%n),
/// and no width or precision is beyond 99999.
bool is_safe_format(const char* format) noexcept;

/// A line that is put together from parts. Each part is cut at kPartSize - 1 bytes, so a line of
/// three parts always fits.
class Line {
 public:
  /// "2026-Nov-30 01:02:03.000004    12:13    ERROR  TDRV:function", times are local.
  void add_prefix(const timespec& now, int pid, int tid, nrt_log_level_t level,
                  const char* submodule, const char* func) noexcept;

  /// "TDRV:function ": how a cause begins.
  void add_origin(const char* submodule, const char* func) noexcept;

  /// The message. A format that is not safe is taken as text.
  void add_message(const char* format, va_list args) noexcept;

  void add_text(std::string_view text) noexcept;

  std::string_view text() const noexcept { return {text_, length_}; }
  /// Ends with a NUL.
  const char* c_str() const noexcept { return text_; }

 private:
  // Where the next part goes; `wrote` is what snprintf would have written.
  char* end() noexcept { return text_ + length_; }
  void grow(int wrote) noexcept;

  char text_[3 * kPartSize] = {};
  std::size_t length_ = 0;
};

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_LINE_HPP
