// SPDX-License-Identifier: Apache-2.0
//
// Blocks that change hands in an order that is chosen here, on real atomics.
#include "block_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "policy.hpp"

namespace ndtel::systrace {
namespace {

struct Stamped {
  std::uint64_t ticks;
  std::uint64_t stamp;
};
using Ring = BlockRing<NativePolicy, Stamped>;

class BlockRingTest : public testing::Test {
 protected:
  // Something that emits; all of them run in this one thread, in turn.
  struct Writer {
    Ring::Line line;
    Ring::Cursor cursor;
  };

  BlockRingTest() {
    NativePolicy::choose_fences();
    for (int i = 0; i < 24; ++i) writers_.push_back(std::make_unique<Writer>());
  }

  void write(std::size_t who, int count = 1) {
    Writer& writer = *writers_[who];
    for (int i = 0; i < count; ++i) {
      writer.line.enter<NativePolicy>();
      if (!ring_.ready(writer.cursor)) {
        ASSERT_TRUE(ring_.turn(writer.cursor, writer.line));
      }
      ASSERT_TRUE(ring_.ready(writer.cursor)) << "a block without room";
      ++written_;
      writer.cursor.write(writer.cursor.next, [&](Stamped& slot, std::uint64_t) {
        slot.ticks = slot.stamp = written_;
      });
      writer.line.leave();
    }
  }

  // Every event is there, once.
  void expect_all() {
    std::set<std::uint64_t> stamps;
    ring_.drain(std::numeric_limits<std::uint64_t>::max() - 1,
                std::numeric_limits<std::uint64_t>::max(), [&](const Stamped& slot, std::uint64_t) {
                  EXPECT_TRUE(stamps.insert(slot.stamp).second) << "twice: " << slot.stamp;
                  return true;
                });
    EXPECT_EQ(stamps.size(), written_);
    const RingCounts counts = ring_.counts();
    EXPECT_EQ(counts.pushed, written_);
    EXPECT_EQ(counts.displaced, 0u);
  }

  static constexpr std::uint32_t kSlots = 4;
  const BlockGeometry geometry_{128, kSlots, 32, 4};
  BlockRingHeader head_;
  std::vector<BlockHeader<NativeAtomics>> headers_ =
      std::vector<BlockHeader<NativeAtomics>>(geometry_.blocks);
  std::vector<Stamped> slots_ = std::vector<Stamped>(geometry_.slots());
  std::vector<Ring::Note> notes_ = std::vector<Ring::Note>(geometry_.blocks);
  Ring ring_{geometry_, &head_, headers_.data(), slots_.data(), notes_.data()};
  std::vector<std::unique_ptr<Writer>> writers_;
  std::uint64_t written_ = 0;
};

TEST_F(BlockRingTest, AnIdleThreadsBlockIsFilledByTheNext) {
  write(0);
  for (std::size_t who = 1; who < 24; ++who) write(who);
  write(0);  // whatever became of its block meanwhile
  expect_all();
  EXPECT_LT(head_.used, 24u) << "no block was taken over";
}

// Its owner wrote the last slot and did not come back to close it.
TEST_F(BlockRingTest, AFullBlockOfAnIdleThreadIsNoPlaceToGoOn) {
  for (std::size_t who = 0; who < 10; ++who) write(who, kSlots);
  for (std::size_t who = 10; who < 24; ++who) write(who);
  expect_all();
}

TEST_F(BlockRingTest, AThreadThatEndsWithAFullBlockLeavesItClosed) {
  write(0, kSlots);
  ring_.leave(writers_[0]->cursor, writers_[0]->line);
  write(1, kSlots);
  write(2, kSlots + 1);
  expect_all();
}

}  // namespace
}  // namespace ndtel::systrace
