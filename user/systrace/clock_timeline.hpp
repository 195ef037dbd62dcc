// SPDX-License-Identifier: Apache-2.0
//
// A timeline converts ticks to CLOCK_REALTIME. It is a list of straight lines through anchors
// (ticks and the clock read at the same moment) and lies in memory that another process may read
// after this one was killed at any instruction.
#ifndef NDTEL_SYSTRACE_CLOCK_TIMELINE_HPP
#define NDTEL_SYSTRACE_CLOCK_TIMELINE_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "clock_ticks.hpp"

namespace ndtel::systrace {

/// Ticks and the clock, read at the same moment.
struct Anchor {
  std::uint64_t ticks;
  std::int64_t ns;  ///< since the epoch
};

/// A straight line between two anchors, which are one and the same while no second one is known.
struct TimeSegment {
  Anchor first;
  Anchor last;
};
static_assert(sizeof(TimeSegment) == 32);

inline constexpr std::uint32_t kTimelineVersion = 1;
inline constexpr std::size_t kClosedSegments = 256;

/// The shared form. All zero is an empty timeline. The newest segment exists twice: the writer
/// changes the copy that is not published, then publishes it, so a reader never sees half a change.
struct TimelineData {
  std::uint32_t version;
  TickSource source;
  std::uint64_t interval_ticks;            ///< how far apart anchors are while events arrive
  std::atomic<std::uint64_t> next_anchor;  ///< the ticks at which the next anchor is due
  std::atomic<std::uint64_t> published;    ///< segments closed so far * 2 + index into newest
  std::atomic<std::uint64_t> anchors;      ///< taken
  std::atomic<std::uint64_t> rejected;     ///< attempts that were preempted, so not taken
  std::array<TimeSegment, 2> newest;
  std::array<TimeSegment, kClosedSegments> closed;  ///< the n-th lies at n % kClosedSegments
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(offsetof(TimelineData, newest) == 48 && offsetof(TimelineData, closed) == 112 &&
              sizeof(TimelineData) == 112 + 32 * kClosedSegments);

/// The only writer of a TimelineData. One thread at a time.
///
/// An anchor extends the newest line while all anchors that the line has met stay within a
/// tolerance of it, so a steady clock needs one line for hours. Otherwise it opens a new line: one
/// that continues the old, or, after a step of the clock or a pause, one apart from it.
class TimelineWriter {
 public:
  /// How far a line may pass from an anchor that is not less certain than that, nanoseconds.
  static constexpr std::int64_t kToleranceNs = 150;
  /// Anchors are this far apart while events arrive, nanoseconds; closer at first, and after a step
  /// or a pause, until the rate of the clock is known.
  static constexpr std::uint64_t kIntervalNs = 10'000'000;

  /// Starts a timeline in `data` with two anchors; the further apart the better the first rate.
  /// False when `second` is not after `first`, in ticks and in time. `data` must outlive the
  /// writer.
  bool start(TimelineData& data, TickSource source, Anchor first, Anchor second) noexcept;

  /// Adds an anchor, which may be wrong by `uncertainty_ns`. One that is not after the last one, or
  /// too close to teach anything new, is ignored.
  void add(Anchor anchor, std::int64_t uncertainty_ns = 0) noexcept;

  /// Nothing could be learned at `now`: try again soon.
  void postpone(std::uint64_t now) noexcept;

  /// Ticks that `ns` nanoseconds take, and the other way round, at the present rate: for limits,
  /// not for conversion.
  std::uint64_t ticks_in(std::uint64_t ns) const noexcept;
  std::int64_t ns_in(std::uint64_t ticks) const noexcept;

 private:
  // A line from the first anchor of the segment is within the tolerance of every anchor met when
  // its slope lies between these two. Fractions: ns over ticks.
  struct Slope {
    std::int64_t ns;
    std::uint64_t ticks;
  };

  static bool steeper(Slope a, Slope b) noexcept;
  void open_door(std::int64_t tolerance) noexcept;
  void narrow_door(std::int64_t tolerance) noexcept;
  bool passes_door(std::int64_t ns, std::uint64_t ticks) const noexcept;
  void extend(Anchor anchor, std::int64_t tolerance) noexcept;
  void publish(std::uint64_t closed, TimeSegment newest) noexcept;
  void close_and_publish(TimeSegment newest) noexcept;

  TimelineData* data_ = nullptr;
  TimeSegment segment_{};
  Slope rate_{};
  Slope low_{}, high_{};
  std::uint64_t spacing_ = 0;  // to the next anchor; doubles up to the interval
};

/// Converts ticks with a copy of a timeline. A value, without allocation, about 12 KiB.
class TickConverter {
 public:
  /// Copies and checks a timeline, which may lie in memory that an untrusted process can still
  /// write. False, and the converter is empty, when it holds none or none that makes sense.
  bool load(const TimelineData& data) noexcept;

  /// CLOCK_REALTIME at `ticks` in nanoseconds since the epoch; 0 for what lies before the epoch,
  /// and when the converter is empty. Between two lines that do not meet, the nearer one counts;
  /// before the first line and after the last one they are continued.
  std::uint64_t to_ns(std::uint64_t ticks) noexcept;

  /// Lines in use.
  std::size_t segments() const noexcept { return size_; }
  /// Lines the timeline has had to forget: what they covered converts with the oldest one kept.
  std::uint64_t forgotten() const noexcept { return forgotten_; }

 private:
  struct Line {
    TimeSegment segment;
    std::uint64_t rate_ns;     // nanoseconds that pass
    std::uint64_t rate_ticks;  // in so many ticks; never 0
  };

  bool build(std::uint64_t closed, const TimeSegment& newest) noexcept;
  std::size_t find(std::uint64_t ticks) const noexcept;

  std::array<Line, kClosedSegments> lines_;
  std::size_t size_ = 0;
  std::size_t current_ = 0;  // events come nearly in order
  std::uint64_t forgotten_ = 0;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_CLOCK_TIMELINE_HPP
