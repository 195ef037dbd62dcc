// SPDX-License-Identifier: Apache-2.0
//
// PRINTK: one line, of its writer, with nothing in it that could be another line's.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "ioctl_test.hpp"
#include "support/child.hpp"
#include "support/kernel_log.hpp"
#include "support/privileges.hpp"

namespace ndtel::vm {
namespace {

using IoctlPrintk = IoctlTest;

int print(const Node& node, const void* text, std::uint32_t size, std::uint32_t action = 0) {
  nd_ioctl_printk request{};
  request.buffer = std::bit_cast<std::uint64_t>(text);
  request.size = size;
  request.action = action;
  return node.control(ND_IOC_PRINTK, &request);
}

int print(const Node& node, std::string_view text) {
  return print(node, text.data(), static_cast<std::uint32_t>(text.size()));
}

// What a line says behind its writer.
std::string said(KernelLog& log) {
  for (const auto& line : log.read()) {
    const auto writer = "[" + std::to_string(::getpid()) + "]: ";
    const auto at = line.find(writer);
    if (at != std::string::npos) return line.substr(at + writer.size());
  }
  return "nothing";
}

TEST_F(IoctlPrintk, LineNamesDeviceAndWriter) {
  KernelLog log;
  EXPECT_EQ(print(Node(1), std::string_view("hello, kernel\0", 14)), 0);
  EXPECT_EQ(said(log), "hello, kernel");
  EXPECT_EQ(log.count("ndtel1: "), 1);
}

TEST_F(IoctlPrintk, WorksOnBothLanes) {
  for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
    KernelLog log;
    EXPECT_EQ(print(Node(0, flags), "lane"), 0);
    EXPECT_EQ(said(log), "lane");
  }
}

TEST_F(IoctlPrintk, SizesAreBounded) {
  const Node node(0);
  const std::string longest(512, 'x');
  EXPECT_EQ(print(node, longest.data(), 0), -EINVAL);
  EXPECT_EQ(print(node, nullptr, 0), -EINVAL);
  EXPECT_EQ(print(node, longest.data(), 513), -E2BIG);
  EXPECT_EQ(print(node, nullptr, 0xFFFFFFFF), -E2BIG);
  KernelLog log;
  EXPECT_EQ(print(node, longest), 0);
  EXPECT_EQ(said(log), longest);
}

TEST_F(IoctlPrintk, TextEndsAtItsNulOrItsSizeWhateverLiesBehind) {
  const GuardedMemory memory;
  const Node node(0);
  {
    KernelLog log;
    EXPECT_EQ(print(node, std::string_view("one\0two", 7)), 0);
    EXPECT_EQ(said(log), "one");
  }
  std::memset(memory.before_read_only(8), 'y', 8);
  KernelLog log;
  EXPECT_EQ(print(node, memory.before_read_only(8), 8), 0);
  EXPECT_EQ(said(log), "yyyyyyyy");
}

TEST_F(IoctlPrintk, NothingInItCanMakeAnotherLine) {
  KernelLog log;
  EXPECT_EQ(print(Node(0), "a\nndtel0: forged\r\x1B[2J\x01\x36%s%n\xC2\x85z\n"), 0);
  EXPECT_EQ(said(log), "a?ndtel0: forged??[2J?6%s%n??z");
  EXPECT_EQ(log.read().size(), 1u);
}

TEST_F(IoctlPrintk, BadTextFaultsAndNothingIsPrinted) {
  const GuardedMemory memory;
  const Node node(0);
  KernelLog log;
  EXPECT_EQ(print(node, nullptr, 8), -EFAULT);
  EXPECT_EQ(print(node, memory.untouchable(), 1), -EFAULT);
  EXPECT_EQ(print(node, memory.before_untouchable(4), 5), -EFAULT);
  EXPECT_EQ(print(node, address(0xFFFFFFFF81000000), 8), -EFAULT);
  EXPECT_EQ(said(log), "nothing");
}

// Whoever can open a node could fill the log otherwise.
TEST_F(IoctlPrintk, OnlyOwnersOfSlabsAndThePrivilegedPrint) {
  Node::allow_everybody(0);
  KernelLog log;
  Child child([](Channel&) -> int {
    drop_privileges(65534, 65534);
    const Node node(0);
    CHILD_CHECK(print(node, "stranger") == -EPERM);
    CHILD_CHECK(print(Node(0, O_WRONLY), "stranger") == -EPERM);
    CHILD_CHECK(node.acquire() == 0);
    CHILD_CHECK(print(node, "owner") == 0);
    CHILD_CHECK(print(Node(0, O_WRONLY), "owner too") == 0);
    CHILD_CHECK(node.release() == 0);
    CHILD_CHECK(print(node, "stranger") == -EPERM);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(log.count("stranger"), 0);
  EXPECT_EQ(log.count("owner"), 2);
}

TEST_F(IoctlPrintk, FloodIsCutOff) {
  const Node node(0);
  KernelLog log;
  int printed = 0;
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    const int result = print(node, "flood");
    printed += result == 0;
    refused += result == -EBUSY;
  }
  EXPECT_EQ(printed + refused, 200);
  EXPECT_GT(printed, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(log.count("]: flood"), printed);
}

}  // namespace
}  // namespace ndtel::vm
