// SPDX-License-Identifier: Apache-2.0
//
// The one log of the process.
#ifndef NDTEL_LOG_NLOG_HPP
#define NDTEL_LOG_NLOG_HPP

#include <atomic>

#include "error_ring.hpp"
#include "levels.hpp"
#include "rate_limit.hpp"

namespace ndtel::nlog {

/// Levels, errors, and whether causes are kept back.
struct ProcessLog {
  Levels levels;
  ErrorRings errors;
  RateLimit limit;  ///< of what nlog says about itself
  std::atomic<bool> coalescing{false};
  std::atomic<bool> initialised{false};  ///< by nlog_init()
};

/// The log. The first call reads the environment. It is never destroyed: threads and destructors
/// log to the very end.
ProcessLog& process_log() noexcept;

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_NLOG_HPP
