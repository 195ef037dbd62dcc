// SPDX-License-Identifier: Apache-2.0
//
// BAR_READ and BAR_WRITE: offsets in the BAR, every one checked; MiscRAM can be read, and not one
// byte of it be written.
#include <gtest/gtest.h>

#include <vector>

#include "ioctl_test.hpp"
#include "support/firmware.hpp"

namespace ndtel::vm {
namespace {

using IoctlRegisters = IoctlTest;

constexpr std::uint64_t kInBar[kDevices] = {0x30FA0000, 0x06C84000, 0x06C84000};

int access(const Node& node, std::uint32_t command, std::uint32_t bar,
           const std::vector<std::uint64_t>& offsets, std::uint32_t* data) {
  nd_ioctl_bar_rw request{};
  request.bar = bar;
  request.address = std::bit_cast<std::uint64_t>(offsets.data());
  request.data = std::bit_cast<std::uint64_t>(data);
  request.count = static_cast<std::uint32_t>(offsets.size());
  return node.control(command, &request);
}

int read(const Node& node, std::uint32_t bar, const std::vector<std::uint64_t>& offsets,
         std::uint32_t* data) {
  return access(node, ND_IOC_BAR_READ, bar, offsets, data);
}

int write(const Node& node, std::uint32_t bar, const std::vector<std::uint64_t>& offsets,
          std::uint32_t* data) {
  return access(node, ND_IOC_BAR_WRITE, bar, offsets, data);
}

TEST_F(IoctlRegisters, ReadsTheRegistersOfMiscRam) {
  for (int device = 0; device < kDevices; ++device) {
    const Firmware firmware(device);
    const Node node(device, O_RDONLY);
    ASSERT_EQ(firmware.command("0x70 0x12345678"), 0);
    std::uint32_t values[4] = {1, 2, 3, 0xA5A5A5A5};
    const auto base = kInBar[device];
    ASSERT_EQ(read(node, 0, {base + 0x70, base, base + 0xFFC}, values), 0);
    EXPECT_EQ(values[0], 0x12345678u);
    EXPECT_EQ(values[1], firmware.reg(0));
    EXPECT_EQ(values[2], 0u);
    EXPECT_EQ(values[3], 0xA5A5A5A5);
  }
}

TEST_F(IoctlRegisters, EveryOtherOffsetIsInvalid) {
  const Node node(1);
  const auto base = kInBar[1];
  std::uint32_t values[2] = {7, 8};
  for (const std::uint64_t offset :
       {std::uint64_t{0}, base - 4, base + 1, base + 2, base + 3, base + 0x1000, base + 0xFFE,
        kInBar[0], ~std::uint64_t{0}, std::uint64_t{0xFFFF888000000000},
        std::uint64_t{1} << 32 | base}) {
    EXPECT_EQ(read(node, 0, {offset}, values), -EINVAL) << std::hex << offset;
    EXPECT_EQ(read(node, 0, {base, offset}, values), -EINVAL) << std::hex << offset;
  }
  for (const std::uint32_t bar : {1u, 2u, 4u, 0xFFFFFFFFu}) {
    EXPECT_EQ(read(node, bar, {base}, values), -EINVAL) << bar;
    EXPECT_EQ(read(node, bar, {base, base}, values), -EINVAL) << bar;
  }
  EXPECT_EQ(values[0], 7u);
  EXPECT_EQ(values[1], 8u);
}

TEST_F(IoctlRegisters, CountIsCapped) {
  const Node node(1);
  std::vector<std::uint32_t> values(101, 0xA5A5A5A5);
  for (const std::uint32_t command : {ND_IOC_BAR_READ, ND_IOC_BAR_WRITE}) {
    EXPECT_EQ(access(node, command, 0, {}, values.data()), -EINVAL);
    EXPECT_EQ(access(node, command, 0, std::vector(101, kInBar[1]), values.data()), -E2BIG);
    nd_ioctl_bar_rw request{};
    request.count = 0xFFFFFFFF;
    EXPECT_EQ(node.control(command, &request), -E2BIG);
    request.count = 1;
    EXPECT_EQ(node.control(command, &request), -EFAULT);
  }
  EXPECT_EQ(read(node, 0, std::vector(100, kInBar[1]), values.data()), 0);
  EXPECT_EQ(values[99], Firmware(1).reg(0));
  EXPECT_EQ(values[100], 0xA5A5A5A5);
}

TEST_F(IoctlRegisters, RegisterThatDoesNotAnswerIsAnError) {
  const Firmware firmware(1);
  const Node node(1);
  std::uint32_t value = 7;
  ASSERT_EQ(firmware.command("0x70 busy"), 0);
  EXPECT_EQ(read(node, 0, {kInBar[1] + 0x70}, &value), -EAGAIN);
  ASSERT_EQ(firmware.command("0x70 gone"), 0);
  EXPECT_EQ(read(node, 0, {kInBar[1] + 0x70}, &value), -EIO);
  EXPECT_EQ(value, 7u);
}

TEST_F(IoctlRegisters, AnswersIntoBadMemoryFault) {
  const GuardedMemory memory;
  const Node node(1);
  EXPECT_EQ(read(node, 0, {kInBar[1]}, nullptr), -EFAULT);
  EXPECT_EQ(read(node, 0, {kInBar[1]}, reinterpret_cast<std::uint32_t*>(memory.read_only())),
            -EFAULT);
}

// By range: whatever lies beside a register that must not be written is not written either.
TEST_F(IoctlRegisters, NoByteOfMiscRamCanBeWritten) {
  const Firmware firmware(1);
  const Node node(1);
  std::uint32_t value = 0x5A5A5A5A;
  std::vector<std::uint32_t> before;
  for (std::uint32_t offset = 0; offset < 0x1000; offset += 4)
    before.push_back(firmware.reg(offset));
  for (std::uint64_t offset = 0; offset < 0x1000; ++offset) {
    ASSERT_EQ(write(node, 0, {kInBar[1] + offset}, &value), -EACCES) << std::hex << offset;
  }
  EXPECT_EQ(write(node, 0, {0, kInBar[1] + 0x1EC}, &value), -EACCES);
  for (const std::uint64_t offset : {std::uint64_t{0}, kInBar[1] - 4, kInBar[1] + 0x1000}) {
    EXPECT_EQ(write(node, 0, {offset}, &value), -EINVAL) << std::hex << offset;
  }
  EXPECT_EQ(write(node, 2, {0}, &value), -EINVAL);
  firmware.set("power_period_ms", 0);
  for (std::uint32_t offset = 0; offset < 0x1000; offset += 4) {
    if (offset == 0x54 || offset == 0x58) continue;  // power samples go on by themselves
    EXPECT_EQ(firmware.reg(offset), before[offset / 4]) << std::hex << offset;
  }
}

}  // namespace
}  // namespace ndtel::vm
