// SPDX-License-Identifier: Apache-2.0
//
// Loading and unloading: refused while in use, complete when not, again and again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>

#include "support/child.hpp"
#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/kernel_log.hpp"
#include "support/node.hpp"
#include "support/thread.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {
namespace {

using LifecycleUnload = ModuleTest;

TEST_F(LifecycleUnload, RefusedWhileANodeIsOpenOnEitherLane) {
  for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
    Node node(1, flags);
    EXPECT_EQ(Module::try_unload(), -EWOULDBLOCK);
    EXPECT_GT(module().references(), 0);
    std::uint32_t version[2];
    EXPECT_EQ(node.control(ND_IOC_COMPATIBLE_VERSION, version), 0);
  }
  EXPECT_EQ(module().references(), 0);
}

TEST_F(LifecycleUnload, RefusedWhileASlabIsMappedAndItsFileClosed) {
  Node node(0);
  auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  node.close();
  EXPECT_EQ(Module::try_unload(), -EWOULDBLOCK);
  slab.add_nc(0, 1, 5);
  EXPECT_EQ(slab.nc(0, 1), 5u);
  slab.reset();
  EXPECT_EQ(module().references(), 0);
}

TEST_F(LifecycleUnload, RefusedWhileAnotherProcessHasANodeOpenAndWorksAfterItsDeath) {
  Child user([](Channel& channel) {
    const Node node(0);
    CHILD_CHECK(node.acquire() == 0);
    channel.send();
    sleep_for_ever();
    return 0;
  });
  ASSERT_TRUE(user.receive());
  EXPECT_EQ(Module::try_unload(), -EWOULDBLOCK);
  user.kill();
  EXPECT_TRUE(eventually([&] { return module().unload() == 0; }));
  EXPECT_FALSE(Module::loaded());
  ASSERT_EQ(Module::try_load("sim_devices=1"), 0);  // for the proofs at the end
}

// Open nodes of a removed device count too: their code is the module's.
TEST_F(LifecycleUnload, RefusedWhileANodeOfARemovedDeviceIsOpen) {
  const Node node(0);
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_EQ(Module::try_unload(), -EWOULDBLOCK);
  std::uint32_t id = 0;
  EXPECT_EQ(node.host_device_id(&id), -ENODEV);
}

class LifecycleLoad : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Module::loaded()) Module::try_unload();
    ASSERT_FALSE(Module::loaded());
  }
};

// Posting at the shortest period, with a listener in every tenth round, so that threads are stopped
// at any point.
TEST_F(LifecycleLoad, FiftyTimesWithDevices) {
  const std::string name = default_namespace();
  KernelLog log;
  for (int round = 0; round < 50; ++round) {
    std::optional<Trace> trace;
    Module module("sim_devices=2 nmetric_log_posts=2 nmetric_metric_post_delay=100 sim_arch=v" +
                  std::to_string(2 + round % 3));
    if (round % 10 == 0) trace.emplace();
    for (int device = 0; device < 2; ++device) {
      ASSERT_TRUE(eventually([&] { return exists(node_path(device)); })) << "round " << round;
    }
    if (round % 3 == 0) {
      const Node node(round % 2);
      const auto slab = node.map_slab();
      ASSERT_TRUE(slab.valid());
      slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 1);
    }
    ASSERT_EQ(module.unload(), 0) << "round " << round;
  }
  ASSERT_TRUE(eventually([&] { return !exists(node_path(0)); }));
  EXPECT_TRUE(kernel_threads("nd0 metrics").empty());
  EXPECT_TRUE(kernel_threads("nd1 metrics").empty());
  EXPECT_FALSE(exists("/sys/class/" + name + "_device"));
  EXPECT_FALSE(exists("/sys/kernel/debug/" + name));
  EXPECT_EQ(log.count("BUG"), 0);
}

// Somebody opens nodes, makes and removes devices all the time: unloading waits or is refused, and
// in the end works.
TEST_F(LifecycleLoad, UnloadingRacesWithOpenAndNewDevice) {
  Child opener([](Channel&) {
    for (;;) {
      const int fd = Node::try_open(0, O_RDWR);
      // The node may be there before and after the module's code.
      CHILD_CHECK(fd >= 0 || fd == -ENOENT || fd == -ENXIO || fd == -ENODEV);
      if (fd >= 0) {
        Node node{Fd(fd)};
        const int result = node.acquire();
        CHILD_CHECK(result == 0 || result == -ENODEV);
      }
    }
    return 0;
  });
  Child maker([](Channel&) {
    const std::string bus = "/sys/bus/" + default_namespace() + "/";
    for (;;) {
      const int made = write_file(bus + "new_device", "sim v3");
      CHILD_CHECK(made == 0 || made == -ENOENT || made == -ENODEV || made == -ENOSPC);
      const int gone = write_file(bus + "del_device", "1");
      CHILD_CHECK(gone == 0 || gone == -ENOENT || gone == -ENODEV);
    }
    return 0;
  });
  for (int round = 0; round < 10; ++round) {
    Module module("sim_devices=1 nmetric_metric_post_delay=100");
    ASSERT_TRUE(eventually([&] { return module.unload() == 0; })) << "round " << round;
  }
  EXPECT_EQ(opener.kill(), -SIGKILL);
  EXPECT_EQ(maker.kill(), -SIGKILL);
}

}  // namespace
}  // namespace ndtel::vm
