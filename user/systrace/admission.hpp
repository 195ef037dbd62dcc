// SPDX-License-Identifier: Apache-2.0
//
// Who may be inside a capture. Emitting threads announce themselves on a line of their own; whoever
// wants the memory of a capture back closes it first and waits until nobody is inside any more.
//
//   emit:  announce(inside = odd); epoch is still mine? write. leave(inside = even).
//   stop:  epoch = closed; heavy fence; wait for every line that is odd to change.
//
// Either the emitter sees that the epoch changed, or the stopping thread sees it inside.
#ifndef NDTEL_SYSTRACE_ADMISSION_HPP
#define NDTEL_SYSTRACE_ADMISSION_HPP

#include <cstdint>

namespace ndtel::systrace {

/// What one thread tells the others: an even count outside, an odd one inside. A count, not a
/// flag, so that somebody who waits for one visit to end is not kept by the next one. On lines of
/// its own: processors fetch pairs of 64 bytes.
template <typename Policy>
class alignas(128) ThreadLine {
 public:
  void enter() noexcept { Policy::announce(inside_, count_ + 1); }
  /// enter(), where the caller knows that fences are asymmetric: one plain store.
  void enter_quickly() noexcept { Policy::announce_asymmetric(inside_, count_ + 1); }
  void leave() noexcept {
    count_ += 2;
    inside_.store(count_, std::memory_order_release);
  }

  /// The visit that is going on, 0 for none.
  std::uint64_t visit() const noexcept {
    const std::uint64_t count = inside_.load(std::memory_order_acquire);
    return (count & 1) != 0 ? count : 0;
  }

  /// Whether a visit seen by visit() is over.
  bool over(std::uint64_t visit) const noexcept {
    return inside_.load(std::memory_order_acquire) != visit;
  }

 private:
  typename Policy::template Atomic<std::uint64_t> inside_{0};
  std::uint64_t count_ = 0;  // what inside_ was when the thread was last outside
};

/// The epoch of the running capture; 0 while there is none.
template <typename Policy>
class Admission {
 public:
  /// Of an emitter, after enter(): the capture it may write to until leave().
  std::uint64_t epoch() const noexcept { return Policy::look(epoch_); }

  /// Lets emitters in. Everything they will touch has been written before.
  void open(std::uint64_t epoch) noexcept { epoch_.store(epoch, std::memory_order_release); }

  /// Turns emitters away and returns when none of `lines` is inside on the closed epoch. A line
  /// that joins later finds the capture closed: joining and closing share the caller's lock.
  template <typename Lines>
  void close(const Lines& lines) noexcept {
    epoch_.store(0, std::memory_order_relaxed);
    Policy::heavy_fence();
    for (const auto* line : lines) {
      const std::uint64_t visit = line->visit();
      if (visit == 0) continue;
      for (unsigned step = 0; !line->over(visit);) step = Policy::pause(step);
    }
  }

 private:
  typename Policy::template Atomic<std::uint64_t> epoch_{0};
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_ADMISSION_HPP
