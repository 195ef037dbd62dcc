// SPDX-License-Identifier: Apache-2.0
#include "clock_timeline.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ndtel::systrace {
namespace {

using Wide = __int128;

// The first anchors follow each other this closely, as a part of the interval.
constexpr std::uint64_t kFirstSpacing = 16;
// Longer without an anchor, in intervals: no event came in between, but for the first interval.
constexpr std::uint64_t kPause = 4;
// A clock is slewed by 500 ppm at most: what is further from the last rate than this is a step.
constexpr std::int64_t kStepPpm = 2000;
// Two anchors may be wrong against each other by so many tolerances, and the rate by some more.
constexpr std::int64_t kNoise = 6;
// Anchors that are fewer tolerances apart would give a rate that is wrong by more than 500 ppm.
constexpr std::int64_t kClose = 2000;

// What a clock may plausibly do, in ticks a nanosecond and nanoseconds a tick: 1 MHz counters and
// 8 GHz ones with room to spare.
constexpr Wide kFastest = 1 << 14;
// 73 years: products of two spans fit in 128 bits.
constexpr std::uint64_t kLongestSpan = 1ULL << 61;

bool is_point(const TimeSegment& segment) noexcept {
  return segment.first.ticks == segment.last.ticks;
}

// Word by word and atomic: a reader in another process may copy at the same time. Who reads a word
// sees what its writer had published before it, and looks at that after the word.
template <typename Word>
void store(Word& to, Word value) noexcept {
  __atomic_store_n(&to, value, __ATOMIC_RELEASE);
}

template <typename Word>
Word load_word(const Word& from) noexcept {
  Word value;
  __atomic_load(&from, &value, __ATOMIC_ACQUIRE);
  return value;
}

void store(TimeSegment& to, const TimeSegment& from) noexcept {
  store(to.first.ticks, from.first.ticks);
  store(to.first.ns, from.first.ns);
  store(to.last.ticks, from.last.ticks);
  store(to.last.ns, from.last.ns);
}

TimeSegment load_segment(const TimeSegment& from) noexcept {
  return {{load_word(from.first.ticks), load_word(from.first.ns)},
          {load_word(from.last.ticks), load_word(from.last.ns)}};
}

bool plausible(const TimeSegment& segment) noexcept {
  constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / 2;
  for (const Anchor& anchor : {segment.first, segment.last})
    if (anchor.ns < -kLatest || anchor.ns > kLatest) return false;
  if (is_point(segment)) return segment.first.ns == segment.last.ns;
  if (segment.last.ticks < segment.first.ticks || segment.last.ns <= segment.first.ns) return false;
  const Wide ticks = segment.last.ticks - segment.first.ticks;
  const Wide ns = Wide{segment.last.ns} - segment.first.ns;
  return ticks < Wide{kLongestSpan} && ns < Wide{kLongestSpan} && ticks <= ns * kFastest &&
         ns <= ticks * kFastest;
}

}  // namespace

std::int64_t TimelineWriter::ns_in(std::uint64_t ticks) const noexcept {
  return static_cast<std::int64_t>(Wide{ticks} * rate_.ns / Wide{rate_.ticks});
}

bool TimelineWriter::steeper(Slope a, Slope b) noexcept {
  return Wide{a.ns} * Wide{b.ticks} > Wide{b.ns} * Wide{a.ticks};
}

bool TimelineWriter::start(TimelineData& data, TickSource source, Anchor first,
                           Anchor second) noexcept {
  const TimeSegment segment{first, second};
  if (is_point(segment) || !plausible(segment)) return false;
  data_ = &data;
  segment_ = segment;
  rate_ = {second.ns - first.ns, second.ticks - first.ticks};
  data.version = kTimelineVersion;
  data.source = source;
  data.interval_ticks = ticks_in(kIntervalNs);
  data.rejected.store(0, std::memory_order_relaxed);
  data.anchors.store(2, std::memory_order_relaxed);
  spacing_ = data.interval_ticks / kFirstSpacing;
  open_door(kToleranceNs);
  publish(0, segment_);
  data.next_anchor.store(second.ticks + spacing_, std::memory_order_relaxed);
  return true;
}

