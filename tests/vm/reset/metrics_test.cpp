// SPDX-License-Identifier: Apache-2.0
//
// How long resets took and how many failed, in posts.
#include "reset_test.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kLongest = 50;
constexpr unsigned kAverage = 52;
constexpr unsigned kFailures = 54;

class ResetMetrics : public ResetTest {
 protected:
  ResetMetrics() : ResetTest("no_reset=1 reset_timeout_ms=400") {}
  void SetUp() override {
    ResetTest::SetUp();
    ASSERT_EQ(module().set_parameter("nmetric_log_posts", "2"), 0);
  }
};

// K4, K5: the longest and the average of a period, and nothing of it in the next one.
TEST_F(ResetMetrics, LongestAndAverageOfThePeriodArePostedOnce) {
  const Firmware firmware;
  Trace trace(Events::kPostNd);
  Posting posting(module(), trace);
  EXPECT_TRUE(texts_of(posting.run(3), kLongest).empty()) << "there was no reset";
  for (const unsigned ms : {120u, 40u}) {
    firmware.set("reset_accept_ms", ms);
    ASSERT_EQ(reset(), 0);
    ASSERT_TRUE(becomes(ND_STATE_READY));
  }
  const auto posts = posting.run(4);
  const auto longest = texts_of(posts, kLongest);
  const auto average = texts_of(posts, kAverage);
  ASSERT_EQ(longest.size(), 1u);
  ASSERT_EQ(average.size(), 1u);
  EXPECT_GE(std::stoul(longest.front()), 120u);
  EXPECT_GE(std::stoul(average.front()), 80u);
  EXPECT_LE(std::stoul(average.front()), std::stoul(longest.front()));
  EXPECT_TRUE(texts_of(posting.run(4), kLongest).empty());
  EXPECT_TRUE(texts_of(posts, kFailures).empty());
}

TEST_F(ResetMetrics, FailuresAreCountedAndPostedAsDifferences) {
  const Firmware firmware;
  Trace trace(Events::kPostNd);
  Posting posting(module(), trace);
  firmware.set("reset_ignored", kForEver);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(reset(), 0);
    ASSERT_TRUE(becomes(ND_STATE_RESET) || becomes(ND_STATE_INVALID));
    ASSERT_TRUE(becomes(ND_STATE_INVALID));
  }
  firmware.heal();
  ASSERT_EQ(reset(), 0);
  ASSERT_TRUE(becomes(ND_STATE_READY));
  EXPECT_EQ(sum_of(posting.run(4), kFailures), 2u);
  EXPECT_EQ(sum_of(posting.run(4), kFailures), 0u);
}

}  // namespace
}  // namespace ndtel::vm
