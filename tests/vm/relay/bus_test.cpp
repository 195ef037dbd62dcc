// SPDX-License-Identifier: Apache-2.0
//
// Making companion devices.
#include <cerrno>

#include "agent.hpp"

namespace ndtel::vm {
namespace {

class RelayBus : public ModuleTest {
 protected:
  RelayBus() : ModuleTest("sim_devices=1 nmetric_metric_post_delay=3600000") {}
};

TEST_F(RelayBus, CompanionGetsTheIndexItIsGiven) {
  ASSERT_EQ(module().write_new_device("companion 63 v2\n"), 0);
  ASSERT_TRUE(eventually([] { return exists(node_path(63)); }));
  const Node node(63);
  std::uint32_t index = 0;
  EXPECT_EQ(node.host_device_id(&index), 0);
  EXPECT_EQ(index, 63u);
  nd_ioctl_basic_info info{};
  EXPECT_EQ(node.basic_info(&info), 0);
  EXPECT_EQ(info.architecture, static_cast<std::uint32_t>(ND_ARCH_V2));
  EXPECT_TRUE(node.map_slab().valid());
  EXPECT_EQ(module().del_device(63), 0);
}

TEST_F(RelayBus, AnIndexIsTakenOnce) {
  EXPECT_EQ(module().write_new_device("companion 0 v3"), -EEXIST);
  ASSERT_EQ(module().write_new_device("companion 1 v3"), 0);
  EXPECT_EQ(module().write_new_device("companion 1 v3"), -EEXIST);
  EXPECT_EQ(module().del_device(1), 0);
  EXPECT_TRUE(eventually([&] { return module().write_new_device("companion 1 v4") == 0; }));
}

TEST_F(RelayBus, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"companion", "companion ", "companion 4", "companion v3", "companion 64 v3",
        "companion -1 v3", "companion 4 v9", "companion 4 v3 x", "companion 4294967300 v3",
        "companion 4 v3v3v3v3v3", "companions 4 v3", "companion x v3"}) {
    EXPECT_NE(module().write_new_device(text), 0) << text;
  }
  EXPECT_FALSE(exists(node_path(4)));
}

}  // namespace
}  // namespace ndtel::vm
