// SPDX-License-Identifier: Apache-2.0
//
// Who may be inside a capture. Emitting threads announce themselves on a ThreadLine of their own;
// whoever wants the memory of a capture back closes it first and waits until nobody is inside any
// more.
//
//   rare way:   enter(); epoch is open? use the capture. leave().
//   quick way:  enter_quickly(); my cursor has an end? write before it. leave().
//   stop:       epoch = closed; heavy fence; wait for all who are inside;
//               take the ends from all cursors; heavy fence; wait again.
//
// Either the emitter sees what the stopping thread changed, or the stopping thread sees it inside.
// Cursors get their ends on the rare way only, so none gets one after the first wait.
#ifndef NDTEL_SYSTRACE_ADMISSION_HPP
#define NDTEL_SYSTRACE_ADMISSION_HPP

#include <atomic>
#include <cstdint>

#include "ndtel/trace_emit.hpp"

namespace ndtel::systrace {

/// The epoch of the running capture; 0 while there is none.
template <typename Policy>
class Admission {
 public:
  /// Of an emitter, after enter(): the capture it may write to until leave().
  std::uint64_t epoch() const noexcept { return Policy::look(epoch_); }

  /// Lets emitters in. Everything they will touch has been written before.
  void open(std::uint64_t epoch) noexcept { epoch_.store(epoch, std::memory_order_release); }

  /// Turns emitters away and returns when none of `lines` is inside any more. `shut()` takes the
  /// ends from their cursors. A line that joins later finds the capture closed: joining and closing
  /// share the caller's lock.
  template <typename Lines, typename Shut>
  void close(const Lines& lines, Shut&& shut) noexcept {
    epoch_.store(0, std::memory_order_relaxed);
    wait(lines);
    shut();
    wait(lines);
  }

 private:
  template <typename Lines>
  static void wait(const Lines& lines) noexcept {
    Policy::heavy_fence();
    for (const auto* line : lines) {
      const std::uint64_t visit = line->visit();
      if (visit == 0) continue;
      for (unsigned step = 0; !line->over(visit);) step = Policy::pause(step);
    }
  }

  typename Policy::template Atomic<std::uint64_t> epoch_{0};
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_ADMISSION_HPP
