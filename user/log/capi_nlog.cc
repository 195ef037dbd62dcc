// SPDX-License-Identifier: Apache-2.0
//
// C ABI of nlog.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "block.hpp"
#include "line.hpp"
#include "nlog.hpp"
#include "sinks.hpp"

using namespace ndtel::nlog;

namespace {

// A log call in the middle of a program's error handling must not change what it looks at.
class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_ = errno;
};

struct Message {
  const char* submodule;
  const char* func;
  nrt_log_level_t level;
};

constinit thread_local std::uint32_t thread_core = 0;

// The calls that a thread is in, from its first one to the thread's end.
struct Calls {
  Block block;
  const char* api = nullptr;  // the outermost
  unsigned depth = 0;
};

// A plain pointer, because destructors of other thread-local objects may log when this thread's
// calls are gone.
constinit thread_local Calls* calls = nullptr;

void end_calls() noexcept;

// Takes the calls away with their thread.
struct CallsOwner {
  CallsOwner() = default;
  ~CallsOwner() {
    if (calls == nullptr) return;
    end_calls();
    delete calls;
    calls = nullptr;
  }
  CallsOwner(const CallsOwner&) = delete;
  CallsOwner& operator=(const CallsOwner&) = delete;
};

// The calls of this thread, nullptr without memory.
Calls* own_calls() noexcept {
  if (calls == nullptr) {
    static thread_local const CallsOwner owner;
    static_cast<void>(owner);
    calls = new (std::nothrow) Calls;
  }
  return calls;
}

bool in_call() noexcept { return calls != nullptr && calls->block.enabled(); }

void add_prefix(Line& line, const Message& message) noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  line.add_prefix(now, ::getpid(), static_cast<int>(::syscall(SYS_gettid)), message.level,
                  message.submodule, message.func);
}

void keep_error(std::string_view line) noexcept { process_log().errors.append(thread_core, line); }

void deliver(const Message& message, Gates gates, std::string_view text) noexcept {
  const Sinks& to = sinks();
  if (gates.console) to.console(message.level, text);
  if (gates.syslog) to.syslog(message.level, text);
  // The kernel's log is small and shared: it gets what failed, unless the log is switched off.
  if (message.level == NRT_LOG_LEVEL_ERROR && (gates.console || gates.syslog)) to.kernel(text);
}

// Room that the failure of the call itself will need at the front.
constexpr std::size_t kFailureSize = sizeof(Line) + 64;

// Keeps a cause back for the failure of the call.
void keep_back(const Message& message, const char* format, va_list args) noexcept {
  Line cause;
  cause.add_origin(message.submodule, message.func);
  cause.add_message(format, args);
  keep_error(cause.text());
  if (!calls->block.push(cause.text(), kFailureSize)) calls->block.count_lost();
}

// Writes the failure of a call with its causes.
void write_failure(const Message& message, Gates gates, Line& line) noexcept {
  Block& block = calls->block;
  const std::string_view resolution = resolution_of(block.cause());
  if (block.lost() > 0) {
    char lost[64];
    std::snprintf(lost, sizeof lost, " (%u more causes were left out)", block.lost());
    line.add_text(lost);
  }
  if (!resolution.empty()) {
    line.add_text(" Resolution: ");
    line.add_text(resolution);
  }
  keep_error(line.text());
  block.push(line.text(), 0);
  deliver(message, gates, block.text());
  block.reset();
}

void write(const Message& message, bool coaleced, bool api_level, const char* format,
           va_list args) noexcept {
  ProcessLog& log = process_log();
  if (!log.levels.worth(message.level)) return;
  const Gates gates = log.levels.gates(message.submodule, message.level);
  const bool error = message.level == NRT_LOG_LEVEL_ERROR;
  if (!gates.console && !gates.syslog && !error) return;

  // Only errors are kept back: others would be hidden, or make a call look failed that was not.
  if (error && coaleced && !api_level && in_call()) {
    keep_back(message, format, args);
    return;
  }
  Line line;
  add_prefix(line, message);
  line.add_message(format, args);
  if (error && api_level && in_call()) {
    write_failure(message, gates, line);
    return;
  }
  if (error) keep_error(line.text());
  deliver(message, gates, line.text());
}

