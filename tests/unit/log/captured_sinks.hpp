// SPDX-License-Identifier: Apache-2.0
//
// What nlog writes outside the process while this object lives.
#ifndef NDTEL_TESTS_UNIT_LOG_CAPTURED_SINKS_HPP
#define NDTEL_TESTS_UNIT_LOG_CAPTURED_SINKS_HPP

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "nlog.hpp"
#include "sinks.hpp"

namespace ndtel::nlog::test {

/// Also sets every submodule to errors on the console, and lets nlog warn about itself again.
class CapturedSinks {
 public:
  using Lines = std::vector<std::pair<nrt_log_level_t, std::string>>;

  CapturedSinks() {
    current = this;
    process_log().limit.forget();
    nlog_set_log_level("all", "CONSOLE", "ERROR");
    replace_sinks(&kSinks);
  }
  ~CapturedSinks() {
    replace_sinks(nullptr);
    process_log().coalescing = false;
  }
  CapturedSinks(const CapturedSinks&) = delete;
  CapturedSinks& operator=(const CapturedSinks&) = delete;

  Lines console, syslog, kernel;

 private:
  static void keep(Lines CapturedSinks::*lines, nrt_log_level_t level, std::string_view line) {
    const std::lock_guard lock(current->mutex_);
    (current->*lines).emplace_back(level, line);
  }

  static constexpr Sinks kSinks = {
      [](nrt_log_level_t level, std::string_view line) {
        keep(&CapturedSinks::console, level, line);
      },
      [](nrt_log_level_t level, std::string_view line) {
        keep(&CapturedSinks::syslog, level, line);
      },
      [](std::string_view line) { keep(&CapturedSinks::kernel, NRT_LOG_LEVEL_ERROR, line); }};

  static inline CapturedSinks* current = nullptr;
  std::mutex mutex_;
};

}  // namespace ndtel::nlog::test

#endif  // NDTEL_TESTS_UNIT_LOG_CAPTURED_SINKS_HPP
