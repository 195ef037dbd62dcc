// SPDX-License-Identifier: Apache-2.0
//
// What the trace engine says. Lines go to one sink, nlog unless the program brings its own. Nothing
// here emits an event, and a sink must not: the engine may hold a lock while it speaks.
#ifndef NDTEL_SYSTRACE_LOG_HPP
#define NDTEL_SYSTRACE_LOG_HPP

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "../log/message.hpp"

namespace ndtel::systrace::log {

/// The numbers are those of nlog.
enum class Level : int { kError = 1, kWarn = 2, kInfo = 3, kDebug = 4, kTrace = 5 };

/// Who takes the lines. One line a call, without a newline; `message` is gone when it returns.
struct Sink {
  void (*write)(void* context, int level, const char* message) = nullptr;
  void* context = nullptr;
};

/// Gives lines to `sink` from now on; to nlog, under its submodule RUST, when its function is null.
/// Lines that are being written meanwhile may still go to the sink before it.
void set_sink(Sink sink) noexcept;

/// Whether a line of this level is worth its text: false when nlog would drop it. True for every
/// level when the program brought a sink.
bool enabled(Level level) noexcept;

namespace detail {

void write(Level level, nlog::Place place, fmt::string_view text, fmt::format_args args) noexcept;
[[noreturn]] void fatal(fmt::string_view text, fmt::format_args args) noexcept;
/// Lets every place speak again, for tests: no other thread may log meanwhile.
void forget_limits() noexcept;

}  // namespace detail

/// Logs one line. A place in the source gets one error or warning a second through, whatever a
/// caller does; the next one tells how many were left out. Lower levels are not limited. Control
/// characters become '?': a name cannot make one line look like two.
template <typename... Args>
void write(Level level, nlog::Format<std::type_identity_t<Args>...> format,
           Args&&... args) noexcept {
  if (enabled(level))
    detail::write(level, format.place, format.text, fmt::make_format_args(args...));
}

/// Ends the process after one line on stderr, past every sink: for what must never be.
template <typename... Args>
[[noreturn]] void fatal(fmt::format_string<Args...> text, Args&&... args) noexcept {
  detail::fatal(text, fmt::make_format_args(args...));
}

}  // namespace ndtel::systrace::log

#endif  // NDTEL_SYSTRACE_LOG_HPP
