// SPDX-License-Identifier: Apache-2.0
//
// Core initialisation, and how many models were put in place.
#include <thread>

#include "locks_test.hpp"
#include "support/firmware.hpp"

namespace ndtel::vm {
namespace {

using Cinit = LocksTest;

/// Models put in place on a core, or -errno.
std::int64_t models(const Node& node, std::uint32_t core) {
  nd_ioctl_model_started started{};
  std::memset(&started, 0xA5, sizeof started);
  started.nc_id = core;
  const int result = node.control(ND_IOC_NC_MODEL_STARTED_COUNT, &started);
  if (result != 0) return result;
  EXPECT_EQ(started.pad, 0u);
  return static_cast<std::int64_t>(started.count);
}

int reset(const Node& node, std::uint32_t map) {
  nd_ioctl_nc_reset reset{.nc_map = map, .request_id = 0};
  const int result = node.control(ND_IOC_NC_RESET, &reset);
  if (result != 0) return result;
  nd_ioctl_nc_reset_ready ready{.request_id = reset.request_id, .result = -1};
  const int waited = node.control(ND_IOC_NC_RESET_READY, &ready);
  return waited != 0 ? waited : ready.result;
}

TEST_F(Cinit, FirstStartsTheOthersFindItCompleted) {
  const Node node(0);
  EXPECT_EQ(cinit(node, 0, ND_CINIT_COMPLETED), ND_CINIT_INVALID) << "nobody started";
  EXPECT_EQ(cinit(node, 0, ND_CINIT_STARTED), ND_CINIT_STARTED);
  EXPECT_EQ(cinit(node, 0, ND_CINIT_COMPLETED), ND_CINIT_COMPLETED);
  EXPECT_EQ(cinit(node, 0, ND_CINIT_STARTED), ND_CINIT_COMPLETED);
  EXPECT_EQ(cinit(node, 1, ND_CINIT_STARTED), ND_CINIT_STARTED);
}

TEST_F(Cinit, BadCoresAndStatesAreRefused) {
  const Node node(0);
  for (const std::uint32_t core : {8u, 64u, 0xFFFFFFFFu}) {
    EXPECT_EQ(cinit(node, core, ND_CINIT_STARTED), -E2BIG) << core;
    EXPECT_EQ(models(node, core), -E2BIG) << core;
  }
  for (const std::uint32_t state : {0u, 3u, 4u, 0xFFFFFFFFu}) {
    EXPECT_EQ(cinit(node, 0, state), -EINVAL) << state;
  }
}

TEST_F(Cinit, WhoWaitsIsToldWhenItIsCompleted) {
  const Node node(0);
  ASSERT_EQ(cinit(node, 0, ND_CINIT_STARTED), ND_CINIT_STARTED);
  Child child([](Channel& channel) -> int {
    const Node own(0);
    channel.send();
    CHILD_CHECK(cinit(own, 0, ND_CINIT_STARTED) == ND_CINIT_COMPLETED);
    return 0;
  });
  ASSERT_TRUE(child.receive());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(cinit(node, 0, ND_CINIT_COMPLETED), ND_CINIT_COMPLETED);
  EXPECT_EQ(child.wait(), 0);
}

TEST_F(Cinit, PatienceEnds) {
  const Node node(0);
  ASSERT_EQ(cinit(node, 0, ND_CINIT_STARTED), ND_CINIT_STARTED);
  const Stopwatch watch;
  EXPECT_EQ(cinit(node, 0, ND_CINIT_STARTED), ND_CINIT_STARTED);
  EXPECT_GE(watch.passed(), std::chrono::milliseconds(4500));
}

TEST_F(Cinit, DeathOfWhoStartedMakesTheNextOneDoIt) {
  Child owner([](Channel& channel) -> int {
    const Node own(0);
    CHILD_CHECK(cinit(own, 0, ND_CINIT_STARTED) == ND_CINIT_STARTED);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(owner.receive());
  Child next([](Channel& channel) -> int {
    const Node own(0);
    channel.send();
    CHILD_CHECK(cinit(own, 0, ND_CINIT_STARTED) == ND_CINIT_STARTED);
    return 0;
  });
  ASSERT_TRUE(next.receive());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Stopwatch watch;
  EXPECT_EQ(owner.kill(), -SIGKILL);
  EXPECT_EQ(next.wait(), 0);
  EXPECT_LT(watch.passed(), std::chrono::milliseconds(4500)) << "it ran out of patience";
}

TEST_F(Cinit, ResetMakesItInvalidAndZeroesTheCount) {
  const Node node(0);
  for (const std::uint32_t core : {0u, 1u}) {
    ASSERT_EQ(cinit(node, core, ND_CINIT_STARTED), ND_CINIT_STARTED);
    ASSERT_EQ(cinit(node, core, ND_CINIT_COMPLETED), ND_CINIT_COMPLETED);
    for (const char model : {'a', 'b', 'c'}) {
      ASSERT_EQ(writer_enter(node, core, model), 0);
      EXPECT_EQ(downgrade(node, core, model), 0);
      EXPECT_EQ(reader_exit(node, core, model), 0);
    }
    EXPECT_EQ(models(node, core), 3);
  }
  ASSERT_EQ(reset(node, 0x1), 0);
  EXPECT_EQ(models(node, 0), 0);
  EXPECT_EQ(models(node, 1), 3) << "it was not reset";
  EXPECT_EQ(cinit(node, 0, ND_CINIT_STARTED), ND_CINIT_STARTED);
  EXPECT_EQ(cinit(node, 1, ND_CINIT_STARTED), ND_CINIT_COMPLETED);
  ASSERT_EQ(reset(node, 0xFFFFFFFF), 0);
  EXPECT_EQ(models(node, 1), 0);
}

TEST_F(Cinit, FailedResetChangesNothing) {
  ASSERT_EQ(module().set_parameter("reset_timeout_ms", "300"), 0);
  const Firmware firmware(0);
  const Node node(0);
  ASSERT_EQ(writer_enter(node, 0), 0);
  ASSERT_EQ(downgrade(node, 0), 0);
  firmware.set("reset_ignored", kForEver);
  EXPECT_EQ(reset(node, 0x1), 1);
  EXPECT_EQ(models(node, 0), 1);
}

}  // namespace
}  // namespace ndtel::vm
