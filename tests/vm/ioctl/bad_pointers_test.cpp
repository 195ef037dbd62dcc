// SPDX-License-Identifier: Apache-2.0
//
// Pointers that lead nowhere: EFAULT, and nothing has happened. Never a positive result, which
// callers take for success.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "ioctl_test.hpp"
#include "support/kernel_log.hpp"

namespace ndtel::vm {
namespace {

using IoctlBadPointers = IoctlTest;

// Addresses no process has anything at, and arguments that begin well and end badly.
std::vector<std::pair<const char*, void*>> bad_pointers(const GuardedMemory& memory,
                                                        std::size_t bytes) {
  return {
      {"NULL", nullptr},
      {"first page", address(8)},
      {"kernel memory", address(0xFFFF888000000000)},
      {"kernel text", address(0xFFFFFFFF81000000)},
      {"no address", address(0x8000000000000000)},
      {"end of user memory", address(0x00007FFFFFFFF000)},
      {"across the end of user memory", address(0x00007FFFFFFFEFFE)},
      {"the last byte", address(~std::uintptr_t{0})},
      {"no access", memory.untouchable()},
      {"no access, unaligned", memory.untouchable() + 3},
      {"all but one byte before no access", memory.before_untouchable(bytes - 1)},
      {"one byte before no access", memory.before_untouchable(1)},
  };
}

TEST_F(IoctlBadPointers, EveryCommandOnEveryLaneFaults) {
  const GuardedMemory memory;
  KernelLog log;
  for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
    const Node node(0, flags);
    for (const auto& command : kCommands) {
      if (flags == O_WRONLY && !command.free_lane()) continue;
      if (!command.touches_its_argument()) continue;
      for (const auto& [what, pointer] : bad_pointers(memory, command.bytes)) {
        EXPECT_EQ(node.control(command.number, pointer), -EFAULT) << command.name << ", " << what;
      }
    }
  }
  EXPECT_TRUE(Debugfs().slabs().empty()) << "an acquire that failed holds a slab";
  EXPECT_EQ(log.count("ndtel"), 0);
}

TEST_F(IoctlBadPointers, AnswersIntoReadOnlyMemoryFault) {
  const GuardedMemory memory;
  const Node node(0);
  for (const auto& command : kCommands) {
    if (!command.writes) continue;
    for (const std::size_t writable : {std::size_t{0}, std::size_t{1}, command.bytes - 1}) {
      if (writable >= command.bytes) continue;
      std::byte* const argument = memory.before_read_only(writable);
      std::memset(argument, 0, writable);
      EXPECT_EQ(node.control(command.number, argument), -EFAULT)
          << command.name << ", " << writable << " bytes writable";
    }
  }
  EXPECT_TRUE(Debugfs().slabs().empty()) << "an acquire that failed holds a slab";
}

TEST_F(IoctlBadPointers, QuestionsInReadOnlyMemoryWork) {
  const GuardedMemory memory;
  const Node node(0);
  EXPECT_EQ(node.control(ND_IOC_METRICS_CTRL, memory.read_only()), 0);
  ASSERT_EQ(node.acquire(), 0);
  EXPECT_EQ(node.control(ND_IOC_RELEASE_NEURON_DS, memory.read_only()), 0);
  EXPECT_TRUE(Debugfs().slabs().empty());
}

// The caller never learns of what it was given, so it was given nothing.
TEST_F(IoctlBadPointers, AcquireWhoseAnswerFaultsIsUndone) {
  const GuardedMemory memory;
  const Node node(0);
  EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, memory.read_only()), -EFAULT);
  EXPECT_TRUE(Debugfs().slabs().empty());
  EXPECT_EQ(Debugfs::slabs_alive(), 0u);
  // It does not take away what the process had before.
  ASSERT_EQ(node.acquire(), 0);
  EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, memory.read_only()), -EFAULT);
  const auto slab = Debugfs().slab_of(::getpid());
  ASSERT_TRUE(slab);
  EXPECT_EQ(slab->acquires, 1u);
  EXPECT_EQ(node.release(), 0);
  EXPECT_TRUE(Debugfs().slabs().empty());
}

TEST_F(IoctlBadPointers, SeventeenthFailingAcquireDoesNotUseUpPlaces) {
  const GuardedMemory memory;
  const Node node(0);
  for (unsigned i = 0; i <= NDS_SLABS_PER_DEVICE; ++i) {
    EXPECT_EQ(node.control(ND_IOC_ACQUIRE_NEURON_DS, memory.read_only()), -EFAULT);
  }
  EXPECT_EQ(node.acquire(), 0);
  EXPECT_EQ(Debugfs().slabs().size(), 1u);
}

}  // namespace
}  // namespace ndtel::vm
