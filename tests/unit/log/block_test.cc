// SPDX-License-Identifier: Apache-2.0
//
// The buffer of causes: its layout, which debuggers know, and its limits.
#include "block.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace ndtel::nlog::test {
namespace {

std::uint64_t control_words(const Block& block) {
  std::uint64_t words = 0;
  std::memcpy(&words, reinterpret_cast<const char*>(&block) + 0x4000, sizeof words);
  return words;
}

char last_byte(const Block& block) { return reinterpret_cast<const char*>(&block)[0x3FFF]; }

// One seed of eight bytes sets two words: no cause, and the position below the last byte.
TEST(Block, BeginsWithoutACauseAndWithItsWholeRoom) {
  Block block;
  EXPECT_EQ(control_words(block), 0x00003FFEFFFFFFFFu);
  EXPECT_EQ(block.text(), "");
  EXPECT_FALSE(block.enabled());
  block.push("something", 0);
  block.set_cause(4);
  block.count_lost();
  EXPECT_NE(control_words(block), 0x00003FFEFFFFFFFFu);
  block.reset();
  EXPECT_EQ(control_words(block), 0x00003FFEFFFFFFFFu);
  EXPECT_EQ(block.text(), "");
  EXPECT_EQ(block.pending(), 0u);
  EXPECT_EQ(block.lost(), 0u);
}

TEST(Block, StacksLinesDownwardTheNewestFirst) {
  Block block;
  EXPECT_TRUE(block.push("first", 0));
  EXPECT_TRUE(block.push("second", 0));
  EXPECT_TRUE(block.push("third", 0));
  EXPECT_EQ(block.text(), "third\n\tsecond\n\tfirst");
  EXPECT_EQ(block.pending(), 3u);
  EXPECT_EQ(block.text().data() + block.text().size(),
            reinterpret_cast<const char*>(&block) + 0x3FFF);
  EXPECT_EQ(last_byte(block), '\0');
}

TEST(Block, TakesEveryByteAndNotOneMore) {
  Block block;
  EXPECT_FALSE(block.push(std::string(0x4000, 'x'), 0));
  EXPECT_FALSE(block.push(std::string(0x3FFF, 'x'), 1));
  EXPECT_EQ(block.pending(), 0u);
  EXPECT_TRUE(block.push(std::string(0x3FFF, 'x'), 0));
  EXPECT_EQ(block.text(), std::string(0x3FFF, 'x'));
  EXPECT_EQ(last_byte(block), '\0');
  EXPECT_FALSE(block.push("", 0));
  EXPECT_EQ(block.pending(), 1u);
  block.reset();
  EXPECT_TRUE(block.push("again", 0));
  EXPECT_EQ(block.text(), "again");
}

TEST(Block, KeepsTheFirstCause) {
  Block block;
  EXPECT_EQ(block.cause(), -1);
  block.set_cause(NRT_RESOURCE);
  block.set_cause(NRT_TIMEOUT);
  EXPECT_EQ(block.cause(), static_cast<int>(NRT_RESOURCE));
  block.reset();
  EXPECT_EQ(block.cause(), -1);
}

TEST(Block, AdviceExistsForSomeCausesOnly) {
  EXPECT_FALSE(resolution_of(NRT_RESOURCE).empty());
  EXPECT_TRUE(resolution_of(-1).empty());
  EXPECT_TRUE(resolution_of(NRT_SUCCESS).empty());
  EXPECT_TRUE(resolution_of(NRT_FAILURE).empty());
}

}  // namespace
}  // namespace ndtel::nlog::test
