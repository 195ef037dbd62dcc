// SPDX-License-Identifier: Apache-2.0
//
// Who gets a slab, how many there are, and how acquires are counted.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <vector>

#include "ownership/owner.hpp"
#include "support/eventually.hpp"

namespace ndtel::vm {
namespace {

TEST_F(Ownership, SeventeenthOwnerGetsEnomemUntilAnotherLeaves) {
  std::deque<SlabOwner> owners;
  for (int i = 0; i < NDS_SLABS_PER_DEVICE; ++i) owners.emplace_back(0, 1);
  const Node node(0);
  EXPECT_EQ(node.acquire(), -ENOMEM);
  EXPECT_EQ(node.acquire(), -ENOMEM) << "the refused acquire must not have claimed anything";
  EXPECT_EQ(Debugfs(0).owned().size(), 16U);
  EXPECT_EQ(Debugfs::slabs_alive(), 16U) << "a refused acquire leaves no memory behind";
  EXPECT_EQ(Node(1).acquire(), 0) << "the other device is not full";

  EXPECT_EQ(owners.front().child.kill(), -SIGKILL);
  EXPECT_EQ(node.acquire(), 0);
  EXPECT_EQ(node.release(), 0);
  EXPECT_TRUE(counted(0, 16));
}

TEST_F(Ownership, FortyReadersAndAHundredOpensBesideSixteenOwners) {
  constexpr int kReaders = 40;
  std::deque<SlabOwner> owners;
  for (unsigned i = 0; i < NDS_SLABS_PER_DEVICE; ++i) owners.emplace_back(0, i + 1);

  std::deque<Child> readers;
  for (int i = 0; i < kReaders; ++i) {
    const unsigned target = i % NDS_SLABS_PER_DEVICE;
    const pid_t pid = owners[target].pid();
    readers.emplace_back([pid](Channel& channel) -> int {
      const Node node(0, O_RDONLY);
      const Mapping slab = node.map_slab(pid);
      CHILD_CHECK(slab.valid());
      channel.send(slab.nc(0, NDS_NC_COUNTER_INFER_COMPLETED));
      end_when_told(channel);
    });
  }
  for (int i = 0; i < kReaders; ++i) {
    EXPECT_EQ(readers[i].receive(), i % NDS_SLABS_PER_DEVICE + 1U) << "reader " << i;
  }
  std::vector<Node> opens;
  opens.reserve(100);
  for (int i = 0; i < 100; ++i) opens.emplace_back(0, i % 2 == 0 ? O_RDONLY : O_RDWR);

  unsigned mappings = 0;
  for (const auto& row : Debugfs(0).owned()) mappings += row.mappings;
  EXPECT_EQ(mappings, 16U + kReaders) << "all of them look at once";
  for (auto& reader : readers) EXPECT_EQ(reader.kill(), -SIGKILL);
  EXPECT_EQ(Debugfs(0).owned().size(), 16U) << "readers take nothing with them";
  EXPECT_TRUE(counted(0, 16 * 17 / 2));
}

TEST_F(Ownership, AcquiresAreCountedAndOneReleaseDoesNotFreeForAll) {
  const Node node(0);
  nd_ioctl_ds_info first{}, second{};
  ASSERT_EQ(node.acquire(0, &first), 0);
  ASSERT_EQ(node.acquire(0, &second), 0);
  ASSERT_EQ(node.acquire(::getpid()), 0) << "by its own number";
  EXPECT_EQ(first.mmap_offset, second.mmap_offset) << "a process has one slab per device";
  EXPECT_EQ(first.size, NDS_SLAB_SIZE);
  EXPECT_EQ(Debugfs(0).slab_of(::getpid())->acquires, 3U);

  const Mapping slab = Mapping::map(node.fd(), first.mmap_offset);
  ASSERT_TRUE(slab.valid());
  EXPECT_EQ(node.release(), 0);
  EXPECT_EQ(node.release(::getpid()), 0);
  ASSERT_TRUE(owners_are(0, {::getpid()})) << "one acquire is left";
  slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 5);
  EXPECT_TRUE(counted(0, 5));
  EXPECT_EQ(node.release(), 0);
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_EQ(node.release(), -ENOENT);
}

TEST_F(Ownership, TwoDevicesGiveTwoSlabs) {
  const Node first(0), second(1);
  const Mapping a = first.map_slab(), b = second.map_slab();
  ASSERT_TRUE(a.valid() && b.valid());
  a.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 3);
  EXPECT_EQ(b.nc(0, NDS_NC_COUNTER_INFER_COMPLETED), 0U);
  EXPECT_TRUE(counted(0, 3));
  EXPECT_TRUE(counted(1, 0));
  EXPECT_EQ(first.release(), 0);
  EXPECT_TRUE(owners_are(0, {}));
  EXPECT_TRUE(owners_are(1, {::getpid()}));
}

