// SPDX-License-Identifier: Apache-2.0
//
// Which status counts into which counter, exhaustively over the range of codes.
#include <gtest/gtest.h>

#include <map>

#include "ndtel/status.hpp"

namespace ndtel::test {
namespace {

TEST(StatusCounters, ExactlyFiveCodesCountOnTheLoadPath) {
  const std::map<std::uint32_t, std::uint32_t> expected = {
      {1, 16}, {2, 19}, {4, 17}, {9, 18}, {10, 20}};
  for (std::uint32_t code = 0; code < 2000; ++code) {
    const auto it = expected.find(code);
    const auto counter = generic_status_counter(code);
    EXPECT_EQ(counter.has_value(), it != expected.end()) << code;
    if (counter && it != expected.end()) {
      EXPECT_EQ(*counter, it->second) << code;
    }
  }
  EXPECT_FALSE(generic_status_counter(static_cast<std::uint32_t>(-1)));
}

TEST(StatusCounters, ExecutionPath) {
  const std::map<std::uint32_t, std::uint32_t> expected = {
      {0, 1},     {1, 16},    {2, 19},    {4, 17},    {5, 4},     {6, 11},
      {7, 6},     {1002, 5},  {1003, 3},  {1004, 2},  {1006, 30}, {1200, 31},
      {1201, 32}, {1202, 33}, {1203, 34}, {1204, 35}, {1205, 40},
  };
  for (std::uint32_t code = 0; code < 2000; ++code) {
    const auto it = expected.find(code);
    const auto counter = exec_status_counter(code);
    EXPECT_EQ(counter.has_value(), it != expected.end()) << code;
    if (counter && it != expected.end()) {
      EXPECT_EQ(*counter, it->second) << code;
    }
  }
  EXPECT_FALSE(exec_status_counter(0xFFFFFFFF));
}

TEST(StatusCounters, OnlyFlagsFiveToEightCount) {
  for (std::uint32_t i = 0; i < 64; ++i) {
    const auto counter = error_flag_counter(i);
    EXPECT_EQ(counter.has_value(), i >= 5 && i <= 8) << i;
    if (counter) {
      EXPECT_EQ(*counter, i + 31) << i;
    }
  }
  EXPECT_FALSE(error_flag_counter(0xFFFFFFFF));
  EXPECT_FALSE(error_flag_counter(256 + 5));
}

}  // namespace
}  // namespace ndtel::test
