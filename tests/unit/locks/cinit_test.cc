// SPDX-License-Identifier: Apache-2.0
//
// Core initialisation: one process does it, the others wait, and no death blocks a core.

#include "kmod/core/cinit.h"

#include <gtest/gtest.h>

namespace ndtel::test {
namespace {

constexpr u32 kUntouched = 777;

const char kProcesses[2] = {};
const void* const kMe = &kProcesses[0];
const void* const kYou = &kProcesses[1];

class Cinit : public testing::Test {
 protected:
  Cinit() { cinit_init(&init, 8); }

  int Set(u32 state, const void* who = kMe, u32 nc = 0) {
    now = kUntouched;
    return cinit_set(&init, nc, who, state, &now);
  }

  cinit init;
  u32 now = kUntouched;
};

TEST_F(Cinit, FirstIsToldToDoItAndTheOthersWait) {
  EXPECT_EQ(Set(CINIT_STARTED), 0);
  EXPECT_EQ(now, u32{CINIT_STARTED});
  EXPECT_EQ(Set(CINIT_STARTED, kYou), -EBUSY);
  EXPECT_EQ(now, u32{CINIT_STARTED}) << "what the caller reports when patience ends";
  EXPECT_EQ(Set(CINIT_COMPLETED), 0);
  EXPECT_EQ(now, u32{CINIT_COMPLETED});
  EXPECT_EQ(Set(CINIT_STARTED, kYou), 0);
  EXPECT_EQ(now, u32{CINIT_COMPLETED}) << "nothing left to do";
}

TEST_F(Cinit, CompletedOnlyFromStarted) {
  EXPECT_EQ(Set(CINIT_COMPLETED), 0);
  EXPECT_EQ(now, u32{CINIT_INVALID});
  ASSERT_EQ(Set(CINIT_STARTED), 0);
  ASSERT_EQ(Set(CINIT_COMPLETED), 0);
  EXPECT_EQ(Set(CINIT_COMPLETED), 0);
  EXPECT_EQ(now, u32{CINIT_COMPLETED});
}

TEST_F(Cinit, OtherStatesAreRefused) {
  for (u32 state : {0u, u32{CINIT_INVALID}, 4u, ~0u}) {
    EXPECT_EQ(Set(state), -EINVAL) << state;
    EXPECT_EQ(now, kUntouched);
    EXPECT_EQ(init.core[0].state, u32{CINIT_INVALID});
  }
}

TEST_F(Cinit, CoresTheDeviceDoesNotHave) {
  u64 count = kUntouched;
  for (u32 cores : {0u, 2u, 8u, 9u}) {
    cinit_init(&init, cores);
    for (u32 nc : {init.nc_count, 100u, ~0u}) {
      EXPECT_EQ(Set(CINIT_STARTED, kMe, nc), -E2BIG);
      EXPECT_EQ(Set(0, kMe, nc), -E2BIG);
      EXPECT_EQ(now, kUntouched);
      EXPECT_EQ(cinit_model_started(&init, nc), -E2BIG);
      EXPECT_EQ(cinit_models(&init, nc, &count), -E2BIG);
      EXPECT_EQ(count, kUntouched);
    }
  }
  EXPECT_EQ(init.nc_count, unsigned{ND_MAX_NC_PER_DEVICE});
}

TEST_F(Cinit, DeathWhileStartedLetsTheNextOneDoIt) {
  ASSERT_EQ(Set(CINIT_STARTED, kMe, 0), 0);
  ASSERT_EQ(Set(CINIT_STARTED, kYou, 1), 0);
  ASSERT_EQ(Set(CINIT_STARTED, kMe, 2), 0);
  ASSERT_EQ(Set(CINIT_COMPLETED, kMe, 2), 0);
  EXPECT_TRUE(cinit_drop(&init, kMe));
  EXPECT_FALSE(cinit_drop(&init, kMe));
  EXPECT_EQ(init.core[0].state, u32{CINIT_INVALID});
  EXPECT_EQ(init.core[1].state, u32{CINIT_STARTED}) << "another's";
  EXPECT_EQ(init.core[2].state, u32{CINIT_COMPLETED}) << "what is done stays done";
  EXPECT_EQ(Set(CINIT_STARTED, kYou, 0), 0);
  EXPECT_EQ(now, u32{CINIT_STARTED});
}

TEST_F(Cinit, ResetOfSomeCoresBeginsAgainThere) {
  u64 count = kUntouched;
  for (u32 nc = 0; nc < 8; nc++) {
    ASSERT_EQ(Set(CINIT_STARTED, kMe, nc), 0);
    ASSERT_EQ(Set(CINIT_COMPLETED, kMe, nc), 0);
    for (u32 i = 0; i <= nc; i++) ASSERT_EQ(cinit_model_started(&init, nc), 0);
  }
  cinit_reset(&init, 0x0F);
  for (u32 nc = 0; nc < 8; nc++) {
    ASSERT_EQ(cinit_models(&init, nc, &count), 0);
    EXPECT_EQ(count, nc < 4 ? 0 : nc + 1);
    EXPECT_EQ(init.core[nc].state, u32{nc < 4 ? CINIT_INVALID : CINIT_COMPLETED});
  }
  cinit_reset(&init, ~0U);
  EXPECT_EQ(init.core[7].state, u32{CINIT_INVALID});
}

}  // namespace
}  // namespace ndtel::test
