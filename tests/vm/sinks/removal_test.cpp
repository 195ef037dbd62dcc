// SPDX-License-Identifier: Apache-2.0
//
// A device that goes hands over what it still has, or says that nobody took it.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "sinks_test.hpp"
#include "support/kernel_log.hpp"

namespace ndtel::vm {
namespace {

using SinksRemoval = SinksTest;

constexpr char kUntaken[] = "removed with counts that no sink took";

// The period is an hour: only the removal can have posted.
TEST_F(SinksRemoval, HandsPendingCountsOfLiveAndDeadProcessesToAListener) {
  Trace trace;
  KernelLog log;
  Child dead([](Channel&) {
    const Node node(0);
    const auto slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.add_nc(0, kCompleted, 100);
    slab.add_nc(0, kAborts, 200);
    return 0;
  });
  ASSERT_EQ(dead.wait(), 0);
  const Node node(0);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(7, kCompleted, 1);
  slab.add_nc(7, kAborts, 2);
  EXPECT_TRUE(trace.read().empty());
  ASSERT_EQ(module().del_device(0), 0);
  trace.read();
  EXPECT_EQ(trace.sum(0, kOk), 101u);
  EXPECT_EQ(trace.sum(0, kDmaAbort), 202u);
  EXPECT_EQ(log.count(kUntaken), 0);
}

// More than one post of each band is needed.
TEST_F(SinksRemoval, HandsOverMoreThanOnePostHolds) {
  Trace trace;
  {
    const Node node(0);
    const auto slab = node.map_slab();
    ASSERT_TRUE(slab.valid());
    for (const std::uint32_t counter : {31, 33, 34, 35, 36, 37, 38, 39, 1, 2, 3, 4, 5, 6, 7}) {
      slab.add_nc(1, counter, 100000000000000000 + counter);
    }
  }
  ASSERT_EQ(module().del_device(0), 0);
  trace.read();
  const std::pair<unsigned, std::uint32_t> rows[] = {
      {221, 31}, {223, 33}, {224, 34}, {253, 35}, {225, 36}, {226, 37}, {227, 38}, {228, 39},
      {200, 1},  {214, 2},  {213, 3},  {205, 4},  {212, 5},  {207, 6},  {219, 7}};
  for (const auto& [cw, counter] : rows) {
    EXPECT_EQ(trace.posts(0, cw).size(), 1u) << "id " << cw;
    EXPECT_EQ(trace.sum(0, cw), 100000000000000000 + counter) << "id " << cw;
  }
}

TEST_F(SinksRemoval, SaysOnceThatNobodyTookCounts) {
  KernelLog log;
  {
    const Node node(0);
    node.map_slab().add_nc(0, kCompleted, 5);
  }
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_EQ(log.count(kUntaken), 1);
}

TEST_F(SinksRemoval, SaysSoWhenTheSinkIsSwitchedOff) {
  KernelLog log;
  Trace trace;
  sinks("0");
  {
    const Node node(0);
    node.map_slab().add_nc(0, kCompleted, 5);
  }
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_EQ(log.count(kUntaken), 1);
  EXPECT_TRUE(trace.read().empty());
}

TEST_F(SinksRemoval, SaysNothingWhenNothingWasCounted) {
  KernelLog log;
  {
    const Node node(0);
    ASSERT_EQ(node.acquire(), 0);
  }
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_EQ(log.count(kUntaken), 0);
}

}  // namespace
}  // namespace ndtel::vm
