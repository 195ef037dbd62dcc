// SPDX-License-Identifier: Apache-2.0
#include "decimal.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace ndtel::systrace {
namespace {

template <typename Integer>
std::string decimal(Integer value) {
  // The byte behind the room must stay as it is.
  char text[kMaxDecimal + 1];
  text[kMaxDecimal] = '#';
  char* const end = put_decimal(text, value);
  EXPECT_LE(end, text + kMaxDecimal);
  EXPECT_EQ(text[kMaxDecimal], '#');
  return {text, end};
}

TEST(Decimal, AroundEveryPowerOfTenAndOfTwo) {
  std::uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits, power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1}) {
      EXPECT_EQ(decimal(value), std::to_string(value));
    }
  }
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t value = std::uint64_t{1} << bit;
    for (const std::uint64_t near : {value - 1, value, value + 1}) {
      EXPECT_EQ(decimal(near), std::to_string(near));
      const auto negative = static_cast<std::int64_t>(0 - near);
      EXPECT_EQ(decimal(negative), std::to_string(negative));
    }
  }
  EXPECT_EQ(decimal(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(decimal(std::uint64_t{0}), "0");
}

TEST(Decimal, EverySmallNumber) {
  for (std::uint64_t value = 0; value <= 100'000; ++value)
    ASSERT_EQ(decimal(value), std::to_string(value));
}

TEST(Decimal, RandomNumbersOfEveryLength) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t value = random() >> random() % 64;
    ASSERT_EQ(decimal(value), std::to_string(value));
  }
}

}  // namespace
}  // namespace ndtel::systrace