std::uint64_t TimelineWriter::ticks_in(std::uint64_t ns) const noexcept {
  return static_cast<std::uint64_t>(Wide{ns} * rate_.ticks / rate_.ns);
}

void TimelineWriter::open_door(std::int64_t tolerance) noexcept {
  rate_ = {segment_.last.ns - segment_.first.ns, segment_.last.ticks - segment_.first.ticks};
  low_ = {rate_.ns - tolerance, rate_.ticks};
  high_ = {rate_.ns + tolerance, rate_.ticks};
}

void TimelineWriter::narrow_door(std::int64_t tolerance) noexcept {
  const Slope low = low_, high = high_;
  open_door(tolerance);
  if (steeper(low, low_)) low_ = low;
  if (steeper(high_, high)) high_ = high;
}

bool TimelineWriter::passes_door(std::int64_t ns, std::uint64_t ticks) const noexcept {
  return !steeper(low_, {ns, ticks}) && !steeper({ns, ticks}, high_);
}

void TimelineWriter::publish(std::uint64_t closed, TimeSegment newest) noexcept {
  const std::uint64_t copy = ~data_->published.load(std::memory_order_relaxed) & 1;
  store(data_->newest[copy], newest);
  data_->published.store(closed * 2 + copy, std::memory_order_release);
}

void TimelineWriter::close_and_publish(TimeSegment newest) noexcept {
  const std::uint64_t closed = data_->published.load(std::memory_order_relaxed) / 2;
  // Readers do not use this slot: what it held is the oldest segment, already given up.
  store(data_->closed[closed % kClosedSegments], segment_);
  segment_ = newest;
  publish(closed + 1, newest);
}

void TimelineWriter::postpone(std::uint64_t now) noexcept {
  data_->rejected.fetch_add(1, std::memory_order_relaxed);
  data_->next_anchor.store(now + data_->interval_ticks / kFirstSpacing, std::memory_order_relaxed);
}

void TimelineWriter::extend(Anchor anchor, std::int64_t tolerance) noexcept {
  const bool first_rate = is_point(segment_);
  segment_.last = anchor;
  if (first_rate) {
    open_door(tolerance);
  } else {
    narrow_door(tolerance);
  }
  publish(data_->published.load(std::memory_order_relaxed) / 2, segment_);
}

void TimelineWriter::add(Anchor anchor, std::int64_t uncertainty_ns) noexcept {
  if (anchor.ticks <= segment_.last.ticks) return;
  const std::int64_t tolerance = std::max(kToleranceNs, uncertainty_ns);
  const std::uint64_t since_last = anchor.ticks - segment_.last.ticks;
  const Wide expected = segment_.last.ns + Wide{since_last} * rate_.ns / Wide{rate_.ticks};
  const Wide surprise = anchor.ns > expected ? anchor.ns - expected : expected - anchor.ns;
  const Wide noise = kNoise * tolerance;
  const bool step = surprise > noise + (expected - segment_.last.ns) * kStepPpm / 1'000'000;
  const bool pause = since_last > kPause * data_->interval_ticks;
  // The noise of two anchors that lie close together would pass for a rate.
  const bool close = since_last < ticks_in(static_cast<std::uint64_t>(kClose * tolerance));

  bool fits = plausible({segment_.first, anchor});
  if (is_point(segment_)) {
    fits = fits && !close && (surprise <= tolerance || (!step && !pause));
  } else {
    fits = fits && passes_door(anchor.ns - segment_.first.ns, anchor.ticks - segment_.first.ticks);
  }

  if (fits) {
    extend(anchor, tolerance);
    spacing_ = std::min(spacing_ * 2, data_->interval_ticks);
  } else if (step || pause) {
    // Where in between the clock changed is not known, and there it hardly matters: the events lie
    // near the one anchor or near the other. The rate has to be learned anew.
    close_and_publish({anchor, anchor});
    spacing_ = data_->interval_ticks / kFirstSpacing;
  } else if (!close) {
    close_and_publish({segment_.last, anchor});
    open_door(tolerance);
    spacing_ = std::min(spacing_ * 2, data_->interval_ticks);
  } else {
    data_->next_anchor.store(anchor.ticks + spacing_, std::memory_order_relaxed);
    return;
  }
  data_->anchors.fetch_add(1, std::memory_order_relaxed);
  data_->next_anchor.store(anchor.ticks + spacing_, std::memory_order_relaxed);
}

