// SPDX-License-Identifier: Apache-2.0
//
// One line per second and place, and nothing refused goes uncounted.
#include "rate_limit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ndtel::nlog::test {
namespace {

constexpr const char kFile[] = "file.cc";

TEST(RateLimit, OneLinePerIntervalAndPlace) {
  RateLimit limit;
  std::uint64_t suppressed = 99;
  constexpr std::uint64_t t = 5'000'000'000;
  EXPECT_TRUE(limit.admit({kFile, 1}, t, &suppressed));
  EXPECT_EQ(suppressed, 0u);
  EXPECT_FALSE(limit.admit({kFile, 1}, t, &suppressed));
  EXPECT_TRUE(limit.admit({kFile, 2}, t, &suppressed));
  EXPECT_FALSE(limit.admit({kFile, 1}, t + RateLimit::kInterval - 1, &suppressed));
  EXPECT_TRUE(limit.admit({kFile, 1}, t + RateLimit::kInterval, &suppressed));
  EXPECT_EQ(suppressed, 2u);
  EXPECT_FALSE(limit.admit({kFile, 1}, t + RateLimit::kInterval, &suppressed));
  EXPECT_TRUE(limit.admit({kFile, 1}, t + 2 * RateLimit::kInterval, &suppressed));
  EXPECT_EQ(suppressed, 1u);
}

TEST(RateLimit, MorePlacesThanItKnowsShareATurn) {
  RateLimit limit;
  std::uint64_t suppressed = 0;
  for (unsigned line = 0; line < RateLimit::kPlaces; ++line)
    EXPECT_TRUE(limit.admit({kFile, line}, 1, &suppressed)) << line;
  EXPECT_TRUE(limit.admit({kFile, 1000}, 1, &suppressed));
  EXPECT_FALSE(limit.admit({kFile, 1001}, 1, &suppressed));
  for (unsigned line = 0; line < RateLimit::kPlaces; ++line)
    EXPECT_FALSE(limit.admit({kFile, line}, 1, &suppressed)) << line;
}

TEST(RateLimit, OfManyThreadsOneSpeaksAndTheOthersAreCounted) {
  RateLimit limit;
  std::atomic<std::uint64_t> spoke{0}, told{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) {
        std::uint64_t suppressed = 0;
        if (limit.admit({kFile, 7}, 1, &suppressed)) {
          ++spoke;
          told += suppressed;
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::uint64_t suppressed = 0;
  EXPECT_TRUE(limit.admit({kFile, 7}, 2 * RateLimit::kInterval, &suppressed));
  EXPECT_EQ(spoke, 1u);
  EXPECT_EQ(told + suppressed, 3999u);
}

}  // namespace
}  // namespace ndtel::nlog::test
