// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

namespace ndtel::inspect::log {
namespace {

constinit nlog::RateLimit limit;

}  // namespace

void detail::write(nrt_log_level_t level, nlog::Place place, fmt::string_view text,
                   fmt::format_args args) noexcept {
  std::uint64_t suppressed = 0;
  if (level <= NRT_LOG_LEVEL_WARN && !limit.admit(place, nlog::RateLimit::now_ns(), &suppressed))
    return;
  nlog::Message line;
  line.append(text, args);
  line.append_refused(suppressed);
  line.make_printable();
  nlog_write("INSP", "inspect", level, /*coaleced_msg=*/true, /*api_level=*/false, "%s",
             line.c_str());
}

void detail::forget_limits() noexcept { limit.forget(); }

}  // namespace ndtel::inspect::log
