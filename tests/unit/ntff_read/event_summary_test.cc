// SPDX-License-Identifier: Apache-2.0
#include "event_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace ndtel::ntff::read {
namespace {

EventView view(std::uint32_t nc, std::uint32_t type, std::int32_t phase, std::uint64_t tracking_id,
               std::uint64_t timestamp) {
  EventView event;
  event.nc_idx = nc;
  event.event_type = type;
  event.phase = phase;
  event.tracking_id = tracking_id;
  event.timestamp = timestamp;
  event.thread_id = 1;
  return event;
}

const TypeStats& only(const EventSummary& summary) {
  EXPECT_EQ(summary.pairs().size(), 1u);
  return summary.pairs().begin()->second;
}

TEST(EventSummary, AgreesWithACountThatRemembersEverything) {
  std::mt19937_64 random(1);
  struct Span {
    std::uint64_t start, stop;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Span>> spans;
  std::vector<EventView> events;
  for (std::uint64_t id = 1; id <= 5000; ++id) {
    const auto nc = static_cast<std::uint32_t>(random() % 300);
    const auto type = static_cast<std::uint32_t>(random() % 70);
    const std::uint64_t start = 1'000'000 + random() % 1'000'000;
    const std::uint64_t stop = start + random() % 10'000;
    spans[{nc, type}].push_back({start, stop});
    events.push_back(view(nc, type, 1, id, start));
    events.push_back(view(nc, type, 2, id, stop));
  }
  std::shuffle(events.begin(), events.end(), random);
  EventSummary summary;
  for (const EventView& event : events) summary.add(event);
  summary.finish();
  ASSERT_EQ(summary.pairs().size(), spans.size());
  for (const auto& [key, stats] : summary.pairs()) {
    const auto& expected = spans.at({key.first.nc, key.second.type});
    std::uint64_t total = 0, least = ~0ULL, most = 0, first = ~0ULL, last = 0;
    for (const Span& span : expected) {
      total += span.stop - span.start;
      least = std::min(least, span.stop - span.start);
      most = std::max(most, span.stop - span.start);
      first = std::min(first, span.start);
      last = std::max(last, span.stop);
    }
    EXPECT_EQ(stats.starts, expected.size());
    EXPECT_EQ(stats.stops, expected.size());
    EXPECT_EQ(stats.spans, expected.size());
    EXPECT_EQ(stats.unpaired_starts + stats.unpaired_stops, 0u);
    EXPECT_EQ(stats.total_ns, total);
    EXPECT_EQ(stats.min_ns, least);
    EXPECT_EQ(stats.max_ns, most);
    EXPECT_EQ(stats.range.first_ns, first);
    EXPECT_EQ(stats.range.last_ns, last);
  }
}

TEST(EventSummary, CountsEndsWithoutTheOther) {
  EventSummary summary;
  summary.add(view(0, 3, 1, 1, 10));
  summary.add(view(0, 3, 1, 1, 20));  // takes the place of the first
  summary.add(view(0, 3, 2, 1, 25));
  summary.add(view(0, 3, 2, 2, 30));
  summary.add(view(0, 3, 1, 0, 40));  // without an id
  summary.add(view(0, 3, 3, 0, 50));
  summary.add(view(0, 3, 9, 0, 60));
  summary.finish();
  const TypeStats& stats = only(summary);
  EXPECT_EQ(stats.spans, 1u);
  EXPECT_EQ(stats.total_ns, 5u);
  EXPECT_EQ(stats.unpaired_starts, 2u);
  EXPECT_EQ(stats.unpaired_stops, 1u);
  EXPECT_EQ(stats.instants, 1u);
  EXPECT_EQ(stats.others, 1u);
  EXPECT_EQ(stats.events(), 7u);
}

TEST(EventSummary, DoesNotPairAcrossTypesAndCores) {
  EventSummary summary;
  summary.add(view(0, 3, 1, 1, 10));
  summary.add(view(0, 4, 2, 1, 11));
  summary.add(view(1, 3, 2, 1, 12));
  summary.finish();
  for (const auto& [key, stats] : summary.pairs()) {
    EXPECT_EQ(stats.spans, 0u);
    EXPECT_EQ(stats.unpaired_starts + stats.unpaired_stops, 1u);
  }
}

TEST(EventSummary, ASpanThatEndsBeforeItBeginsHasNoDuration) {
  EventSummary summary;
  summary.add(view(0, 7, 1, 1, 100));
  summary.add(view(0, 7, 2, 1, 90));
  summary.add(view(0, 7, 1, 2, 100));
  summary.add(view(0, 7, 2, 2, 104));
  const TypeStats& stats = only(summary);
  EXPECT_EQ(stats.spans, 2u);
  EXPECT_EQ(stats.backward, 1u);
  EXPECT_EQ(stats.durations(), 1u);
  EXPECT_EQ(stats.mean_ns(), 4.0);
}

TEST(EventSummary, AnEventWithoutATimeIsOfNoTime) {
  EventSummary summary;
  summary.add(view(0, 7, 3, 1, 0));
  EXPECT_TRUE(only(summary).range.empty());
}

TEST(EventSummary, GivesUpTheOldestOfTooManyOpenSpans) {
  EventSummary summary;
  constexpr std::uint64_t kStarts = 3 * SpanTable::kGeneration;
  for (std::uint64_t id = 1; id <= kStarts; ++id) summary.add(view(0, 3, 1, id, id));
  // The last generation at least is there, the first is not.
  summary.add(view(0, 3, 2, 1, kStarts));
  for (std::uint64_t i = 0; i < SpanTable::kGeneration; ++i)
    summary.add(view(0, 3, 2, kStarts - i, kStarts));
  summary.finish();
  const TypeStats& stats = only(summary);
  EXPECT_EQ(stats.spans, SpanTable::kGeneration);
  EXPECT_EQ(stats.unpaired_starts, kStarts - SpanTable::kGeneration);
  EXPECT_EQ(stats.unpaired_stops, 1u);
}

TEST(EventSummary, CountsMorePairsThanItTellsApart) {
  EventSummary summary;
  constexpr std::uint32_t kMore = EventSummary::kMostPairs + 100;
  for (std::uint32_t nc = 0; nc < kMore; ++nc) summary.add(view(nc, 1'000'000, 3, 1, 1));
  EXPECT_EQ(summary.pairs().size(), EventSummary::kMostPairs);
  EXPECT_EQ(summary.rest().instants, 100u);
}

TEST(EventSummary, TellsTheTwoRingsApart) {
  EventSummary summary;
  EventView event = view(2, 7, 1, 0, 5);
  event.thread_id = 0;
  event.type = 7;
  summary.add(event);
  summary.finish();
  EXPECT_EQ(summary.pairs().begin()->first.second, (TypeKey{Ring::kNtrace, 7}));
  EXPECT_EQ(only(summary).unpaired_starts, 0u) << "they have no ids to pair by";
}

TEST(EventSummary, KeepsDevicesWithTheSameCoresApart) {
  EventSummary summary;
  for (int i = 0; i < 4; ++i) {
    EventView event = view(1, 3, 3, 1, 5);
    event.nd_idx = static_cast<std::uint32_t>(i % 2);
    summary.add(event);
  }
  ASSERT_EQ(summary.pairs().size(), 2u);
  for (const auto& [key, stats] : summary.pairs()) EXPECT_EQ(stats.instants, 2u);
}

}  // namespace
}  // namespace ndtel::ntff::read
