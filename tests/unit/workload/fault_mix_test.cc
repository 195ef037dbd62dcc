// SPDX-License-Identifier: Apache-2.0
#include "fault_mix.hpp"

#include <gtest/gtest.h>

#include <map>

namespace ndtel::workload {
namespace {

TEST(FaultMix, ParsesShares) {
  const auto mix = FaultMix::parse("nan=0.02,queue=0.5");
  ASSERT_TRUE(mix);
  EXPECT_DOUBLE_EQ(mix->share(Fault::kNan), 0.02);
  EXPECT_DOUBLE_EQ(mix->share(Fault::kQueue), 0.5);
  EXPECT_DOUBLE_EQ(mix->share(Fault::kShape), 0);
  EXPECT_TRUE(FaultMix::parse(""));
}

TEST(FaultMix, SaysWhatIsWrong) {
  for (const char* bad : {"nan", "nan=", "nan=x", "nan=-0.1", "nan=1.5", "nan=nan", "oops=0.1",
                          "nan=0.6,shape=0.6", "nan=0.1,,shape=0.1", "=0.1"}) {
    const auto mix = FaultMix::parse(bad);
    ASSERT_FALSE(mix) << bad;
    EXPECT_NE(mix.error().message.find("fault mix"), std::string::npos);
  }
}

TEST(FaultMix, PicksEachFaultAsOftenAsAsked) {
  const auto mix = FaultMix::parse("nan=0.1,deadline=0.2,queue=0.3,shape=0.25");
  ASSERT_TRUE(mix);
  std::mt19937_64 random(1);
  std::map<Fault, int> seen;
  constexpr int kTurns = 100000;
  for (int i = 0; i < kTurns; ++i) ++seen[mix->pick(random)];
  for (const Fault fault : {Fault::kNan, Fault::kDeadline, Fault::kQueue, Fault::kShape}) {
    EXPECT_NEAR(seen[fault] / double{kTurns}, mix->share(fault), 0.01);
  }
  EXPECT_NEAR(seen[Fault::kNone] / double{kTurns}, 0.15, 0.01);
}

TEST(FaultMix, PicksNothingByDefault) {
  const FaultMix mix;
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(mix.pick(random), Fault::kNone);
}

}  // namespace
}  // namespace ndtel::workload
