// SPDX-License-Identifier: Apache-2.0
//
// The three bands of counters as the kernel reads them.
#include <algorithm>
#include <cstring>
#include <random>

#include "slab/layout.hpp"
#include "support/child.hpp"
#include "support/debugfs.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {
namespace {

class Slab : public ModuleTest {};

std::atomic_ref<std::uint64_t> word_at(const Mapping& slab, std::size_t offset) {
  return std::atomic_ref(slab.words()[offset / 8]);
}

/// A different amount for every counter of every core.
constexpr std::uint64_t amount(unsigned core, unsigned counter) {
  return (core + 1) * 1000 + counter;
}

/// Fills everything in the slab that no row reads with garbage and each word of a posted counter
/// with its amount.
void fill(const Mapping& slab) {
  for (std::size_t word = 0; word < kSlabBytes / 8; ++word)
    slab.words()[word] = 0x0123456789abcdefULL;
  for (unsigned core = 0; core < 8; ++core) {
    for (const auto& posted : kPosted) {
      slab.words()[nc_offset(core, posted.counter) / 8] = amount(core, posted.counter);
    }
  }
}

void expect_cores_counted(int device, unsigned cores) {
  const auto books = Debugfs(device).books();
  EXPECT_EQ(std::count_if(books.begin(), books.end(),
                          [](const BooksRow& row) { return row.sink == "trace"; }),
            std::ssize(kPosted));
  for (const auto& posted : kPosted) {
    std::uint64_t sum = 0;
    for (unsigned core = 0; core < cores; ++core) sum += amount(core, posted.counter);
    const BooksRow row = Debugfs(device).books_of(posted.cw);
    EXPECT_EQ(row.incremented, sum) << "counter " << posted.counter << ": " << row;
    EXPECT_EQ(row.pending, sum) << row;
    EXPECT_EQ(row.discarded(), 0U) << row;
  }
}

TEST_F(Slab, EveryPostedWordOfTheThreeBandsCountsAndNoOtherWord) {
  const Node node(0);
  const Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  fill(slab);
  expect_cores_counted(0, 8);
  EXPECT_EQ(Debugfs(0).anomalies()["words_down"], 0U);
}

TEST_F(Slab, OnlyTheCoresOfTheDeviceCount) {
  ASSERT_EQ(module().new_device("v2"), 0);
  const Node node(2);
  const Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  fill(slab);
  expect_cores_counted(2, 2);
}

TEST_F(Slab, TheLastLookAtDeathReadsTheSameWords) {
  Child owner([](Channel& channel) -> int {
    const Node node(0);
    const Mapping slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    fill(slab);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(owner.receive());
  EXPECT_EQ(owner.kill(), -SIGKILL);
  expect_cores_counted(0, 8);
}

TEST_F(Slab, AFreshSlabReadsZeroInAllItsBytes) {
  const Node node(0);
  nd_ioctl_ds_info info{};
  ASSERT_EQ(node.acquire(0, &info), 0);
  EXPECT_EQ(info.size, kSlabBytes);
  const Mapping slab = Mapping::map(node.fd(), info.mmap_offset);
  ASSERT_TRUE(slab.valid());
  for (std::size_t i = 0; i < kSlabBytes; ++i) {
    ASSERT_EQ(slab.bytes()[i], std::byte{0}) << "byte " << i;
  }
}

// The kernel trusts nothing in a slab: nonsense must neither hurt it nor unbalance the books.
TEST_F(Slab, GarbageInAllWordsKeepsTheBooksBalanced) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 6; ++round) {
    const Node node(0);
    const Mapping slab = node.map_slab();
    ASSERT_TRUE(slab.valid());
    for (int change = 0; change < 3; ++change) {
      for (std::size_t word = 0; word < kSlabBytes / 8; ++word) {
        // Also values near both ends of the range.
        const std::uint64_t value = random();
        slab.words()[word] = word % 3 == 0 ? value : word % 3 == 1 ? value % 16 : -(value % 16);
      }
      EXPECT_TRUE(books_balance());
    }
  }
  EXPECT_TRUE(books_balance());
  EXPECT_GT(Debugfs(0).anomalies()["words_down"], 0U);
  for (const auto& row : Debugfs(0).books())
    EXPECT_NE(row.implausible, 0U) << "huge jumps are put aside in every row";
}

TEST_F(Slab, AWordThatGoesDownAddsNothingAndCountsFromThereOn) {
  const Node node(0);
  const Mapping slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  const auto word = word_at(slab, nc_offset(1, 1));
  const auto look = [] { return Debugfs(0).books_of(200).incremented; };
  word = 100;
  EXPECT_EQ(look(), 100U);
  word = 40;
  EXPECT_EQ(look(), 100U);
  EXPECT_EQ(Debugfs(0).anomalies()["words_down"], 1U);
  word = 45;
  EXPECT_EQ(look(), 105U);
}

}  // namespace
}  // namespace ndtel::vm
