// SPDX-License-Identifier: Apache-2.0
//
// Where lines go.
#ifndef NDTEL_LOG_SINKS_HPP
#define NDTEL_LOG_SINKS_HPP

#include <string_view>

#include "nrt/nlog.h"

namespace ndtel::nlog {

/// The places outside the process. A line ends with a NUL and has no newline at its end.
struct Sinks {
  void (*console)(nrt_log_level_t level, std::string_view line);
  void (*syslog)(nrt_log_level_t level, std::string_view line);
  void (*kernel)(std::string_view line);
};

/// The sinks in use.
const Sinks& sinks() noexcept;

/// Uses other sinks, for tests; nullptr: the real ones. `other` has to stay.
void replace_sinks(const Sinks* other) noexcept;

/// Errors to stderr, the others to stdout, at once; errors and warnings in colour on a terminal.
void write_console(nrt_log_level_t level, std::string_view line) noexcept;

/// LOG_ERR for an error, and so on: the numbers of levels and of priorities differ.
int syslog_priority(nrt_log_level_t level) noexcept;

/// Prints a line into the kernel's log through a device node, its first 511 bytes. Refusals (no
/// such command, no right, too many lines) are ignored.
void write_kernel(int node, std::string_view line) noexcept;

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_SINKS_HPP
