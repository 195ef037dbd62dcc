// SPDX-License-Identifier: Apache-2.0
//
// A capture on core 0, as the benchmarks of this folder use it.
#ifndef NDTEL_TESTS_BENCH_TRACE_CORE_CAPTURE_HPP
#define NDTEL_TESTS_BENCH_TRACE_CORE_CAPTURE_HPP

#include <cstdint>

#include "nrt/nrt_sys_trace_internal.h"

namespace ndtel::bench {

inline constexpr std::uint64_t kSlots = 1 << 20;
inline constexpr std::uint32_t kType = NRT_SYS_TRACE_EVENT_TYPE_EXEC_PRE;
inline constexpr std::uint32_t kFilteredType = NRT_SYS_TRACE_EVENT_TYPE_EXEC_POST;

/// Runs as long as it lives; every type but kFilteredType is on.
class Capture {
 public:
  explicit Capture(std::uint64_t slots = kSlots);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  bool running() const { return running_; }

 private:
  bool running_ = false;
};

/// Emits `count` events of kType on core `nc` as C++ programs do, each with a payload of its own.
void emit_inlined(std::uint32_t nc, std::uint64_t first, std::uint64_t count);
/// Emits `count` events of `type` on core 0 through the C interface, each with a payload of its
/// own.
void emit_through_c(std::uint32_t type, std::uint64_t first, std::uint64_t count);

}  // namespace ndtel::bench

#endif  // NDTEL_TESTS_BENCH_TRACE_CORE_CAPTURE_HPP
