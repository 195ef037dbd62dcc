// SPDX-License-Identifier: Apache-2.0
//
// The least-frequently-used history of versions.

#include "plane.hpp"

namespace ndtel::test {
namespace {

TEST(Versions, CountsUses) {
  nmetric_history history{};
  EXPECT_EQ(nmetric_history_top(&history), -1);
  nmetric_history_add(&history, 10, 1);
  nmetric_history_add(&history, 20, 2);
  nmetric_history_add(&history, 10, 3);
  EXPECT_EQ(history.usage[0], 4u);
  EXPECT_EQ(history.usage[1], 2u);
  EXPECT_EQ(nmetric_history_top(&history), 0);
  nmetric_history_add(&history, 30, 0);
  EXPECT_EQ(history.usage[2], 0u);
}

TEST(Versions, TieGoesToTheLowestSlot) {
  nmetric_history history{};
  nmetric_history_add(&history, 10, 2);
  nmetric_history_add(&history, 20, 5);
  nmetric_history_add(&history, 30, 5);
  EXPECT_EQ(nmetric_history_top(&history), 1);
}

TEST(Versions, K23NinthWordReplacesTheLeastUsedAndIsTold) {
  nmetric_history history{};
  for (u64 word = 1; word <= 8; word++) nmetric_history_add(&history, word, word == 3 ? 2 : 4);
  nmetric_history_add(&history, 99, 1);
  EXPECT_EQ(history.word[2], 99u);
  EXPECT_EQ(history.usage[2], 1u) << "the newcomer starts with its own uses";
  EXPECT_EQ(history.forgotten, 2u);
  nmetric_history_add(&history, 98, 1);
  EXPECT_EQ(history.word[2], 98u) << "the last inserted wins over the one before";
  EXPECT_EQ(history.forgotten, 3u);
}

TEST(Versions, K23EvictionTieTakesTheLowestSlot) {
  nmetric_history history{};
  for (u64 word = 1; word <= 8; word++) nmetric_history_add(&history, word, 1);
  nmetric_history_add(&history, 99, 1);
  EXPECT_EQ(history.word[0], 99u);
}

TEST(Versions, K23UsageSaturates) {
  nmetric_history history{};
  nmetric_history_add(&history, 10, ~0U);
  nmetric_history_add(&history, 10, 5);
  EXPECT_EQ(history.usage[0], ~0U);
}

TEST(Versions, MergeAddsUses) {
  nmetric_history into{}, from{};
  nmetric_history_add(&into, 10, 1);
  nmetric_history_add(&from, 20, 3);
  nmetric_history_add(&from, 10, 1);
  from.forgotten = 7;
  nmetric_history_merge(&into, &from);
  EXPECT_EQ(into.word[0], 10u);
  EXPECT_EQ(into.usage[0], 2u);
  EXPECT_EQ(into.word[1], 20u);
  EXPECT_EQ(into.usage[1], 3u);
  EXPECT_EQ(into.forgotten, 7u);
}

}  // namespace
}  // namespace ndtel::test
