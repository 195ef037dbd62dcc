// SPDX-License-Identifier: Apache-2.0
//
// What the inspect session says: lines of nlog under its submodule INSP.
#ifndef NDTEL_INSPECT_LOG_HPP
#define NDTEL_INSPECT_LOG_HPP

#include <fmt/format.h>

#include <type_traits>

#include "../log/message.hpp"
#include "nrt/nlog.h"

namespace ndtel::inspect::log {

namespace detail {

void write(nrt_log_level_t level, nlog::Place place, fmt::string_view text,
           fmt::format_args args) noexcept;
/// Lets every place speak again, for tests: no other thread may log meanwhile.
void forget_limits() noexcept;

}  // namespace detail

/// Logs one line, cut at nlog::Message::kMost bytes. A place in the source gets one error or
/// warning a second through; the next one tells how many were left out. Control characters become
/// '?'.
template <typename... Args>
void error(nlog::Format<std::type_identity_t<Args>...> format, const Args&... args) noexcept {
  detail::write(NRT_LOG_LEVEL_ERROR, format.place, format.text, fmt::make_format_args(args...));
}
template <typename... Args>
void warn(nlog::Format<std::type_identity_t<Args>...> format, const Args&... args) noexcept {
  detail::write(NRT_LOG_LEVEL_WARN, format.place, format.text, fmt::make_format_args(args...));
}
template <typename... Args>
void info(nlog::Format<std::type_identity_t<Args>...> format, const Args&... args) noexcept {
  detail::write(NRT_LOG_LEVEL_INFO, format.place, format.text, fmt::make_format_args(args...));
}

}  // namespace ndtel::inspect::log

#endif  // NDTEL_INSPECT_LOG_HPP
