// SPDX-License-Identifier: Apache-2.0
//
// What each query returns, to the last byte.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ioctl_test.hpp"

namespace ndtel::vm {
namespace {

using IoctlValues = IoctlTest;

TEST_F(IoctlValues, DeviceInfoHasTheArchitectureAndZerosElsewhere) {
  for (int i = 0; i < kDevices; ++i) {
    auto info = patterned<nd_ioctl_device_info>();
    ASSERT_EQ(Node(i).device_info(&info), 0);
    EXPECT_EQ(info.architecture, kGenerations[i].architecture);
    // No neighbours, no kernel addresses, no bytes of the kernel's stack.
    std::byte rest[sizeof info - 4];
    std::memcpy(rest, reinterpret_cast<const std::byte*>(&info) + 4, sizeof rest);
    for (std::size_t at = 0; at < sizeof rest; ++at) {
      EXPECT_EQ(rest[at], std::byte{0}) << "offset " << at + 4;
    }
  }
}

TEST_F(IoctlValues, BasicInfoIsTheSameOnBothLanes) {
  for (int i = 0; i < kDevices; ++i) {
    for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
      auto info = patterned<nd_ioctl_basic_info>();
      ASSERT_EQ(Node(i, flags).basic_info(&info), 0);
      EXPECT_EQ(info.architecture, kGenerations[i].architecture);
      EXPECT_EQ(info.revision, 0u);
    }
  }
}

TEST_F(IoctlValues, DriverInfoSaysItsSizeAndOnlyFeaturesThatAreThere) {
  for (int i = 0; i < kDevices; ++i) {
    for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
      auto info = patterned<nd_ioctl_driver_info>();
      ASSERT_EQ(Node(i, flags).driver_info(&info), 0);
      EXPECT_EQ(info.architecture, kGenerations[i].architecture);
      EXPECT_EQ(info.revision, 0u);
      EXPECT_EQ(info.version, 0u);
      EXPECT_EQ(info.size, 24u);
      EXPECT_EQ(info.feature_flags1, 8u);
    }
  }
}

TEST_F(IoctlValues, CompatibleVersionHasTheMaximumFirst) {
  for (int i = 0; i < kDevices; ++i) {
    for (const int flags : {O_RDWR, O_WRONLY}) {
      std::uint32_t version[2] = {99, 99};
      ASSERT_EQ(Node(i, flags).control(0x40084E5D, version), 0);
      EXPECT_EQ(version[0], kGenerations[i].compatible_max);
      EXPECT_EQ(version[1], kGenerations[i].compatible_min);
    }
  }
}

TEST_F(IoctlValues, HostDeviceIdIsTheIndexOfTheNode) {
  for (int i = 0; i < kDevices; ++i) {
    std::uint32_t id[2] = {99, 99};
    ASSERT_EQ(Node(i).host_device_id(id), 0);
    EXPECT_EQ(id[0], static_cast<std::uint32_t>(i));
    EXPECT_EQ(id[1], 99u);
  }
}

TEST_F(IoctlValues, DeviceInitAndReleaseSucceedWithoutAnArgument) {
  const Node node(0);
  EXPECT_EQ(node.control(kDeviceInit, nullptr), 0);
  EXPECT_EQ(node.control(kDeviceRelease, nullptr), 0);
}

TEST_F(IoctlValues, DriverInfoSetIsNotSupportedOnBothLanes) {
  for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
    auto info = patterned<nd_ioctl_driver_info>();
    EXPECT_EQ(Node(0, flags).control(kDriverInfoSet, &info), -kNotSupported);
    EXPECT_EQ(Node(0, flags).control(kDriverInfoSet, nullptr), -kNotSupported);
    EXPECT_EQ(info.size, 0xA5A5A5A5);
  }
}

TEST_F(IoctlValues, AcquireFillsItsPaddingWithZeros) {
  const Node node(1);
  auto info = patterned<nd_ioctl_ds_info>();
  ASSERT_EQ(node.acquire(0, &info), 0);
  EXPECT_EQ(info.pid, 0);
  EXPECT_EQ(info.pad0, 0u);
  EXPECT_EQ(info.size, 262144u);
  EXPECT_EQ(info.pad1, 0u);
  EXPECT_NE(info.mmap_offset, 0u);
  EXPECT_EQ(info.mmap_offset % 4096, 0u);
}

// An argument need not be aligned, and nothing around it is touched.
TEST_F(IoctlValues, UnalignedArgumentsWorkAndNothingAroundThemIsWritten) {
  const Node node(0);
  for (const auto& command : kCommands) {
    std::byte memory[kArgumentRoom];
    std::memset(memory, 0, sizeof memory);
    std::memset(memory, 0xA5, 5);
    std::memset(memory + 5 + command.bytes, 0xA5, sizeof memory - 5 - command.bytes);
    EXPECT_EQ(node.control(command.number, memory + 5), command.of_zeros) << command.name;
    for (std::size_t at = 0; at < sizeof memory; ++at) {
      if (at < 5 || at >= 5 + command.bytes) {
        EXPECT_EQ(memory[at], std::byte{0xA5}) << command.name << " at " << at;
      }
    }
  }
}

}  // namespace
}  // namespace ndtel::vm
