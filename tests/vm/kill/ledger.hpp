// SPDX-License-Identifier: Apache-2.0
//
// What counting processes did, in memory that survives them. Each increment is marked before and
// after, so a process that is killed leaves at most one increment per thread in doubt.
#ifndef NDTEL_TESTS_VM_KILL_LEDGER_HPP
#define NDTEL_TESTS_VM_KILL_LEDGER_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ndtel::vm {

/// Counters that the victims use: one of each band that the slab has for a device's cores.
struct Counted {
  std::uint32_t core;
  std::uint32_t counter;
  unsigned cw;  ///< CloudWatch id of its row
};
inline constexpr Counted kCounted[] = {
    {0, 1, 200},   // INFER_COMPLETED: cores 0..3, original band
    {3, 31, 221},  // HW_ERR_COLLECTIVES: cores 0..3, extended band
    {7, 30, 220},  // OOB: cores 4 and above
};
inline constexpr std::size_t kCounters = std::size(kCounted);

/// Marks of one thread of one victim.
struct Marks {
  std::atomic<std::uint64_t> intent[kCounters];
  std::atomic<std::uint64_t> done[kCounters];
};

/// Bounds of what was counted.
struct Bounds {
  std::uint64_t done = 0;
  std::uint64_t intent = 0;
};

/// Marks of many threads in shared memory.
class Ledger {
 public:
  explicit Ledger(std::size_t threads);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger();

  Marks& of(std::size_t thread) const { return marks_[thread]; }
  std::span<Marks> all() const { return marks_; }
  Bounds bounds(std::size_t first_thread, std::size_t threads, std::size_t counter) const;

 private:
  std::span<Marks> marks_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_KILL_LEDGER_HPP
