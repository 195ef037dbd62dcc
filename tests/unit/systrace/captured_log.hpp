// SPDX-License-Identifier: Apache-2.0
//
// What the engine says while this object lives, each line with its level.
#ifndef NDTEL_TESTS_UNIT_SYSTRACE_CAPTURED_LOG_HPP
#define NDTEL_TESTS_UNIT_SYSTRACE_CAPTURED_LOG_HPP

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "log.hpp"

namespace ndtel::systrace::test {

class CapturedLog {
 public:
  CapturedLog() {
    log::detail::forget_limits();  // an earlier test may have provoked the same line
    log::set_sink({&CapturedLog::take, this});
  }
  ~CapturedLog() { log::set_sink({}); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  /// Call it when no other thread logs.
  const std::vector<std::pair<int, std::string>>& lines() const { return lines_; }

 private:
  static void take(void* self, int level, const char* message) {
    auto& log = *static_cast<CapturedLog*>(self);
    const std::lock_guard lock(log.mutex_);
    log.lines_.emplace_back(level, message);
  }

  std::mutex mutex_;
  std::vector<std::pair<int, std::string>> lines_;
};

}  // namespace ndtel::systrace::test

#endif  // NDTEL_TESTS_UNIT_SYSTRACE_CAPTURED_LOG_HPP
