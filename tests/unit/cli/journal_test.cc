// SPDX-License-Identifier: Apache-2.0
#include "companion/journal.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ndtel::cli {
namespace {

class JournalTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_;
  Journal::Clock::time_point now_{};
  Journal journal_{[this](const std::string& line) { lines_.push_back(line); },
                   [this] { return now_; }};
};

TEST_F(JournalTest, SaysEachChangeOnce) {
  journal_.say("a", "is there");
  journal_.say("b", "is there");
  journal_.say("a", "is there");
  journal_.say("a", "is gone");
  journal_.say("a", "is there");
  EXPECT_EQ(lines_,
            (std::vector<std::string>{"a: is there", "b: is there", "a: is gone", "a: is there"}));
}

TEST_F(JournalTest, RepeatsAComplaintOnlyNowAndThen) {
  for (int second = 0; second < 130; ++second) {
    journal_.complain("a", "does not answer");
    now_ += std::chrono::seconds(1);
  }
  EXPECT_EQ(lines_.size(), 3U);
}

TEST_F(JournalTest, ComplaintsThatAlternateAreNoFlood) {
  for (int i = 0; i < 1000; ++i) {
    journal_.complain("a", i % 2 == 0 ? "refuses" : "is silent");
    now_ += std::chrono::milliseconds(10);
  }
  EXPECT_LE(lines_.size(), 3U);
}

TEST_F(JournalTest, WhatFollowsAComplaintIsSaidAtOnce) {
  journal_.complain("a", "is silent");
  journal_.say("a", "answers again");
  journal_.complain("a", "is silent");
  EXPECT_EQ(lines_.size(), 3U);
}

}  // namespace
}  // namespace ndtel::cli
