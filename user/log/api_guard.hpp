// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_LOG_API_GUARD_HPP
#define NDTEL_LOG_API_GUARD_HPP

#include "nrt/nlog.h"

namespace ndtel::nlog {

/// One call into the runtime: causes of its failure that are still kept back when the object goes
/// are written as the failure of `api`, a static string.
class ApiGuard {
 public:
  explicit ApiGuard(const char* api) noexcept { nlog_api_begin(api); }
  ~ApiGuard() { nlog_api_end(); }
  ApiGuard(const ApiGuard&) = delete;
  ApiGuard& operator=(const ApiGuard&) = delete;
};

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_API_GUARD_HPP
