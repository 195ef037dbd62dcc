// SPDX-License-Identifier: Apache-2.0
//
// What is not counted: feature bits, the cluster's and the workload's id.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "metrics_test.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kFeatures = 250;
constexpr unsigned kClusterId = 252;
constexpr unsigned kNeffId = 80;

using MetricsConstants = MetricsTest;

Owner::Fill with(std::uint32_t counter, std::uint64_t value) {
  return [=](const Mapping& slab) { store_nd(slab, counter, value); };
}

// The text under an id in the first post that has one; empty when none has.
std::string first_text(const std::vector<Post>& posts, unsigned id) {
  const auto texts = texts_of(posts, id);
  return texts.empty() ? "" : texts.front();
}

TEST_F(MetricsConstants, FeatureBitsOfAllProcessesAreOred) {
  Owner a(with(NDS_ND_COUNTER_FEATURE_BITMAP, 1));
  Owner b(with(NDS_ND_COUNTER_FEATURE_BITMAP, 2));
  for (const auto& post : run(4)) {
    EXPECT_EQ(post.texts(kFeatures), post.tick == 1 ? Texts{"3"} : Texts{});
  }
}

// The bits wait for tick 1 although a tick-0 post comes first, and are posted once.
TEST_F(MetricsConstants, FeatureBitsOfAProcessThatDiedBeforeATick0PostAreKept) {
  posting().align(0);
  Owner dead(with(NDS_ND_COUNTER_FEATURE_BITMAP, std::uint64_t{1} << 40));
  dead.kill();
  Owner alive(with(NDS_ND_COUNTER_FEATURE_BITMAP, 1));
  const auto posts = run(4);
  ASSERT_EQ(posts.front().tick, 0u);
  const auto texts = texts_of(posts, kFeatures);
  ASSERT_GE(texts.size(), 2u);
  EXPECT_EQ(texts[0], std::to_string((std::uint64_t{1} << 40) + 1));
  EXPECT_EQ(texts[1], "1");
}

TEST_F(MetricsConstants, ClusterIdIsDecimalAndNeffIdLowerCaseHex) {
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  store_nd(slab, NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 0xFEDCBA9876543210);
  store_nd(slab, NDS_ND_COUNTER_AGG_NEFF_ID, 0xFEDCBA9876543210);
  for (const auto& post : run(2)) {
    EXPECT_EQ(post.texts(kClusterId), post.tick == 1 ? Texts{"18364758544493064720"} : Texts{});
    EXPECT_EQ(post.texts(kNeffId), post.tick == 1 ? Texts{"fedcba9876543210"} : Texts{});
  }
}

TEST_F(MetricsConstants, ProcessWithoutAnIdDoesNotMaskAnothers) {
  Owner has(with(NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 77));
  Owner later([](const Mapping&) {});
  EXPECT_EQ(first_text(run(2), kClusterId), "77");
  later.kill();
  EXPECT_EQ(first_text(run(2), kClusterId), "77");
}

TEST_F(MetricsConstants, IdOfADeadProcessIsPostedOnceAndNotErasedByADeathWithoutOne) {
  Owner dead(with(NDS_ND_COUNTER_AGG_NEFF_ID, 0xABC));
  dead.kill();
  Owner without([](const Mapping&) {});
  without.kill();
  EXPECT_EQ(texts_of(run(4), kNeffId), Texts{"abc"});
}

TEST_F(MetricsConstants, LivingProcessesIdWinsOverADeadOnes) {
  Owner dead(with(NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 1));
  Owner alive(with(NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 2));
  dead.kill();
  EXPECT_EQ(first_text(run(2), kClusterId), "2");
}

TEST_F(MetricsConstants, OfConflictingIdsTheLastWrittenWinsAndTheConflictIsCounted) {
  const Node node(0);
  const auto first = node.map_slab();
  ASSERT_TRUE(first.valid());
  Owner second(with(NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 222));
  EXPECT_EQ(first_text(run(2), kClusterId), "222");
  EXPECT_EQ(Debugfs().anomalies().at("const_conflicts"), 0u);
  store_nd(first, NDS_ND_COUNTER_DEVICE_CLUSTER_ID, 111);
  EXPECT_EQ(first_text(run(2), kClusterId), "111");
  EXPECT_GT(Debugfs().anomalies().at("const_conflicts"), 0u);
}

}  // namespace
}  // namespace ndtel::vm
