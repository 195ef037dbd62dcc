// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "nrt/nlog.h"

namespace ndtel::systrace::log {
namespace {

constexpr const char* kSubmodule = "RUST";
constexpr const char* kComponent = "sys_trace";

// The sink in two words that belong together: odd while they are being changed.
std::mutex sink_writers;
std::atomic<std::uint64_t> sink_version{0};
std::atomic<decltype(Sink::write)> sink_function{nullptr};
std::atomic<void*> sink_context{nullptr};

Sink current_sink() noexcept {
  while (true) {
    const std::uint64_t version = sink_version.load(std::memory_order_acquire);
    const Sink sink{sink_function.load(std::memory_order_acquire),
                    sink_context.load(std::memory_order_acquire)};
    if (version % 2 == 0 && sink_version.load(std::memory_order_relaxed) == version) return sink;
    ::sched_yield();
  }
}

constinit nlog::RateLimit limit;

// Set while this thread's line is on its way: a sink that comes back here would never end.
thread_local bool speaking = false;

void write_fully(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody is left to tell
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void to_nlog(void*, int level, const char* message) noexcept {
  nlog_write(kSubmodule, kComponent, static_cast<nrt_log_level_t>(level), /*coaleced_msg=*/true,
             /*api_level=*/false, "%s", message);
}

}  // namespace

void set_sink(Sink sink) noexcept {
  const std::lock_guard lock(sink_writers);
  const std::uint64_t version = sink_version.load(std::memory_order_relaxed);
  sink_version.store(version + 1, std::memory_order_relaxed);
  sink_function.store(sink.write, std::memory_order_release);
  sink_context.store(sink.context, std::memory_order_release);
  sink_version.store(version + 2, std::memory_order_release);
}

bool enabled(Level level) noexcept {
  if (sink_function.load(std::memory_order_relaxed) != nullptr) return true;
  nrt_log_level_t wanted = NRT_LOG_LEVEL_DISABLED;
  nlog_get_log_level(kSubmodule, &wanted);
  // Levels that nlog does not have leave the choice to it.
  return wanted == NRT_LOG_LEVEL_DISABLED || wanted >= NRT_LOG_LEVEL_TRACE ||
         static_cast<unsigned>(level) <= wanted;
}

void detail::write(Level level, nlog::Place place, fmt::string_view text,
                   fmt::format_args args) noexcept {
  if (speaking) return;
  std::uint64_t suppressed = 0;
  if (level <= Level::kWarn && !limit.admit(place, nlog::RateLimit::now_ns(), &suppressed)) return;

  nlog::Message line;
  line.append(text, args);
  line.append_refused(suppressed);
  if (line.has_nul()) log::fatal("a log message has a NUL inside");

  line.make_printable();

  Sink sink = current_sink();
  if (sink.write == nullptr) sink = {to_nlog, nullptr};
  speaking = true;
  sink.write(sink.context, static_cast<int>(level), line.c_str());
  speaking = false;
}

void detail::forget_limits() noexcept { limit.forget(); }

void detail::fatal(fmt::string_view text, fmt::format_args args) noexcept {
  nlog::Message line;
  line.append(text, args);
  line.make_printable();
  write_fully(STDERR_FILENO, "ndtel: fatal: ");
  write_fully(STDERR_FILENO, line.c_str());
  write_fully(STDERR_FILENO, "\n");
  std::abort();
}

}  // namespace ndtel::systrace::log
