// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include <time.h>

#include <algorithm>

namespace ndtel::inspect::log {
namespace {

constexpr std::size_t kMaxLine = 1023;

constinit nlog::RateLimit limit;

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

void detail::write(nrt_log_level_t level, nlog::Place place, fmt::string_view text,
                   fmt::format_args args) noexcept {
  std::uint64_t suppressed = 0;
  if (level <= NRT_LOG_LEVEL_WARN && !limit.admit(place, monotonic_ns(), &suppressed)) return;

  // On the stack, so that running out of memory can be reported.
  char line[kMaxLine + 1];
  std::size_t length = 0;
  const auto append = [&](fmt::string_view format, fmt::format_args values) {
    const std::size_t room = kMaxLine - length;
    length += std::min(fmt::vformat_to_n(line + length, room, format, values).size, room);
  };
  append(text, args);
  if (suppressed > 0)
    append(" ({} more such lines were left out)", fmt::make_format_args(suppressed));
  line[length] = '\0';
  // A name cannot make one line look like two.
  std::replace_if(
      line, line + length, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  nlog_write("INSP", "inspect", level, /*coaleced_msg=*/true, /*api_level=*/false, "%s", line);
}

void detail::forget_limits() noexcept { limit.forget(); }

}  // namespace ndtel::inspect::log
