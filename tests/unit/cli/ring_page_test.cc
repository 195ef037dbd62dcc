// SPDX-License-Identifier: Apache-2.0
#include "trace/ring_page.hpp"

#include <gtest/gtest.h>

#include "failure.hpp"
#include "trace_samples.hpp"

namespace ndtel::cli {
namespace {

using samples::Bytes;
using samples::nd_record;
using samples::PageBuilder;

struct Seen {
  std::uint64_t time;
  Bytes record;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> walk(Bytes page, RingPage::Lost* lost = nullptr) {
  RingPage reader;
  std::vector<Seen> seen;
  const auto result = reader.walk(page, [&](std::uint64_t time, std::span<const std::byte> record) {
    seen.push_back({time, {record.begin(), record.end()}});
  });
  if (lost != nullptr) *lost = result;
  return seen;
}

TEST(RingPage, GivesRecordsWithTheirTimes) {
  const Bytes first = nd_record(1, 0, 200, "1"), second = nd_record(2, 0, 205, "22");
  Bytes large(160);
  samples::put<std::uint64_t>(large, 100, 42);
  RingPage::Lost lost;
  const auto seen =
      walk(PageBuilder(1000).add(5, first).add(0, second).add(90, large).build(), &lost);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0], (Seen{1005, first}));
  EXPECT_EQ(seen[1], (Seen{1005, second}));
  EXPECT_EQ(seen[2], (Seen{1095, large}));
  EXPECT_FALSE(lost);
}

TEST(RingPage, TellsHowManyEventsWereOverwritten) {
  RingPage::Lost lost;
  EXPECT_EQ(walk(PageBuilder(1).add(1, nd_record(9, 0, 200, "1")).build(37), &lost).size(), 1U);
  EXPECT_EQ(lost.events, 37U);
  EXPECT_FALSE(lost.uncounted);
}

TEST(RingPage, TellsWhenTheNumberIsNotKnown) {
  Bytes page = PageBuilder(1).add(1, nd_record(9, 0, 200, "1")).build();
  std::uint64_t commit = 0;
  std::memcpy(&commit, page.data() + 8, 8);
  samples::put(page, 8, commit | 1ULL << 31);
  RingPage::Lost lost;
  walk(page, &lost);
  EXPECT_TRUE(lost.uncounted);
}

TEST(RingPage, TakesAnEmptyPage) { EXPECT_TRUE(walk(PageBuilder(1).build()).empty()); }

TEST(RingPage, RefusesAPageThatIsShorterThanItSays) {
  Bytes page = PageBuilder(1).add(1, nd_record(9, 0, 200, "1")).build();
  page.resize(64);
  EXPECT_THROW(walk(page), Failure);
  page.resize(8);
  EXPECT_THROW(walk(page), Failure);
}

}  // namespace
}  // namespace ndtel::cli
