// SPDX-License-Identifier: Apache-2.0
//
// Which command works where: the two lanes, unknown commands, and what makes a descriptor one of
// the free lane.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "ioctl_test.hpp"

namespace ndtel::vm {
namespace {

using IoctlLanes = IoctlTest;

// Commands of the reference that are not here, known numbers with another size or direction, and
// nonsense.
constexpr std::uint32_t kUnknown[] = {
    0x00000000, 0x80084E5B, 0x80084E5C, 0xC0184E6F, 0xC0204E6F, 0xC0204E70, 0x40104E83, 0x80084EFF,
    0x00004E03, 0x40084E03, 0x80084F03, 0x80104E03, 0x40044E06, 0x40084E0B, 0x80084E0C, 0x80084E0D,
    0x40084E3D, 0xC0084E47, 0x80104E47, 0x80084E51, 0xC0184E55, 0x80504E55, 0xC0504E56, 0x40084E65,
    0x40084E67, 0x80024E6A, 0x40104E6A, 0x40184E71, 0x40044E72, 0xC0084E78, 0x80104E78, 0xC1084E79,
    0xC10C4E79, 0xC1084E7A, 0xC0184E7B, 0x80104E7B, 0x80084E7F, 0x80044E80, 0x40084E80, 0x80044E82,
    0x80084E84, 0xC0204E86, 0x80184F6E, 0xFFFFFFFF,
};

TEST_F(IoctlLanes, UnknownCommandsAreNotTypewriters) {
  for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
    const Node node(0, flags);
    for (const auto number : kUnknown) {
      std::byte argument[kArgumentRoom] = {};
      EXPECT_EQ(node.control(number, argument), -ENOTTY) << std::hex << number;
      EXPECT_EQ(node.control(number, nullptr), -ENOTTY) << std::hex << number;
      const std::byte untouched[kArgumentRoom] = {};
      EXPECT_EQ(std::memcmp(argument, untouched, sizeof argument), 0) << std::hex << number;
    }
  }
}

TEST_F(IoctlLanes, EveryCommandWorksOnTheNormalLane) {
  const Node node(0);
  for (const auto& command : kCommands) {
    std::byte argument[kArgumentRoom] = {};
    EXPECT_EQ(node.control(command.number, argument), command.of_zeros) << command.name;
  }
}

TEST_F(IoctlLanes, CommandsOfTheNormalLaneAreInvalidOnTheFreeLane) {
  const Node free(0, O_WRONLY);
  for (const auto& command : kCommands) {
    std::byte argument[kArgumentRoom] = {};
    EXPECT_EQ(free.control(command.number, argument),
              command.free_lane() ? command.of_zeros : -EINVAL)
        << command.name;
    if (!command.free_lane()) {
      EXPECT_EQ(free.control(command.number, nullptr), -EINVAL) << command.name;
    }
  }
  EXPECT_EQ(free.control(kDeviceInit, nullptr), -EINVAL);
  EXPECT_EQ(free.control(kDeviceRelease, nullptr), -EINVAL);
  EXPECT_TRUE(Debugfs().slabs().empty());
}

// The lane is the access mode, not a bit of it: mode 3 has the bit of O_WRONLY too.
TEST_F(IoctlLanes, OnlyExactlyWriteOnlyIsTheFreeLane) {
  std::uint32_t id = 0;
  EXPECT_EQ(Node(0, O_WRONLY | O_NONBLOCK).host_device_id(&id), -EINVAL);
  EXPECT_EQ(Node(0, O_WRONLY | O_SYNC).host_device_id(&id), -EINVAL);
  EXPECT_EQ(Node(0, O_RDWR | O_NONBLOCK).host_device_id(&id), 0);
  EXPECT_EQ(Node(0, O_ACCMODE).host_device_id(&id), 0);
}

TEST_F(IoctlLanes, FreeLaneCannotMap) {
  nd_ioctl_ds_info info{};
  const Node normal(0);
  ASSERT_EQ(normal.acquire(0, &info), 0);
  const Node free(0, O_WRONLY);
  for (const int protection : {PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE}) {
    EXPECT_EQ(Mapping::map(free.fd(), info.mmap_offset, protection).error(), -EACCES);
  }
}

// A node has no content: nothing to read, write or seek in.
TEST_F(IoctlLanes, NodeCannotBeReadWrittenOrSought) {
  const Node node(0);
  char byte = 0;
  EXPECT_EQ(::read(node.fd(), &byte, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(::write(node.fd(), &byte, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(::lseek(node.fd(), 1, SEEK_SET), -1);
  EXPECT_EQ(errno, ESPIPE);
}

}  // namespace
}  // namespace ndtel::vm
