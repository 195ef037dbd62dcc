// SPDX-License-Identifier: Apache-2.0
//
// POST_METRIC: the caller's records in the firmware's own record of what it took.
#include <gtest/gtest.h>

#include <vector>

#include "ioctl_test.hpp"
#include "support/firmware.hpp"

namespace ndtel::vm {
namespace {

class IoctlPostMetric : public IoctlTest {
 protected:
  IoctlPostMetric() : IoctlTest("fwio_timeout_ms=300") {}

  static int post(const Node& node, const void* data, std::uint32_t size) {
    nd_ioctl_post_metric request{};
    request.data = std::bit_cast<std::uint64_t>(data);
    request.data_size = size;
    return node.control(ND_IOC_POST_METRIC, &request);
  }
  static int post(const Node& node, const std::vector<std::uint8_t>& data) {
    return post(node, data.data(), static_cast<std::uint32_t>(data.size()));
  }
};

// {id, length, text}
std::vector<std::uint8_t> record(std::uint8_t id, const std::string& text) {
  const std::string bytes =
      std::string{static_cast<char>(id), static_cast<char>(text.size())} + text;
  return {bytes.begin(), bytes.end()};
}

TEST_F(IoctlPostMetric, FirmwareHasTheBytesAsTheyWere) {
  for (int device = 0; device < kDevices; ++device) {
    const Firmware firmware(device);
    const Node node(device);
    EXPECT_EQ(post(node, record(200, "35")), 0);
    EXPECT_EQ(post(node, record(200, "7")), 0);
    const auto posts = firmware.posts();
    ASSERT_EQ(posts.size(), 2u);
    EXPECT_EQ(posts[0].data, record(200, "35"));
    EXPECT_EQ(posts[1].data, record(200, "7"));
    EXPECT_EQ(firmware.received(200), 42u);
    EXPECT_EQ(firmware.state().at("mismatched"), 0u);
  }
}

TEST_F(IoctlPostMetric, EverySizeUpTo128Arrives) {
  const Firmware firmware(1);
  const Node node(1);
  for (const std::uint32_t size : {1, 2, 3, 4, 5, 63, 64, 127, 128}) {
    std::vector<std::uint8_t> bytes(size);
    for (std::uint32_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + size);
    EXPECT_EQ(post(node, bytes), 0) << size;
    ASSERT_FALSE(firmware.posts().empty());
    EXPECT_EQ(firmware.posts().back().data, bytes) << size;
  }
}

// The size is looked at before anything is allocated or copied for it.
TEST_F(IoctlPostMetric, WrongSizesAreRefusedBeforeTheDataIsTouched) {
  const Firmware firmware(1);
  const Node node(1);
  for (const std::uint32_t size : {129u, 130u, 4096u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(post(node, nullptr, size), -E2BIG) << size;
  }
  EXPECT_EQ(post(node, nullptr, 0), -EINVAL);
  EXPECT_EQ(firmware.mailbox().at("calls"), 0u);
}

TEST_F(IoctlPostMetric, BadDataFaultsAndNothingIsPosted) {
  const GuardedMemory memory;
  const Firmware firmware(1);
  const Node node(1);
  EXPECT_EQ(post(node, nullptr, 8), -EFAULT);
  EXPECT_EQ(post(node, memory.untouchable(), 1), -EFAULT);
  EXPECT_EQ(post(node, memory.before_untouchable(7), 8), -EFAULT);
  EXPECT_EQ(post(node, address(0xFFFF888000000000), 8), -EFAULT);
  EXPECT_EQ(firmware.mailbox().at("calls"), 0u);
  EXPECT_EQ(post(node, memory.before_untouchable(8), 8), 0);
}

// One call is one failure, however often it was tried, and it has a name.
TEST_F(IoctlPostMetric, RefusalIsAnErrorOfItsOwnAndCountsOnce) {
  const Firmware firmware(1);
  const Node node(1);
  firmware.set("fail", kForEver);
  EXPECT_EQ(post(node, record(200, "1")), -EREMOTEIO);
  EXPECT_EQ(firmware.mailbox().at("failed"), 1u);
  firmware.heal();
  firmware.set("unknown_command", kForEver);
  EXPECT_EQ(post(node, record(200, "1")), -EOPNOTSUPP);
  EXPECT_EQ(firmware.mailbox().at("failed"), 2u);
  EXPECT_EQ(firmware.posts().size(), 0u);
  firmware.heal();
  EXPECT_EQ(post(node, record(200, "1")), 0);
}

TEST_F(IoctlPostMetric, SilenceIsATimeout) {
  const Firmware firmware(1);
  const Node node(1);
  firmware.set("ignore_requests", kForEver);
  EXPECT_EQ(post(node, record(200, "1")), -ETIMEDOUT);
  firmware.heal();
  EXPECT_EQ(post(node, record(200, "2")), 0);
  EXPECT_EQ(firmware.received(200), 2u);
}

// A companion has no firmware of its own; what it has to post leaves through its relay.
TEST_F(IoctlPostMetric, DeviceWithoutHardwareHasNobodyToPostTo) {
  ASSERT_EQ(module().write_new_device("companion 9 v3"), 0);
  const Node node(9);
  EXPECT_EQ(post(node, record(200, "1")), -EOPNOTSUPP);
}

}  // namespace
}  // namespace ndtel::vm