bool TickConverter::load(const TimelineData& data) noexcept {
  size_ = current_ = 0;
  forgotten_ = 0;
  if (load_word(data.version) != kTimelineVersion) return false;
  const auto source = static_cast<std::uint32_t>(load_word(data.source));
  if (source < 1 || source > 3) return false;
  // A dead writer is read once; a living one publishes every ten milliseconds.
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t published = data.published.load(std::memory_order_acquire);
    const std::uint64_t closed = published / 2;
    // The slot of the next segment may be half written.
    const std::uint64_t count = std::min<std::uint64_t>(closed, kClosedSegments - 1);
    for (std::uint64_t n = 0; n < count; ++n)
      lines_[n].segment = load_segment(data.closed[(closed - count + n) % kClosedSegments]);
    const TimeSegment newest = load_segment(data.newest[published & 1]);
    if (data.published.load(std::memory_order_relaxed) != published) continue;
    forgotten_ = closed - count;
    return build(count, newest);
  }
  return false;
}

bool TickConverter::build(std::uint64_t closed, const TimeSegment& newest) noexcept {
  lines_[closed].segment = newest;
  const std::size_t count = closed + 1;
  std::size_t with_rate = count;  // the first line that has one
  for (std::size_t n = 0; n < count; ++n) {
    Line& line = lines_[n];
    const TimeSegment& segment = line.segment;
    if (!plausible(segment)) return false;
    if (n > 0 && segment.first.ticks < lines_[n - 1].segment.last.ticks) return false;
    if (!is_point(segment)) {
      line.rate_ns = static_cast<std::uint64_t>(segment.last.ns - segment.first.ns);
      line.rate_ticks = segment.last.ticks - segment.first.ticks;
      with_rate = std::min(with_rate, n);
    } else if (n > 0 && with_rate < n) {
      line.rate_ns = lines_[n - 1].rate_ns;
      line.rate_ticks = lines_[n - 1].rate_ticks;
    }
  }
  if (with_rate == count) return false;
  for (std::size_t n = 0; n < with_rate; ++n) {
    lines_[n].rate_ns = lines_[with_rate].rate_ns;
    lines_[n].rate_ticks = lines_[with_rate].rate_ticks;
  }
  size_ = count;
  return true;
}

std::size_t TickConverter::find(std::uint64_t ticks) const noexcept {
  const auto covers = [&](std::size_t n) {
    return (n == 0 || lines_[n].segment.first.ticks <= ticks) &&
           (n + 1 == size_ || ticks < lines_[n + 1].segment.first.ticks);
  };
  std::size_t n = current_;
  if (!covers(n)) {
    const auto begin = lines_.begin(), end = begin + static_cast<std::ptrdiff_t>(size_);
    const auto after = std::upper_bound(begin, end, ticks, [](std::uint64_t t, const Line& l) {
      return t < l.segment.first.ticks;
    });
    n = after == begin ? 0 : static_cast<std::size_t>(after - begin) - 1;
  }
  return n;
}

std::uint64_t TickConverter::to_ns(std::uint64_t ticks) noexcept {
  if (size_ == 0) return 0;
  std::size_t n = current_ = find(ticks);
  const std::uint64_t end = lines_[n].segment.last.ticks;
  if (n + 1 < size_ && ticks > end && ticks - end > lines_[n + 1].segment.first.ticks - ticks) ++n;
  const Line& line = lines_[n];
  const Anchor& from = line.segment.first;
  const Wide passed = (Wide{ticks} - Wide{from.ticks}) * Wide{line.rate_ns} / Wide{line.rate_ticks};
  const Wide ns = passed + from.ns;
  if (ns <= 0) return 0;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return ns > Wide{kMax} ? kMax : static_cast<std::uint64_t>(ns);
}

}  // namespace ndtel::systrace