TEST_F(Ownership, ReacquireAfterReleaseGivesAFreshSlab) {
  const Node node(0);
  nd_ioctl_ds_info before{}, after{};
  ASSERT_EQ(node.acquire(0, &before), 0);
  const Mapping old = Mapping::map(node.fd(), before.mmap_offset);
  ASSERT_TRUE(old.valid());
  std::memset(old.bytes(), 0xA5, 64);
  ASSERT_EQ(node.release(), 0);

  ASSERT_EQ(node.acquire(0, &after), 0);
  EXPECT_NE(before.mmap_offset, after.mmap_offset);
  const Mapping fresh = Mapping::map(node.fd(), after.mmap_offset);
  ASSERT_TRUE(fresh.valid());
  EXPECT_EQ(fresh.load(0), 0U);
  old.add(1, 1);
  EXPECT_EQ(fresh.load(1), 0U) << "the old mapping must not reach the new slab";
}

// The slab may be made by two threads at once; one memory must come of it.
TEST_F(Ownership, ThreadsThatRaceForTheFirstAcquireShareOneSlab) {
  for (int round = 0; round < 30; ++round) {
    Child child([](Channel&) -> int {
      const Node node(0);
      std::atomic<int> ready{0};
      nd_ioctl_ds_info info[4]{};
      std::vector<std::thread> threads;
      for (auto& mine : info) {
        threads.emplace_back([&node, &ready, &mine] {
          ++ready;
          while (ready < 4) std::this_thread::yield();
          CHILD_CHECK(node.acquire(0, &mine) == 0);
        });
      }
      for (auto& thread : threads) thread.join();
      for (const auto& one : info) CHILD_CHECK(one.mmap_offset == info[0].mmap_offset);
      CHILD_CHECK(Debugfs(0).owned().size() == 1);
      CHILD_CHECK(Debugfs(0).owned()[0].acquires == 4);
      CHILD_CHECK(Debugfs::slabs_alive() == 1);
      return 0;
    });
    ASSERT_EQ(child.wait(), 0) << "round " << round;
    ASSERT_TRUE(owners_are(0, {}));
  }
}

// Every byte that an owner wrote, also outside the part with a meaning, is gone for the next ones.
TEST_F(Ownership, NextOwnersNeverSeeOldBytes) {
  for (int round = 0; round < 4; ++round) {
    std::deque<Child> owners;
    for (int i = 0; i < NDS_SLABS_PER_DEVICE; ++i) {
      owners.emplace_back([](Channel& channel) -> int {
        const Node node(0);
        const Mapping slab = node.map_slab();
        CHILD_CHECK(slab.valid());
        for (std::size_t word = 0; word < slab.size() / 8; ++word) {
          CHILD_CHECK(slab.words()[word] == 0);
        }
        // Not the counters: their garbage would only end up as implausible in the books.
        std::memset(slab.bytes() + NDS_PROCESS_INFO_OFFSET, 0xA5, 43340);
        std::memset(slab.bytes() + NDS_USED_SIZE, 0xA5, NDS_SLAB_SIZE - NDS_USED_SIZE);
        slab.add_nc(2, NDS_NC_COUNTER_INFER_COMPLETED, 1);
        channel.send();
        end_when_told(channel);
      });
    }
    for (int i = 0; i < NDS_SLABS_PER_DEVICE; ++i) {
      ASSERT_TRUE(owners[i].receive()) << "round " << round << " owner " << i;
      ASSERT_TRUE(ends(owners[i], i % 2 == 0 ? End::kExit : End::kKill));
    }
    ASSERT_TRUE(owners_are(0, {}));
  }
  EXPECT_TRUE(counted(0, 4ULL * 16));
}

}  // namespace
}  // namespace ndtel::vm
