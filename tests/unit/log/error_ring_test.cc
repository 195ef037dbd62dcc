// SPDX-License-Identifier: Apache-2.0
//
// The ring of errors against a plain list of lines.
#include "error_ring.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ndtel::nlog::test {
namespace {

std::string copy(const ErrorRing& ring, std::size_t size) {
  std::string text(size, '?');
  text.resize(ring.copy(text));
  return text;
}

TEST(ErrorRing, GivesLinesBackInTheirOrder) {
  const auto ring = std::make_unique<ErrorRing>();
  EXPECT_EQ(copy(*ring, 100), "");
  ring->append("one");
  ring->append("two");
  EXPECT_EQ(copy(*ring, 100), "one\ntwo\n");
  EXPECT_EQ(ring->wrapped(), 0u);
}

TEST(ErrorRing, GivesWholeLinesOnly) {
  const auto ring = std::make_unique<ErrorRing>();
  ring->append("one");
  ring->append("two");
  EXPECT_EQ(copy(*ring, 8), "one\ntwo\n");
  EXPECT_EQ(copy(*ring, 7), "two\n");
  EXPECT_EQ(copy(*ring, 4), "two\n");
  EXPECT_EQ(copy(*ring, 3), "");
  EXPECT_EQ(copy(*ring, 0), "");
}

TEST(ErrorRing, KeepsTheNewestThroughManyLaps) {
  const auto ring = std::make_unique<ErrorRing>();
  std::mt19937 random(3);
  std::string all;
  for (int i = 0; i < 20000; ++i) {
    const std::string line = std::to_string(i) + ' ' + std::string(random() % 90, 'x');
    ring->append(line);
    all += line + '\n';
    if (i % 1000 != 999) continue;
    const std::string kept = copy(*ring, NLOG_ERROR_RING_SIZE);
    ASSERT_TRUE(all.ends_with(kept));
    EXPECT_EQ(ring->wrapped(), all.size() / NLOG_ERROR_RING_SIZE);
    if (all.size() > NLOG_ERROR_RING_SIZE) {
      EXPECT_GT(kept.size(), NLOG_ERROR_RING_SIZE - std::size_t{100});
      EXPECT_EQ(all[all.size() - kept.size() - 1], '\n');
    } else {
      EXPECT_EQ(kept, all);
    }
    const std::string part = copy(*ring, 1000);
    EXPECT_TRUE(kept.ends_with(part));
    EXPECT_GT(part.size(), 890u);
  }
}

TEST(ErrorRing, CutsALineThatIsLongerThanItself) {
  const auto ring = std::make_unique<ErrorRing>();
  ring->append("before");
  ring->append(std::string(2 * NLOG_ERROR_RING_SIZE, 'x'));
  ring->append("after");
  EXPECT_TRUE(copy(*ring, NLOG_ERROR_RING_SIZE).ends_with("after\n"));
}

TEST(ErrorRings, EachCoreHasItsOwn) {
  ErrorRings rings;
  rings.append(0, "zero");
  rings.append(255, "last");
  std::string text(100, '?');
  std::uint64_t wrapped = 9;
  text.resize(rings.copy(255, text, &wrapped));
  EXPECT_EQ(text, "last\n");
  EXPECT_EQ(wrapped, 0u);
  EXPECT_EQ(rings.copy(7, text, &wrapped), 0u);
}

}  // namespace
}  // namespace ndtel::nlog::test