// What nlog says about itself, once a second and place.
void warn(Place place, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));
void warn(Place place, const char* format, ...) noexcept {
  std::uint64_t suppressed = 0;  // the caller gets a status each time
  if (!process_log().limit.admit(place, RateLimit::now_ns(), &suppressed)) return;
  va_list args;
  va_start(args, format);
  write({"NLOG", "nlog", NRT_LOG_LEVEL_WARN}, false, false, format, args);
  va_end(args);
}

// Ends the outermost call: what is still kept back is its failure.
void end_calls() noexcept {
  Block& block = calls->block;
  if (block.pending() + block.lost() > 0)
    nlog_write("NRT", calls->api, NRT_LOG_LEVEL_ERROR, true, true, "%s failed", calls->api);
  block.enable(false);
  calls->depth = 0;
}

}  // namespace

void nlog_vwrite(const char* submodule, const char* func, nrt_log_level_t level, bool coaleced_msg,
                 bool api_level, const char* fmt, va_list args) noexcept {
  const KeepErrno keep;
  if (fmt == nullptr) return;
  write({submodule != nullptr ? submodule : "NRT", func != nullptr ? func : "", level},
        coaleced_msg, api_level, fmt, args);
}

void nlog_write(const char* submodule, const char* func, nrt_log_level_t level, bool coaleced_msg,
                bool api_level, const char* fmt, ...) noexcept {
  va_list args;
  va_start(args, fmt);
  nlog_vwrite(submodule, func, level, coaleced_msg, api_level, fmt, args);
  va_end(args);
}

NRT_STATUS nlog_set_log_level(const char* submodule, const char* location,
                              const char* level) noexcept {
  const KeepErrno keep;
  if (submodule != nullptr && process_log().levels.set(submodule, location, level))
    return NRT_SUCCESS;
  warn({__FILE__, __LINE__}, "no submodule is named %.64s: its log level was not set",
       submodule != nullptr ? submodule : "NULL");
  return NRT_INVALID;
}

NRT_STATUS nlog_get_log_level(const char* submodule, nrt_log_level_t* level) noexcept {
  const KeepErrno keep;
  if (submodule == nullptr || level == nullptr) return NRT_INVALID;
  const auto found = process_log().levels.get(submodule);
  if (!found) return NRT_INVALID;
  *level = *found;
  return NRT_SUCCESS;
}

NRT_STATUS nlog_init(void) noexcept {
  const KeepErrno keep;
  if (process_log().initialised.exchange(true))
    warn({__FILE__, __LINE__}, "nlog was initialised already");
  return NRT_SUCCESS;
}

void nlog_api_begin(const char* api) noexcept {
  const KeepErrno keep;
  // Without the switch or without memory errors are written when they happen.
  if (!process_log().coalescing.load(std::memory_order_relaxed) && !in_call()) return;
  if (own_calls() == nullptr || calls->depth++ > 0) return;
  calls->api = api != nullptr ? api : "";
  calls->block.reset();
  calls->block.enable(true);
}

void nlog_api_end(void) noexcept {
  const KeepErrno keep;
  if (!in_call() || --calls->depth > 0) return;
  end_calls();
}

void nlog_set_cause(NRT_STATUS status) noexcept {
  if (in_call()) calls->block.set_cause(static_cast<std::int32_t>(status));
}

void nlog_set_thread_core(uint32_t vnc) noexcept { thread_core = vnc < NLOG_ERROR_RINGS ? vnc : 0; }

NRT_STATUS nlog_error_ring_dump(uint32_t vnc, char* buffer, size_t size, size_t* length,
                                uint64_t* wrapped) noexcept {
  const KeepErrno keep;
  if (vnc >= NLOG_ERROR_RINGS || buffer == nullptr || size == 0 || length == nullptr)
    return NRT_INVALID;
  std::uint64_t wraps = 0;
  *length = process_log().errors.copy(vnc, {buffer, size - 1}, &wraps);
  buffer[*length] = '\0';
  if (wrapped != nullptr) *wrapped = wraps;
  return NRT_SUCCESS;
}
