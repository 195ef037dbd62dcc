// SPDX-License-Identifier: Apache-2.0
//
// A post has 128 bytes. What does not fit waits, comes first next time, and is not lost.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "metrics_test.hpp"

namespace ndtel::vm {
namespace {

using MetricsBudget = MetricsTest;

// Tick-1 counters with 18 digits each fill more than a post on their own.
struct Amount {
  unsigned cw;
  std::uint32_t counter;
};

constexpr Amount kTick1[] = {
    {221, 31}, {223, 33}, {224, 34}, {253, 35}, {225, 36}, {226, 37}, {227, 38}, {228, 39},
};

std::uint64_t amount_of(const Amount& entry) { return 123456789012345000 + entry.cw; }

void fill_tick1(const Mapping& slab) {
  for (const auto& entry : kTick1) slab.add_nc(entry.cw % 8, entry.counter, amount_of(entry));
  store_nd(slab, NDS_ND_COUNTER_RUNTIME_VERSION, version(255, 255, 0xFFFFFFFF));
  store_nd(slab, NDS_ND_COUNTER_FRAMEWORK_VERSION, version(255, 255, 0xFFFFFFFF, 9));
  store_nd(slab, NDS_ND_COUNTER_FAL_VERSION, version(255, 255, 0xFFFFFFFF));
  store_nd(slab, NDS_ND_COUNTER_FEATURE_BITMAP, ~std::uint64_t{0});
  store_nd(slab, NDS_ND_COUNTER_DEVICE_CLUSTER_ID, ~std::uint64_t{0});
  store_nd(slab, NDS_ND_COUNTER_AGG_NEFF_ID, ~std::uint64_t{0});
}

TEST_F(MetricsBudget, PostThatOverflowsDefersAndLosesNothing) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  fill_tick1(slab);
  const auto posts = run(12);
  for (const auto& post : posts) EXPECT_LE(post.bytes(), 128u);
  for (const auto& entry : kTick1) {
    EXPECT_EQ(texts_of(posts, entry.cw), Texts{std::to_string(amount_of(entry))})
        << "id " << entry.cw;
  }
  EXPECT_GT(Debugfs().anomalies().at("sink1 deferred"), 0u);
  // Nothing starves: what is posted every time it fits comes again and again behind the counters.
  for (const unsigned cw : {190, 191, 195, 250, 252, 80}) {
    EXPECT_FALSE(texts_of(posts, cw).empty()) << "id " << cw;
  }
}

// What waited goes ahead of the registry's order.
TEST_F(MetricsBudget, DeferredRowsComeFirstNextTime) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  fill_tick1(slab);
  posting().align(1);
  const auto posts = run(3);
  ASSERT_EQ(posts[0].tick, 1u);
  ASSERT_EQ(posts[2].tick, 1u);
  EXPECT_EQ(posts[0].records.front().id, 12u);
  const unsigned first = posts[2].records.front().id;
  EXPECT_FALSE(posts[0].has(first)) << "id " << first << " has not waited";
  EXPECT_FALSE(posts[1].has(first)) << "id " << first << " has not waited";
}

// Words that grow all the time under a full post: each row is posted again and again, and the books
// balance.
TEST_F(MetricsBudget, NoRowStarvesUnderConstantOverflow) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  std::vector<Post> posts;
  for (int round = 0; round < 8; ++round) {
    fill_tick1(slab);
    for (const auto& post : run(2)) posts.push_back(post);
  }
  for (const auto& entry : kTick1) {
    EXPECT_GE(texts_of(posts, entry.cw).size(), 2u) << "id " << entry.cw;
    const auto books = Debugfs().books_of(entry.cw);
    EXPECT_EQ(sum_of(posts, entry.cw), books.confirmed) << books;
    EXPECT_EQ(books.incremented, 8 * amount_of(entry)) << books;
    EXPECT_TRUE(books.conserved()) << books;
  }
}

// No record straddles the end: a post's records add up to what the texts say, each whole.
TEST_F(MetricsBudget, RecordsAreNeverCut) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  fill_tick1(slab);
  for (std::uint32_t counter = 1; counter <= 20; ++counter) {
    slab.add_nc(1, counter, 100000000000000000 + counter);
  }
  for (const auto& post : run(10)) {
    EXPECT_LE(post.bytes(), 128u);
    for (const auto& record : post.records) EXPECT_EQ(record.length, record.value.size());
  }
}

}  // namespace
}  // namespace ndtel::vm
