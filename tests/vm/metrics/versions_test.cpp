// SPDX-License-Identifier: Apache-2.0
//
// Versions of several processes: the two most used, with the framework's type.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "metrics_test.hpp"

namespace ndtel::vm {
namespace {

using MetricsVersions = MetricsTest;

Owner::Fill with_version(std::uint32_t counter, std::uint64_t word) {
  return [=](const Mapping& slab) { store_nd(slab, counter, word); };
}

Owner::Fill runtime(std::uint64_t word) {
  return with_version(NDS_ND_COUNTER_RUNTIME_VERSION, word);
}

TEST_F(MetricsVersions, TheTwoMostUsedOfLivingAndDeadProcessesArePosted) {
  std::deque<Owner> owners;
  // One slab of v3 comes first, so that v2 wins over it by its dead process and not by its place.
  owners.emplace_back(runtime(version(3, 0, 0)));
  for (int i = 0; i < 3; ++i) owners.emplace_back(runtime(version(1, 10, 100)));
  owners.emplace_back(runtime(version(2, 20, 200)));
  Owner dead(runtime(version(2, 20, 200)));
  dead.kill();
  const auto posts = run(3);
  EXPECT_EQ(posts[0].texts(180), Texts{"1.10.100"});
  EXPECT_EQ(posts[0].texts(181), Texts{"2.20.200"});
  // The dead one counted once: v2 and v3 now tie, and the first in the pool is posted.
  EXPECT_EQ(posts[1].texts(180), Texts{"1.10.100"});
  EXPECT_EQ(posts[1].texts(181), Texts{"3.0.0"});
}

TEST_F(MetricsVersions, DeadProcessOnlyIsPostedOnce) {
  Owner dead(runtime(version(7, 8, 9)));
  dead.kill();
  EXPECT_EQ(texts_of(run(4), 180), Texts{"7.8.9"});
}

TEST_F(MetricsVersions, UnsetVersionIsNotPosted) {
  const Node node(0);
  ASSERT_EQ(node.acquire(), 0);
  const auto posts = run(2);
  for (const unsigned cw : {180, 181, 190, 191, 192, 193, 195, 196}) {
    EXPECT_EQ(texts_of(posts, cw), Texts{}) << "id " << cw;
  }
}

TEST_F(MetricsVersions, LargestNumbersAreUnsigned) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  store_nd(slab, NDS_ND_COUNTER_RUNTIME_VERSION, version(255, 255, 0xFFFFFFFF));
  EXPECT_EQ(run(2).front().texts(180), Texts{"255.255.4294967295"});
}

TEST_F(MetricsVersions, FrameworkTypeFollowsItsVersionOnTick1) {
  Owner first(with_version(NDS_ND_COUNTER_FRAMEWORK_VERSION, version(2, 1, 0, 3)));
  Owner again(with_version(NDS_ND_COUNTER_FRAMEWORK_VERSION, version(2, 1, 0, 3)));
  Owner second(with_version(NDS_ND_COUNTER_FRAMEWORK_VERSION, version(1, 13, 1, 2)));
  for (const auto& post : run(2)) {
    if (post.tick == 0) {
      for (const unsigned cw : {190, 191, 192, 193}) EXPECT_FALSE(post.has(cw)) << "id " << cw;
      continue;
    }
    EXPECT_EQ(post.texts(190), Texts{"2.1.0"});
    EXPECT_EQ(post.texts(191), Texts{"3"});
    EXPECT_EQ(post.texts(192), Texts{"1.13.1"});
    EXPECT_EQ(post.texts(193), Texts{"2"});
  }
}

TEST_F(MetricsVersions, FrameworklessProcessPostsItsTypeOnly) {
  Owner owner(with_version(NDS_ND_COUNTER_FRAMEWORK_VERSION, version(0, 0, 0, 1)));
  const auto posts = run(2);
  EXPECT_EQ(texts_of(posts, 190), Texts{});
  EXPECT_EQ(texts_of(posts, 191), Texts{"1"});
}

// The type is one digit: the reserved field modulo 10, and 0 is none.
TEST_F(MetricsVersions, FrameworkTypeIsTheLastDecimalDigit) {
  {
    Owner owner(with_version(NDS_ND_COUNTER_FRAMEWORK_VERSION, version(1, 0, 0, 17)));
    EXPECT_EQ(texts_of(run(2), 191), Texts{"7"});
  }
  posting().run(2);  // what the process left is posted
  Owner owner(with_version(NDS_ND_COUNTER_FRAMEWORK_VERSION, version(1, 0, 0, 20)));
  const auto posts = run(2);
  EXPECT_EQ(texts_of(posts, 190), Texts{"1.0.0"});
  EXPECT_EQ(texts_of(posts, 191), Texts{});
}

TEST_F(MetricsVersions, RuntimeVersionHasNoType) {
  Owner owner(runtime(version(2, 31, 24, 5)));
  const auto post = run(2).front();
  EXPECT_EQ(post.texts(180), Texts{"2.31.24"});
  EXPECT_EQ(post.texts(181), Texts{});
}

TEST_F(MetricsVersions, FalVersionsArePostedOnTick1) {
  Owner owner(with_version(NDS_ND_COUNTER_FAL_VERSION, version(2, 9, 4)));
  for (const auto& post : run(2)) {
    EXPECT_EQ(post.texts(195), post.tick == 1 ? Texts{"2.9.4"} : Texts{});
  }
}

// Sixteen owners with as many versions: eight are remembered, and a post still has at most two and
// 128 bytes.
TEST_F(MetricsVersions, SixteenDifferentVersionsPostTwo) {
  std::deque<Owner> owners;
  for (std::uint64_t i = 0; i < NDS_SLABS_PER_DEVICE; ++i) {
    owners.emplace_back([i](const Mapping& slab) {
      for (const std::uint32_t counter :
           {NDS_ND_COUNTER_RUNTIME_VERSION, NDS_ND_COUNTER_FRAMEWORK_VERSION,
            NDS_ND_COUNTER_FAL_VERSION}) {
        store_nd(slab, counter, version(200 + i, 255, 0xFFFFFFFF, 9));
      }
    });
  }
  for (const auto& post : run(8)) {
    EXPECT_LE(post.bytes(), 128u);
    for (const unsigned cw : {180, 181, 190, 191, 192, 193, 195, 196}) {
      EXPECT_LE(post.texts(cw).size(), 1u) << "id " << cw;
    }
  }
}

}  // namespace
}  // namespace ndtel::vm
