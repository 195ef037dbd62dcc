// SPDX-License-Identifier: Apache-2.0
//
// Restarts on every side: the vendor's module, ours, the agent.
#include <random>
#include <thread>

#include "companion_test.hpp"

namespace ndtel::vm {
namespace {

using CompanionRestart = CompanionTest;

TEST_F(CompanionRestart, OfTheVendorsModule) {
  Command agent = run_agent();
  count(0, 7);
  ASSERT_TRUE(all_confirmed(0, 7)) << books(0);
  ASSERT_TRUE(unload(twin_));
  EXPECT_TRUE(says(agent, "ndtel0: /dev/neuron0 is gone"));
  count(0, 5);
  std::this_thread::sleep_for(5 * kShortPeriod);
  EXPECT_EQ(books(0).pending, 5u);
  load_twin();
  EXPECT_TRUE(all_confirmed(0, 12)) << books(0) << agent.out();
  EXPECT_EQ(received(0), 5u);
  EXPECT_EQ(books(0).unknown, 0u);
}

TEST_F(CompanionRestart, OfOurModule) {
  Command agent({"companion", "--interval", "1"});
  count(0, 7);
  ASSERT_TRUE(all_confirmed(0, 7)) << books(0);
  // The agent holds the nodes until it sees the devices go, and makes new ones when it looks next.
  ASSERT_TRUE(eventually([&] {
    ours().del_device(0);
    ours().del_device(1);
    return ours().unload() == 0;
  }));
  ours_.reset();
  EXPECT_TRUE(says(agent, "module ndtel: is not loaded"));
  load_ours();
  count(0, 3);
  EXPECT_TRUE(all_confirmed(0, 3)) << books(0) << agent.out();
  EXPECT_EQ(received(0), 10u);
}

TEST_F(CompanionRestart, OfTheAgentAtAnyMoment) {
  Command({"companion", "--once"}).wait();
  ASSERT_TRUE(eventually([] { return exists(node_path(0)); }));
  Child counter([](Channel&) -> int {
    const Node node(0);
    const auto slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    for (;;) {
      slab.add_nc(0, kCompleted);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  std::mt19937 random(3);
  for (int i = 0; i < 12; ++i) {
    Command agent = run_agent();
    ASSERT_TRUE(says(agent, "ndtel0: relaying")) << agent.out() << agent.err();
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
    agent.signal(SIGKILL);
    EXPECT_EQ(agent.wait(), -SIGKILL);
  }
  counter.kill();
  {
    const auto row = books(0);
    EXPECT_TRUE(row.conserved()) << row;
    EXPECT_LE(row.confirmed, received(0));
    EXPECT_LE(received(0), row.confirmed + row.unknown) << row;
  }
  Command agent = run_agent();
  EXPECT_TRUE(eventually([] { return books(0).pending == 0; })) << books(0);
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  const auto row = books(0);
  EXPECT_TRUE(row.conserved()) << row;
  EXPECT_GT(row.incremented, 0u);
  EXPECT_EQ(row.confirmed, row.incremented) << row;
  EXPECT_LE(row.confirmed, received(0));
  EXPECT_LE(received(0), row.confirmed + row.unknown) << row;
}

TEST_F(CompanionRestart, TwoAgentsShareNothing) {
  Command first = run_agent();
  ASSERT_TRUE(says(first, "ndtel0: relaying"));
  ASSERT_TRUE(says(first, "ndtel1: relaying"));
  Command second = run_agent();
  EXPECT_TRUE(says(second, "another agent is attached"));
  first.signal(SIGKILL);
  EXPECT_EQ(first.wait(), -SIGKILL);
  EXPECT_TRUE(says(second, "ndtel0: relaying"));
  count(0, 7);
  EXPECT_TRUE(all_confirmed(0, 7));
}

}  // namespace
}  // namespace ndtel::vm
