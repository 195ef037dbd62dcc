// SPDX-License-Identifier: Apache-2.0
//
// Resets asked for through the node.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "ioctl_test.hpp"
#include "support/child.hpp"
#include "support/eventually.hpp"
#include "support/firmware.hpp"

namespace ndtel::vm {
namespace {

class IoctlReset : public IoctlTest {
 protected:
  IoctlReset() : IoctlTest("reset_timeout_ms=1000") {}

  static int request(const Node& node, std::uint32_t map, std::uint32_t* id) {
    nd_ioctl_nc_reset reset{.nc_map = map, .request_id = 0xA5A5A5A5};
    const int result = node.control(ND_IOC_NC_RESET, &reset);
    *id = reset.request_id;
    EXPECT_EQ(reset.nc_map, map);
    return result;
  }
  /// 0 done, 1 failed, or -errno.
  static int ready(const Node& node, std::uint32_t id) {
    nd_ioctl_nc_reset_ready ready{.request_id = id, .result = 77};
    const int result = node.control(ND_IOC_NC_RESET_READY, &ready);
    EXPECT_EQ(ready.request_id, id);
    if (result == 0) return ready.result;
    EXPECT_EQ(ready.result, 77);
    return result;
  }
  static int status(const Node& node) {
    std::uint8_t done[2] = {0xA5, 0xA5};
    EXPECT_EQ(node.control(ND_IOC_DEVICE_RESET_STATUS, done), 0);
    EXPECT_EQ(done[1], 0xA5);
    return done[0];
  }
};

TEST_F(IoctlReset, OfCoresAndOfTheDeviceAreDone) {
  const Firmware firmware(1);
  const Node node(1);
  std::uint32_t last = 0;
  for (const std::uint32_t map : {0x1u, 0x80u, 0xFFu, 0xFFFFFFFFu}) {
    std::uint32_t id = 0;
    ASSERT_EQ(request(node, map, &id), 0) << map;
    EXPECT_NE(id, last);
    last = id;
    EXPECT_EQ(ready(node, id), 0) << map;
    EXPECT_EQ(ready(node, id), 0) << "it can be asked for again";
    EXPECT_EQ(status(node), 1);
  }
  EXPECT_EQ(firmware.mailbox().at("resets"), 5u) << "one of them is the device's first";
}

TEST_F(IoctlReset, DeviceIsNotReadyMeanwhile) {
  const Firmware firmware(1);
  const Node node(1);
  firmware.set("reset_complete_ms", 600);
  std::uint32_t id = 0;
  ASSERT_EQ(request(node, 1, &id), 0);
  EXPECT_EQ(status(node), 0);
  EXPECT_EQ(Node::try_open(1, O_RDWR | O_NONBLOCK), -EAGAIN);
  EXPECT_EQ(ready(node, id), 0);
  EXPECT_EQ(status(node), 1);
}

TEST_F(IoctlReset, FailureIsAResultOfTheWait) {
  const Firmware firmware(1);
  const Node node(1);
  firmware.set("reset_ignored", kForEver);
  std::uint32_t id = 0;
  ASSERT_EQ(request(node, 2, &id), 0);
  EXPECT_EQ(ready(node, id), 1);
  firmware.heal();
  ASSERT_EQ(request(node, 2, &id), 0);
  EXPECT_EQ(ready(node, id), 0);
}

TEST_F(IoctlReset, UnknownNumbersAndCoresAreInvalid) {
  const Firmware firmware(1);
  const Node node(1);
  for (const std::uint32_t id : {0u, 99u, 0xFFFFFFFFu}) EXPECT_EQ(ready(node, id), -EINVAL) << id;
  for (const std::uint32_t map : {0u, 0x100u, 0x101u, 0x80000000u, 0xFFFFFFFEu}) {
    std::uint32_t id = 0;
    EXPECT_EQ(request(node, map, &id), -EINVAL) << map;
    EXPECT_EQ(id, 0xA5A5A5A5);
  }
  std::uint32_t id = 0;
  EXPECT_EQ(request(Node(0), 0x4, &id), -EINVAL) << "V2 has two cores";
  EXPECT_EQ(firmware.mailbox().at("resets"), 1u);
}

// Nobody would know its number.
TEST_F(IoctlReset, RequestWhoseAnswerWouldFaultIsNotMade) {
  const GuardedMemory memory;
  const Firmware firmware(1);
  const Node node(1);
  const std::uint32_t map = 1;
  std::memcpy(memory.before_read_only(4), &map, sizeof map);
  EXPECT_EQ(node.control(ND_IOC_NC_RESET, memory.before_read_only(4)), -EFAULT);
  EXPECT_EQ(firmware.mailbox().at("resets"), 1u);
  EXPECT_EQ(status(node), 1);
}

TEST_F(IoctlReset, WaitEndsWithASignal) {
  const Firmware firmware(1);
  firmware.set("reset_stuck", kForEver);
  ASSERT_EQ(module().set_parameter("reset_timeout_ms", "3600000"), 0);
  Child child([](Channel& channel) {
    const Node node(1);
    std::uint32_t id = 0;
    CHILD_CHECK(request(node, 1, &id) == 0);
    channel.send();
    return ready(node, id);
  });
  ASSERT_TRUE(child.receive());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(child.kill(), -SIGKILL);
}

TEST_F(IoctlReset, WaitEndsWithTheDevice) {
  const Firmware firmware(1);
  firmware.set("reset_stuck", kForEver);
  ASSERT_EQ(module().set_parameter("reset_timeout_ms", "3600000"), 0);
  Child child([](Channel& channel) -> int {
    const Node node(1);
    std::uint32_t id = 0;
    CHILD_CHECK(request(node, 1, &id) == 0);
    channel.send();
    const int result = ready(node, id);
    CHILD_CHECK(result == -ENODEV || result == 1);
    return 0;
  });
  ASSERT_TRUE(child.receive());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_EQ(module().del_device(1), 0);
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace ndtel::vm
