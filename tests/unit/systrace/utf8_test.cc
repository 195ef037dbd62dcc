// SPDX-License-Identifier: Apache-2.0
//
// Strict UTF-8: the edges of every range, and each code point there is.
#include "utf8.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace ndtel::systrace::test {
namespace {

using namespace std::string_literals;

// The textbook encoding, also of what must be refused.
std::string encode(std::uint32_t point, int length) {
  if (length == 1) return {static_cast<char>(point)};
  std::string bytes(static_cast<std::size_t>(length), '\0');
  for (int i = length - 1; i > 0; --i, point >>= 6)
    bytes[static_cast<std::size_t>(i)] = static_cast<char>(0x80 | (point & 0x3F));
  bytes[0] = static_cast<char>((0xF00 >> length & 0xFF) | point);
  return bytes;
}

int shortest(std::uint32_t point) {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

TEST(Utf8, TakesEveryCodePointInItsShortestFormAndNoOther) {
  int wrong = 0;
  for (std::uint32_t point = 0; point < 0x200000; ++point) {
    const bool is_character = point <= 0x10FFFF && !(point >= 0xD800 && point <= 0xDFFF);
    for (int length = shortest(point); length <= 4; ++length) {
      const bool expected = is_character && length == shortest(point);
      wrong += is_utf8(encode(point, length)) != expected;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Utf8, RefusesWhatIsNone) {
  for (const std::string& bad : {"\x80"s,
                                 "\xBF"s,  // a continuation leads
                                 "\xC0\x80"s,
                                 "\xC1\xBF"s,  // overlong in two bytes
                                 "\xE0\x80\x80"s,
                                 "\xE0\x9F\xBF"s,  // in three
                                 "\xF0\x80\x80\x80"s,
                                 "\xF0\x8F\xBF\xBF"s,  // in four
                                 "\xED\xA0\x80"s,
                                 "\xED\xBF\xBF"s,  // surrogates
                                 "\xF4\x90\x80\x80"s,
                                 "\xF5\x80\x80\x80"s,  // above U+10FFFF
                                 "\xF8\x88\x80\x80\x80"s,
                                 "\xFE"s,
                                 "\xFF"s,
                                 "\xFC\x84\x80\x80\x80\x80"s,
                                 "\xC3"s,
                                 "\xE2\x82"s,
                                 "\xF0\x9F\x98"s,  // cut short
                                 "\xC3("s,
                                 "\xE2\x28\xA1"s,
                                 "\xE2\x82\x28"s,
                                 "\xF0\x9F\x98\x28"s}) {
    EXPECT_FALSE(is_utf8(bad)) << testing::PrintToString(bad);
    // Wherever it stands, on the fast path and beside it.
    for (std::size_t before = 0; before <= 17; ++before) {
      EXPECT_FALSE(is_utf8(std::string(before, 'a') + bad));
      EXPECT_FALSE(is_utf8(std::string(before, 'a') + bad + "ascii behind it"));
    }
  }
}

TEST(Utf8, TakesTextOfAnyLength) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("nul\0inside"s));
  for (std::size_t before = 0; before <= 17; ++before) {
    const std::string text(before, 'a');
    EXPECT_TRUE(is_utf8(text));
    EXPECT_TRUE(is_utf8(text + "h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80" + text));
  }
}

TEST(Utf8, LooksNoFurtherThanTheEnd) {
  const std::string euro = "\xE2\x82\xAC";
  EXPECT_FALSE(is_utf8(std::string_view(euro).substr(0, 2)));
  EXPECT_TRUE(is_utf8(std::string_view("abcdefgh\xFF").substr(0, 8)));
}

}  // namespace
}  // namespace ndtel::systrace::test
