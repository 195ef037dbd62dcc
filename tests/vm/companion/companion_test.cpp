// SPDX-License-Identifier: Apache-2.0
//
// Companion devices are made, and what is counted on them reaches the vendor's firmware once.
#include "companion_test.hpp"

#include "support/privileges.hpp"

namespace ndtel::vm {
namespace {

using Companion = CompanionTest;

TEST_F(Companion, CountsReachTheFirmwareExactlyOnce) {
  Command agent = run_agent();
  count(0, 7);
  count(1, 9);
  EXPECT_TRUE(all_confirmed(0, 7)) << books(0);
  EXPECT_TRUE(all_confirmed(1, 9)) << books(1);
  count(0, 1);
  EXPECT_TRUE(all_confirmed(0, 8)) << books(0);
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.out() << agent.err();
  EXPECT_EQ(received(0), 8u);
  EXPECT_EQ(received(1), 9u);
  EXPECT_EQ(books(0).unknown, 0u);
  const std::string out = agent.out();
  EXPECT_NE(out.find("ndtel0: made beside /dev/neuron0"), std::string::npos) << out;
  EXPECT_NE(out.find("ndtel1: relaying posts to /dev/neuron1"), std::string::npos) << out;
  EXPECT_EQ(agent.err(), "");
}

TEST_F(Companion, OnceOnlyMakesDevices) {
  Command once({"companion", "--once", "--device", "1"});
  ASSERT_EQ(once.wait(), 0) << once.err();
  EXPECT_TRUE(eventually([] { return exists(node_path(1)); }));
  EXPECT_FALSE(exists(node_path(0)));
  count(1, 3);
  EXPECT_EQ(books(1).pending, 3u);
  EXPECT_EQ(received(1), 0u);
  // The next one adopts what is there.
  Command agent = run_agent();
  EXPECT_TRUE(all_confirmed(1, 3)) << books(1);
  EXPECT_EQ(agent.out().find("ndtel1: made"), std::string::npos) << agent.out();
}

TEST_F(Companion, FindsDevicesThatComeLater) {
  Command agent = run_agent();
  ASSERT_TRUE(says(agent, "ndtel1: relaying"));
  ASSERT_EQ(twin().new_device("v2"), 0);
  EXPECT_TRUE(says(agent, "ndtel2: relaying"));
  count(2, 5);
  EXPECT_TRUE(all_confirmed(2, 5));
  EXPECT_EQ(received(2), 5u);
  nd_ioctl_basic_info info{};
  EXPECT_EQ(Node(2).basic_info(&info), 0);
  EXPECT_EQ(info.architecture, static_cast<std::uint32_t>(ND_ARCH_V2));
}

TEST_F(Companion, HoldsTheVendorsNodeOnlyWhilePosting) {
  Command agent = run_agent();
  count(0, 7);
  EXPECT_TRUE(all_confirmed(0, 7));
  // Posts come all the time; between them the module must be free to go.
  EXPECT_TRUE(unload(twin_));
}

TEST_F(Companion, ASilentFirmwareLosesNothing) {
  const Firmware firmware(0, kTwin);
  Command agent = run_agent();
  ASSERT_TRUE(says(agent, "ndtel0: relaying"));
  firmware.set("ignore_requests", kForEver);
  count(0, 7);
  EXPECT_TRUE(says(agent, "ndtel0: /dev/neuron0 did not take the post"));
  count(1, 2);
  EXPECT_TRUE(all_confirmed(1, 2)) << "one device held another up";
  EXPECT_EQ(received(0), 0u);
  EXPECT_EQ(books(0).confirmed, 0u);
  firmware.heal();
  EXPECT_TRUE(says(agent, "ndtel0: posts are accepted again"));
  EXPECT_TRUE(all_confirmed(0, 7)) << books(0);
  EXPECT_EQ(received(0), 7u);
}

TEST_F(Companion, WhatItDidNotHearOfIsUnknown) {
  const Firmware firmware(0, kTwin);
  Command agent = run_agent();
  ASSERT_TRUE(says(agent, "ndtel0: relaying"));
  firmware.set("drop_replies", kForEver);
  count(0, 7);
  EXPECT_TRUE(eventually([&] { return received(0) >= 7; }));
  EXPECT_TRUE(eventually([&] { return books(0).unknown >= 7; })) << books(0);
  firmware.heal();
  EXPECT_TRUE(all_confirmed(0, 7)) << books(0);
  EXPECT_GT(received(0), 7u);
}

TEST_F(Companion, NamesWhatIsMissing) {
  Command nobody({"companion"}, [] { drop_privileges(65534, 65534); });
  EXPECT_EQ(nobody.wait(), 3);
  EXPECT_NE(nobody.err().find("run as root"), std::string::npos) << nobody.err();
  ASSERT_TRUE(unload(ours_));
  Command once({"companion", "--once"});
  EXPECT_EQ(once.wait(), 3);
  EXPECT_NE(once.out().find("module ndtel: is not loaded"), std::string::npos) << once.out();
}

}  // namespace
}  // namespace ndtel::vm
