// SPDX-License-Identifier: Apache-2.0
//
// READ_HW_COUNTERS: registers by device address, read by the firmware; capped, and only those that
// do no more than tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ioctl_test.hpp"
#include "support/firmware.hpp"

namespace ndtel::vm {
namespace {

class IoctlHwCounters : public IoctlTest {
 protected:
  IoctlHwCounters() : IoctlTest("fwio_timeout_ms=300") {}
};

constexpr std::uint64_t kMiscRam[kDevices] = {0xFFFF0FA0000, 0x8006C84000, 0x8006C84000};

constexpr std::uint32_t kReadable[] = {0x00, 0x24, 0x30, 0x38, 0x3C, 0x40, 0x44, 0x48, 0x4C,
                                       0x50, 0x54, 0x58, 0x64, 0x70, 0x80, 0x84, 0x808};

bool readable(std::uint32_t offset) {
  return std::find(std::begin(kReadable), std::end(kReadable), offset) != std::end(kReadable);
}

int read(const Node& node, const std::uint64_t* addresses, std::uint32_t* data,
         std::uint32_t count) {
  nd_ioctl_read_hw_counters request{};
  request.address = std::bit_cast<std::uint64_t>(addresses);
  request.data = std::bit_cast<std::uint64_t>(data);
  request.count = count;
  return node.control(ND_IOC_READ_HW_COUNTERS, &request);
}

TEST_F(IoctlHwCounters, ValuesAreThoseOfTheRegisters) {
  for (int device = 0; device < kDevices; ++device) {
    const Firmware firmware(device);
    const Node node(device);
    firmware.set("power_period_ms", 0);
    firmware.set("power_util_d0", 1111);
    firmware.set("power_util_d1", 2222);
    ASSERT_EQ(firmware.command("0x44 0x1234"), 0);
    ASSERT_EQ(firmware.command("0x40 0xABCD0012"), 0);
    std::vector<std::uint64_t> addresses;
    for (const auto offset : kReadable) addresses.push_back(kMiscRam[device] + offset);
    std::vector<std::uint32_t> data(addresses.size() + 1, 0xA5A5A5A5);
    ASSERT_EQ(read(node, addresses.data(), data.data(), std::size(kReadable)), 0);
    for (std::size_t i = 0; i < std::size(kReadable); ++i) {
      // The registers of power are made when they are read.
      if (kReadable[i] == 0x54 || kReadable[i] == 0x58) continue;
      EXPECT_EQ(data[i], firmware.reg(kReadable[i])) << std::hex << kReadable[i];
    }
    EXPECT_EQ(data[10] & 0xFFFF, 1111u);
    EXPECT_EQ(data[11] & 0xFFFF, 2222u);
    EXPECT_EQ(data[6], 0x1234u);
    EXPECT_EQ(data.back(), 0xA5A5A5A5);
  }
}

TEST_F(IoctlHwCounters, CountIsCappedBeforeAnythingIsAllocated) {
  const Firmware firmware(1);
  const Node node(1);
  std::vector<std::uint64_t> addresses(101, kMiscRam[1]);
  std::vector<std::uint32_t> data(101, 0xA5A5A5A5);
  EXPECT_EQ(read(node, addresses.data(), data.data(), 100), 0);
  EXPECT_EQ(data[99], firmware.reg(0));
  EXPECT_EQ(data[100], 0xA5A5A5A5);
  const auto calls = firmware.mailbox().at("calls");
  for (const std::uint32_t count :
       {101u, 8190u, 8191u, 65536u, 0x20000001u, 0x40000000u, 0x80000000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(read(node, addresses.data(), data.data(), count), -E2BIG) << count;
    EXPECT_EQ(read(node, nullptr, nullptr, count), -E2BIG) << count;
  }
  EXPECT_EQ(read(node, addresses.data(), data.data(), 0), -EINVAL);
  EXPECT_EQ(firmware.mailbox().at("calls"), calls);
}

TEST_F(IoctlHwCounters, OnlyRegistersThatTellAreRead) {
  const Firmware firmware(1);
  const Node node(1);
  std::uint32_t value = 0xA5A5A5A5;
  for (std::uint32_t offset = 0; offset < 0x1000; ++offset) {
    const std::uint64_t address = kMiscRam[1] + offset;
    if (readable(offset)) continue;
    ASSERT_EQ(read(node, &address, &value, 1), -EACCES) << std::hex << offset;
  }
  for (const std::uint64_t address :
       {std::uint64_t{0}, std::uint64_t{1}, kMiscRam[1] - 4, kMiscRam[1] + 0x1000,
        kMiscRam[0] + 0x40, std::uint64_t{0x8000000000}, std::uint64_t{0xFFFF888000000000},
        ~std::uint64_t{0}}) {
    EXPECT_EQ(read(node, &address, &value, 1), -EACCES) << std::hex << address;
  }
  // One stranger among friends, and nobody is asked.
  const std::uint64_t mixed[] = {kMiscRam[1], kMiscRam[1] + 0x1F0, kMiscRam[1] + 0x40};
  std::uint32_t values[3] = {1, 2, 3};
  EXPECT_EQ(read(node, mixed, values, 3), -EACCES);
  EXPECT_EQ(values[0], 1u);
  EXPECT_EQ(firmware.mailbox().at("calls"), 0u);
}

TEST_F(IoctlHwCounters, BadListsFault) {
  const GuardedMemory memory;
  const Node node(1);
  const std::uint64_t address = kMiscRam[1];
  std::uint32_t value = 0;
  EXPECT_EQ(read(node, nullptr, &value, 1), -EFAULT);
  EXPECT_EQ(read(node, reinterpret_cast<std::uint64_t*>(memory.untouchable()), &value, 1), -EFAULT);
  EXPECT_EQ(read(node, reinterpret_cast<std::uint64_t*>(memory.before_untouchable(12)), &value, 2),
            -EFAULT);
  EXPECT_EQ(read(node, &address, nullptr, 1), -EFAULT);
  EXPECT_EQ(read(node, &address, reinterpret_cast<std::uint32_t*>(memory.read_only()), 1), -EFAULT);
}

TEST_F(IoctlHwCounters, RegisterThatDoesNotAnswerIsAnError) {
  const Firmware firmware(1);
  const Node node(1);
  const std::uint64_t addresses[] = {kMiscRam[1], kMiscRam[1] + 0x44};
  std::uint32_t values[2] = {7, 8};
  ASSERT_EQ(firmware.command("0x44 0xDEADBEEF"), 0);
  EXPECT_EQ(read(node, addresses, values, 2), -EAGAIN);
  ASSERT_EQ(firmware.command("0x44 0xFFFFFFFF"), 0);
  EXPECT_EQ(read(node, addresses, values, 2), -EIO);
  EXPECT_EQ(values[0], 7u);
  EXPECT_EQ(values[1], 8u);
}

TEST_F(IoctlHwCounters, FailuresHaveNames) {
  const Firmware firmware(1);
  const Node node(1);
  const std::uint64_t address = kMiscRam[1];
  std::uint32_t value = 7;
  firmware.set("fail", kForEver);
  EXPECT_EQ(read(node, &address, &value, 1), -EREMOTEIO);
  firmware.heal();
  firmware.set("ignore_requests", kForEver);
  EXPECT_EQ(read(node, &address, &value, 1), -ETIMEDOUT);
  firmware.heal();
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(read(node, &address, &value, 1), 0);
}

}  // namespace
}  // namespace ndtel::vm
