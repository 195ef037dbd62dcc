// SPDX-License-Identifier: Apache-2.0
//
// A device goes while it is in use: files that are open get ENODEV, memory that is mapped stays,
// nothing crashes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "support/child.hpp"
#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/owner.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {
namespace {

using LifecycleRemoval = ModuleTest;

TEST_F(LifecycleRemoval, EveryCommandOnAnOldFileGetsENODEV) {
  const Node normal(0);
  const Node reader(0, O_RDONLY);
  const Node free(0, O_WRONLY);
  ASSERT_EQ(normal.acquire(), 0);
  ASSERT_EQ(module().del_device(0), 0);
  for (const unsigned long command : {static_cast<unsigned long>(ND_IOC_DEVICE_INIT),
                                      static_cast<unsigned long>(ND_IOC_DEVICE_INFO),
                                      static_cast<unsigned long>(ND_IOC_GET_ALL_APPS_INFO),
                                      static_cast<unsigned long>(ND_IOC_ACQUIRE_NEURON_DS),
                                      static_cast<unsigned long>(ND_IOC_RELEASE_NEURON_DS),
                                      static_cast<unsigned long>(ND_IOC_COMPATIBLE_VERSION),
                                      static_cast<unsigned long>(ND_IOC_DEVICE_BASIC_INFO),
                                      static_cast<unsigned long>(ND_IOC_DRIVER_INFO_GET),
                                      static_cast<unsigned long>(ND_IOC_DRIVER_INFO_SET),
                                      static_cast<unsigned long>(ND_IOC_HOST_DEVICE_ID),
                                      static_cast<unsigned long>(ND_IOC_METRICS_CTRL), 0x4E00ul}) {
    std::byte argument[128] = {};
    EXPECT_EQ(normal.control(command, argument), -ENODEV) << std::hex << command;
    EXPECT_EQ(reader.control(command, nullptr), -ENODEV) << std::hex << command;
    EXPECT_EQ(free.control(command, argument), -ENODEV) << std::hex << command;
  }
}

TEST_F(LifecycleRemoval, MapAndReopenGetENODEVAndTheNodeIsGone) {
  const Node node(0);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(node.acquire(0, &info), 0);
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_EQ(Mapping::map(node.fd(), info.mmap_offset).error(), -ENODEV);
  EXPECT_TRUE(eventually([] { return Node::try_open(0, O_RDWR) == -ENOENT; }));
  const auto again = "/proc/self/fd/" + std::to_string(node.fd());
  for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
    EXPECT_EQ(::open(again.c_str(), flags), -1);
    // The inode may be gone too, which is as good.
    EXPECT_TRUE(errno == ENODEV || errno == ENXIO) << errno;
  }
  EXPECT_FALSE(Debugfs(0).present());
  EXPECT_TRUE(Debugfs(1).present());
}

TEST_F(LifecycleRemoval, MappedSlabsStayReadableAndWritable) {
  Node node(0);
  auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  slab.add_nc(3, 1, 77);
  Child reader([owner = ::getpid()](Channel& channel) {
    const Node own(0, O_RDONLY);
    const auto foreign = own.map_slab(owner);
    CHILD_CHECK(foreign.valid());
    CHILD_CHECK(foreign.nc(3, 1) == 77);
    channel.send();
    channel.receive();
    CHILD_CHECK(foreign.nc(3, 1) == 78);
    return 0;
  });
  ASSERT_TRUE(reader.receive());
  ASSERT_EQ(module().del_device(0), 0);
  slab.add_nc(3, 1, 1);
  EXPECT_EQ(slab.nc(3, 1), 78u);
  ASSERT_TRUE(reader.send());
  EXPECT_EQ(reader.wait(), 0);
  EXPECT_EQ(Debugfs::slabs_alive(), 1u);
  node.close();
  slab.add_nc(3, 1, 1);
  slab.reset();
  EXPECT_EQ(Debugfs::slabs_alive(), 0u);
}

TEST_F(LifecycleRemoval, OwnersThatEndAfterTheRemovalLeaveNothing) {
  std::optional<Owner> killed;
  killed.emplace([](const Mapping& slab) { slab.add_nc(0, 1, 5); });
  Child exits([](Channel& channel) {
    const Node node(0);
    const auto slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    channel.send();
    channel.receive();
    CHILD_CHECK(node.release() == -ENODEV);
    CHILD_CHECK(node.acquire() == -ENODEV);
    slab.add_nc(0, 1, 5);
    return 0;
  });
  ASSERT_TRUE(exits.receive());
  ASSERT_EQ(module().del_device(0), 0);
  killed->kill();
  ASSERT_TRUE(exits.send());
  EXPECT_EQ(exits.wait(), 0);
  EXPECT_TRUE(no_slabs_left());
}

TEST_F(LifecycleRemoval, OwnerCanGoOnWithAnotherDevice) {
  const Node old(0);
  const auto slab = old.map_slab();
  ASSERT_TRUE(slab.valid());
  ASSERT_EQ(module().del_device(0), 0);
  ASSERT_EQ(module().new_device("v3"), 0);
  const Node next(2);
  const auto fresh = next.map_slab();
  ASSERT_TRUE(fresh.valid());
  slab.add_nc(0, 1, 3);
  EXPECT_EQ(fresh.nc(0, 1), 0u);
}

// Each time a post may be on its way, a tick waiting for the lock, or the thread asleep.
TEST_F(LifecycleRemoval, RemovingWhilePostingNeverHangs) {
  Trace trace;
  ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", "100"), 0);
  for (int round = 0; round < 10; ++round) {
    ASSERT_EQ(module().new_device("v3"), 0);
    Owner owner([](const Mapping& slab) { slab.add_nc(0, 1, 1); });
    std::this_thread::sleep_for(std::chrono::milliseconds(14 * round));
    ASSERT_EQ(module().del_device(2), 0);
  }
}

}  // namespace
}  // namespace ndtel::vm
