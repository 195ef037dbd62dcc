// SPDX-License-Identifier: Apache-2.0
#include "ring.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "recorder.hpp"

namespace ndtel::ntrace {
namespace {

TEST(Ring, KeepsTheNewestAndReturnsTheHintsThatGiveWay) {
  auto ring = Ring::make(3);
  ASSERT_TRUE(ring);
  for (std::uint64_t i = 0; i < 7; ++i) {
    Slot slot{.type = 1, .data = i, .hint = ::strdup(std::to_string(i).c_str())};
    char* const old = ring->push(slot);
    if (i < 3) {
      EXPECT_EQ(old, nullptr);
    } else {
      EXPECT_STREQ(old, std::to_string(i - 3).c_str());
    }
    std::free(old);
    EXPECT_EQ(ring->size(), i < 3 ? i + 1 : 3);
    EXPECT_EQ(ring->overwritten(), i < 3 ? 0 : i - 2);
  }
  for (std::size_t age = 0; age < 3; ++age) EXPECT_EQ((*ring)[age].data, 4 + age);
}

TEST(Ring, RefusesWhatCannotBe) {
  EXPECT_FALSE(Ring::make(0));
  EXPECT_FALSE(Ring::make(SIZE_MAX));
  EXPECT_FALSE(Ring::make(SIZE_MAX / sizeof(Slot)));
}

TEST(Entries, AreAPositiveNumber) {
  EXPECT_EQ(*parse_entries(nullptr), 0x100000u);
  EXPECT_EQ(*parse_entries("1"), 1u);
  EXPECT_EQ(*parse_entries("18446744073709551615"), SIZE_MAX);
  for (const char* text : {"", "0", "-1", "+1", "1k", " 1", "1 ", "many", "18446744073709551616"}) {
    const auto entries = parse_entries(text);
    ASSERT_FALSE(entries) << text;
    EXPECT_EQ(entries.error().code, EINVAL);
    EXPECT_NE(entries.error().message.find("'" + std::string(text) + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace ndtel::ntrace
