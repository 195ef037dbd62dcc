// SPDX-License-Identifier: Apache-2.0
//
// Where things are: neighbours, routing ids, logical cores, bus addresses.
#include <gtest/gtest.h>

#include <algorithm>

#include "ioctl_test.hpp"
#include "support/firmware.hpp"
#include "support/owner.hpp"

namespace ndtel::vm {
namespace {

using IoctlMaps = IoctlTest;

constexpr std::uint32_t kRidMap = 0xC1044E73;

TEST_F(IoctlMaps, RoutingIdsAreWhatTheFirmwareSays) {
  for (const int flags : {O_RDWR, O_WRONLY}) {
    auto map = patterned<nd_ioctl_rid_map>();
    ASSERT_EQ(Node(0, flags).control(kRidMap, &map), 0);
    EXPECT_EQ(map.count, 3u);
    for (int device = 0; device < kDevices; ++device) {
      EXPECT_EQ(map.rid[device], Firmware(device).reg(0x24)) << device;
    }
    for (std::size_t i = kDevices; i < 64; ++i) EXPECT_EQ(map.rid[i], 0xFFFFFFFF) << i;
  }
  ASSERT_EQ(module().del_device(1), 0);
  ASSERT_EQ(module().write_new_device("companion 5 v3"), 0);
  ASSERT_EQ(Firmware(2).command("0x24 busy"), 0);
  auto map = patterned<nd_ioctl_rid_map>();
  ASSERT_EQ(Node(0).control(kRidMap, &map), 0);
  EXPECT_EQ(map.count, 6u);
  EXPECT_EQ(map.rid[0], Firmware(0).reg(0x24));
  EXPECT_EQ(map.rid[1], 0xFFFFFFFF) << "there is no such device";
  EXPECT_EQ(map.rid[2], 0xFFFFFFFF) << "its firmware does not say";
  EXPECT_EQ(map.rid[5], 0xFFFFFFFF) << "it has no firmware";
}

TEST_F(IoctlMaps, RoutingIdsNeedTheRightSizeInWhateverDirection) {
  std::byte argument[kArgumentRoom] = {};
  const Node node(0);
  for (const std::uint32_t number : {0x81044E73u, 0x41044E73u, 0x01044E73u}) {
    EXPECT_EQ(node.control(number, argument), 0) << std::hex << number;
  }
  for (const std::uint32_t number : {0xC1004E73, 0xC1084E73, 0xC0084E73, 0x00004E73u}) {
    EXPECT_EQ(node.control(number, argument), -EINVAL) << std::hex << number;
  }
}

TEST_F(IoctlMaps, DriverInfoIsMatchedByNumber) {
  const Node node(0);
  std::byte argument[kArgumentRoom] = {};
  for (const std::uint32_t number : {0x80184E6E, 0x80204E6E, 0x81004E6E}) {
    EXPECT_EQ(node.control(number, argument), 0) << std::hex << number;
  }
  for (const std::uint32_t number : {0x40184E6Eu, 0x40084E6Eu}) {
    EXPECT_EQ(node.control(number, argument), -kNotSupported) << std::hex << number;
  }
  for (const std::uint32_t number : {0xC0184E6E, 0x80084E6E, 0x80174E6E, 0x00004E6Eu}) {
    EXPECT_EQ(node.control(number, argument), -EINVAL) << std::hex << number;
  }
}

int core_map(const Node& node, std::uint32_t capacity, void* map, std::uint32_t reserved = 0) {
  nd_ioctl_get_nc_mapping request{};
  request.capacity = capacity;
  request.reserved = reserved;
  request.mapping = std::bit_cast<std::uint64_t>(map);
  return node.control(ND_IOC_GET_NC_MAPPING, &request);
}

TEST_F(IoctlMaps, LogicalCoresOfEachDeviceAreItsPhysicalOnesInItsOrder) {
  constexpr std::uint32_t kKnown[][9] = {{0, 4, 5, 6, 7, 2, 3, 0, 1},
                                         {1, 2, 3, 0, 1, 4, 5, 6, 7},
                                         {4, 0, 1, 2, 3, 6, 7, 4, 5},
                                         {5, 6, 7, 4, 5, 0, 1, 2, 3}};
  for (const int device : {1, 2}) {
    auto map = patterned<nd_ioctl_nc_mapping>();
    ASSERT_EQ(core_map(Node(device, O_WRONLY), 128, &map), 0);
    EXPECT_EQ(map.count, 128u);
    for (const auto& known : kKnown) {
      for (std::uint32_t core = 0; core < 8; ++core) {
        EXPECT_EQ(map.entry[known[0] * 8 + core].core, known[core + 1]) << known[0];
      }
    }
    for (std::uint32_t i = 0; i < 16; ++i) {
      std::uint32_t seen = 0;
      for (std::uint32_t core = 0; core < 8; ++core) {
        EXPECT_EQ(map.entry[i * 8 + core].device, i);
        seen |= 1u << map.entry[i * 8 + core].core;
      }
      EXPECT_EQ(seen, 0xFFu) << "device " << i << " misses a core";
    }
  }
}

TEST_F(IoctlMaps, CoreMapNeedsRoom) {
  const GuardedMemory memory;
  const Node node(1);
  auto map = patterned<nd_ioctl_nc_mapping>();
  EXPECT_EQ(core_map(node, 127, &map), -E2BIG);
  EXPECT_EQ(core_map(node, 0, &map), -E2BIG);
  EXPECT_EQ(core_map(node, 128, &map, 1), -EINVAL);
  EXPECT_EQ(map.count, 0xA5A5A5A5);
  EXPECT_EQ(core_map(node, 0xFFFFFFFF, &map), 0);
  EXPECT_EQ(core_map(node, 128, nullptr), -EFAULT);
  EXPECT_EQ(core_map(node, 128, memory.read_only()), -EFAULT);
  EXPECT_EQ(core_map(node, 128, memory.before_read_only(1027)), -EFAULT);
  EXPECT_EQ(core_map(Node(0), 128, &map), -kNotSupported);
}

TEST_F(IoctlMaps, SimulatedDevicesHaveNoBusAddress) {
  const Node node(1);
  auto bdf = patterned<nd_ioctl_bdf>();
  EXPECT_EQ(node.control(ND_IOC_DEVICE_BDF, &bdf), -ENODEV);
  EXPECT_EQ(bdf.bus, 0xA5A5A5A5);
  // Relative to the opened device: 1 and 2 are there, 0 cannot be named, 3 is not there.
  for (const std::uint32_t index : {0u, 1u}) {
    nd_ioctl_bdf_ext ext{};
    ext.nd_index = index;
    EXPECT_EQ(node.control(ND_IOC_DEVICE_BDF_EXT, &ext), -ENODEV) << index;
  }
  for (const std::uint32_t index : {2u, 62u, 63u, 64u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    nd_ioctl_bdf_ext ext{};
    ext.nd_index = index;
    EXPECT_EQ(node.control(ND_IOC_DEVICE_BDF_EXT, &ext), -EINVAL) << index;
  }
}

TEST_F(IoctlMaps, AppPidIsTheProcessInTheLowestPlace) {
  const Node node(0);
  std::int32_t pid[2] = {99, 99};
  ASSERT_EQ(node.control(ND_IOC_DEVICE_APP_PID, pid), 0);
  EXPECT_EQ(pid[0], 0);
  EXPECT_EQ(pid[1], 99);
  Owner first([](const Mapping&) {});
  Owner second([](const Mapping&) {});
  ASSERT_EQ(node.control(ND_IOC_DEVICE_APP_PID, pid), 0);
  EXPECT_EQ(pid[0], first.pid());
  first.kill();
  ASSERT_EQ(node.control(ND_IOC_DEVICE_APP_PID, pid), 0);
  EXPECT_EQ(pid[0], second.pid());
}

/// As many devices as an instance of known wiring has.
class IoctlNeighbours : public ModuleTest {
 protected:
  IoctlNeighbours() : ModuleTest("sim_devices=16 sim_arch=v3 nmetric_metric_post_delay=3600000") {}
};

TEST_F(IoctlNeighbours, DeviceInfoNamesThem) {
  auto info = patterned<nd_ioctl_device_info>();
  ASSERT_EQ(Node(0).device_info(&info), 0);
  ASSERT_EQ(info.connected_device_count, 4u);
  std::uint32_t ids[4];
  std::copy_n(info.connected_devices, 4, ids);
  std::sort(std::begin(ids), std::end(ids));
  EXPECT_TRUE(std::equal(std::begin(ids), std::end(ids), std::begin({1u, 3u, 4u, 12u})));
  for (std::size_t i = 4; i < 8; ++i) EXPECT_EQ(info.connected_devices[i], 0u);
  EXPECT_EQ(info.pad, 0u);
  EXPECT_EQ(info.bar_address[0], 0u);
  EXPECT_EQ(info.bar_address[1], 0u);
}

}  // namespace
}  // namespace ndtel::vm
