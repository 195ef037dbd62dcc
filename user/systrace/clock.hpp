// SPDX-License-Identifier: Apache-2.0
//
// Keeps a timeline up to date: reads the ticks and the clock together, often enough and no more.
#ifndef NDTEL_SYSTRACE_CLOCK_HPP
#define NDTEL_SYSTRACE_CLOCK_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

#include "clock_ticks.hpp"
#include "clock_timeline.hpp"

namespace ndtel::systrace {

/// The clocks of this machine. Tests put others in their place.
struct MachineClocks {
  TickSource source() const noexcept { return tick_source(); }
  std::uint64_t ordered_ticks() noexcept { return systrace::ordered_ticks(); }
  std::int64_t realtime_ns() noexcept { return systrace::realtime_ns(); }
};

/// Takes the anchors of a timeline. due() is for any thread at any time; start() and anchor() are
/// for one thread at a time, so callers hold a lock: on the event path only tried, another thread
/// is then taking the anchor.
template <typename Clocks = MachineClocks>
class BasicClock {
 public:
  explicit BasicClock(Clocks clocks = {}) noexcept : clocks_(clocks) {}

  /// Starts a timeline in `data`, which must outlive the clock; takes about a quarter of a
  /// millisecond. False when the clocks stand still.
  bool start(TimelineData& data) noexcept {
    const Bracket first = best_of(kFirstTries, 0);
    width_ = first.width;
    // A rate good to 0.04 % from the beginning, for a process that dies before the next anchor.
    const std::int64_t until = first.anchor.ns + kFirstSpanNs;
    for (int i = 0; i < kPatience && clocks_.realtime_ns() < until; ++i) continue;
    const Bracket second = best_of(kFirstTries, 0);
    width_ = std::min(width_, second.width);
    refused_ = 0;
    data_ = &data;
    return writer_.start(data, clocks_.source(), first.anchor, second.anchor);
  }

  /// Whether an event at `ticks` should have an anchor taken: one relaxed load and a comparison.
  bool due(std::uint64_t ticks) const noexcept {
    return ticks >= data_->next_anchor.load(std::memory_order_relaxed);
  }

  /// Takes an anchor now: when one is due, and before a read-out. False when each try was
  /// preempted; the timeline is as before then.
  bool anchor() noexcept {
    // Bracketing reads that lie close together agree within half their distance. What is close is
    // learned, and given up step by step on a machine that has become slow.
    const std::uint64_t limit = (2 * width_ + writer_.ticks_in(kSlackNs)) << refused_;
    const Bracket best = best_of(kTries, limit / 2);
    if (best.width > limit) {
      refused_ = std::min(refused_ + 1, kMaxRefusals);
      writer_.postpone(best.anchor.ticks);
      return false;
    }
    refused_ = 0;
    width_ = best.width < width_ ? best.width : width_ + (best.width - width_) / 16;
    writer_.add(best.anchor, writer_.ns_in(best.width) / 2);
    return true;
  }

 private:
  struct Bracket {
    Anchor anchor;
    std::uint64_t width;  // ticks between the two reads around the clock's
  };

  static constexpr int kTries = 6;
  static constexpr int kFirstTries = 32;
  static constexpr int kPatience = 1'000'000;
  static constexpr unsigned kMaxRefusals = 10;
  static constexpr std::uint64_t kSlackNs = 100;
  static constexpr std::int64_t kFirstSpanNs = 250'000;

  // The narrowest of some tries; the first that is good enough ends them.
  Bracket best_of(int tries, std::uint64_t good_enough) noexcept {
    Bracket best{{}, std::numeric_limits<std::uint64_t>::max()};
    for (int i = 0; i < tries && best.width > good_enough; ++i) {
      const std::uint64_t before = clocks_.ordered_ticks();
      const std::int64_t ns = clocks_.realtime_ns();
      const std::uint64_t width = clocks_.ordered_ticks() - before;
      if (width < best.width) best = {{before + width / 2, ns}, width};
    }
    return best;
  }

  Clocks clocks_;
  TimelineWriter writer_;
  TimelineData* data_ = nullptr;
  std::uint64_t width_ = 0;
  unsigned refused_ = 0;
};

using Clock = BasicClock<>;

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_CLOCK_HPP
