// SPDX-License-Identifier: Apache-2.0
//
// The reset handshake.

#include "bench.hpp"

namespace ndtel::test {
namespace {

constexpr fwio_reset_limits kLimits = {120 * kSecond, 30 * kSecond, 5 * kSecond};

// Runs a reset that has begun.
void Finish(Bench& b, fwio_reset& reset, u64 total_ns) {
  const u64 start = b.now;
  u64 next = 0;
  while (!fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next)) {
    ASSERT_GT(next, b.now);
    ASSERT_LE(next, start + total_ns);
    EXPECT_EQ(b.driver.use, FWIO_RESET);
    b.AdvanceTo(next);
  }
  EXPECT_EQ(b.driver.use, FWIO_IDLE);
}

fwio_reset Reset(Bench& b, nd_reset_type type = ND_RESET_DEVICE,
                 const fwio_reset_limits& limits = kLimits) {
  fwio_reset reset;
  EXPECT_EQ(fwio_reset_begin(&b.driver, &reset, type, 0x3, 0x01010101, &limits, b.now), 0);
  Finish(b, reset, limits.accept_ns + limits.complete_ns + kMs);
  return reset;
}

TEST(FwioReset, OfADeviceStoresTypeAndDoorbellOnly) {
  Bench b;
  b.Reg(ND_MISCRAM_RESET_MAP_LO) = 0x77;
  EXPECT_EQ(Reset(b).result, 0);
  EXPECT_EQ(b.stores,
            (std::vector<Store>{{ND_MISCRAM_RESET, ND_RESET_DEVICE}, {ND_MISCRAM_TRIGGER, 1}}));
  EXPECT_EQ(b.Reg(ND_MISCRAM_RESET_MAP_LO), 0x77U) << "the old map stays";
}

TEST(FwioReset, OfCoresStoresMapsFirst) {
  Bench b;
  EXPECT_EQ(Reset(b, ND_RESET_TPB).result, 0);
  EXPECT_EQ(b.stores, (std::vector<Store>{{ND_MISCRAM_RESET_MAP_LO, 0x01010101},
                                          {ND_MISCRAM_RESET_MAP_HI, 0x3},
                                          {ND_MISCRAM_RESET, ND_RESET_TPB},
                                          {ND_MISCRAM_TRIGGER, 1}}));
}

TEST(FwioReset, MeasuresTheTimeToAcceptance) {
  for (u32 ms : {0U, 1U, 7U, 250U, 29'000U}) {
    Bench b;
    b.firmware.knobs.reset_accept_ms = ms;
    b.firmware.knobs.reset_complete_ms = 900;
    const u64 start = b.now;
    const fwio_reset reset = Reset(b);
    EXPECT_EQ(reset.result, 0);
    EXPECT_TRUE(reset.accepted);
    EXPECT_GE(reset.accept_ms, ms);
    EXPECT_LE(reset.accept_ms, ms + 20);
    EXPECT_GE(b.now - start, (ms + 900) * kMs);
    EXPECT_EQ(b.stores.size(), 2U);
  }
}

TEST(FwioReset, IsRequestedAgainWhenItIsNotAccepted) {
  Bench b;
  b.firmware.knobs.reset_ignored = 2;
  const fwio_reset reset = Reset(b, ND_RESET_TPB);
  EXPECT_EQ(reset.result, 0);
  EXPECT_GE(reset.accept_ms, 60'000U) << "from the first doorbell";
  EXPECT_LE(reset.accept_ms, 60'020U);
  ASSERT_EQ(b.stores.size(), 12U);
  for (std::size_t i = 4; i < 12; i++) {
    EXPECT_EQ(b.stores[i], b.stores[i % 4]);
  }
}

TEST(FwioReset, SlowAcceptanceIsNotDelayedByRepetition) {
  Bench b;
  b.firmware.knobs.reset_accept_ms = 70'000;
  const fwio_reset reset = Reset(b);
  EXPECT_EQ(reset.result, 0);
  EXPECT_LE(reset.accept_ms, 70'020U);
  EXPECT_EQ(b.Doorbells(), 3U);
}

TEST(FwioReset, NeverAcceptedTimesOut) {
  Bench b;
  b.firmware.knobs.reset_ignored = kForever;
  const u64 start = b.now;
  const fwio_reset reset = Reset(b);
  EXPECT_EQ(reset.result, -ETIMEDOUT);
  EXPECT_FALSE(reset.accepted);
  EXPECT_EQ(b.now - start, kLimits.accept_ns);
  EXPECT_EQ(b.Doorbells(), 4U) << "at 0, 30, 60 and 90 s";
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0) << "the firmware still takes posts";
}

TEST(FwioReset, NeverCompletedTimesOut) {
  Bench b;
  b.firmware.knobs.reset_stuck = kForever;
  const fwio_reset reset = Reset(b);
  EXPECT_EQ(reset.result, -ETIMEDOUT);
  EXPECT_TRUE(reset.accepted);
  b.ClearKnobs();
  EXPECT_EQ(Reset(b).result, 0) << "the next one recovers";
}

TEST(FwioReset, BusyRegistersAreNotAnAnswer) {
  Bench b;
  b.firmware.knobs.reset_busy = 1;
  b.firmware.knobs.reset_accept_ms = 500;
  b.firmware.knobs.reset_complete_ms = 700;
  const fwio_reset reset = Reset(b);
  EXPECT_EQ(reset.result, 0);
  EXPECT_GE(reset.accept_ms, 1200U);
}

TEST(FwioReset, SentinelsAreNeitherAcceptanceNorCompletion) {
  for (fw_model_answer answer : {FW_MODEL_BUSY, FW_MODEL_GONE}) {
    for (u32 offset : {ND_MISCRAM_RESET, ND_MISCRAM_FW_STATUS}) {
      Bench b;
      ASSERT_EQ(fw_model_override(&b.firmware, offset, answer, b.now + 3 * kSecond), 0);
      const u64 start = b.now;
      const fwio_reset reset = Reset(b);
      EXPECT_EQ(reset.result, 0);
      EXPECT_GE(b.now - start, 3 * kSecond);
      EXPECT_EQ(reset.accept_ms >= 3000, offset == ND_MISCRAM_RESET);
    }
    Bench b;
    ASSERT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SIZE, answer, U64_MAX), 0);
    EXPECT_EQ(Reset(b).result, -ETIMEDOUT);
  }
}

TEST(FwioReset, F21AcceptanceInTimeIsFoundHoweverLateTheLook) {
  Bench b;
  b.firmware.knobs.reset_accept_ms = 10;
  fwio_reset reset;
  u64 next;
  ASSERT_EQ(fwio_reset_begin(&b.driver, &reset, ND_RESET_DEVICE, 0, 0, &kLimits, b.now), 0);
  ASSERT_FALSE(fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next));
  b.Advance(1000 * kSecond);
  EXPECT_TRUE(fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next));
  EXPECT_EQ(reset.result, 0);
}

TEST(FwioReset, ExchangesAreRefusedMeanwhile) {
  Bench b;
  b.firmware.knobs.reset_accept_ms = 100;
  fwio_reset reset, second;
  u64 next;
  ASSERT_EQ(fwio_reset_begin(&b.driver, &reset, ND_RESET_DEVICE, 0, 0, &kLimits, b.now), 0);
  for (nd_fwio_cmd cmd : kCommands) {
    EXPECT_EQ(b.Call(cmd).result, -EBUSY);
  }
  ASSERT_FALSE(fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next));
  for (nd_fwio_cmd cmd : kCommands) {
    EXPECT_EQ(b.Call(cmd).result, -EBUSY);
  }
  EXPECT_EQ(fwio_reset_begin(&b.driver, &second, ND_RESET_TPB, 0, 1, &kLimits, b.now), -EBUSY);
  EXPECT_EQ(b.stores.size(), 2U);
  Finish(b, reset, 200 * kMs);
  for (nd_fwio_cmd cmd : kCommands) {
    EXPECT_EQ(b.Call(cmd).result, 0);
  }
  EXPECT_EQ(b.driver.stats.resets, 1U);
}

TEST(FwioReset, UnknownTypesAreRefused) {
  Bench b;
  fwio_reset reset;
  for (int type : {0, 3, -1})
    EXPECT_EQ(fwio_reset_begin(&b.driver, &reset, static_cast<nd_reset_type>(type), 0, 0, &kLimits,
                               b.now),
              -EINVAL);
  u64 next;
  EXPECT_TRUE(fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next));
  EXPECT_TRUE(b.stores.empty());
  EXPECT_EQ(b.driver.use, FWIO_IDLE);
}

TEST(FwioReset, AbortFreesTheMailbox) {
  Bench b;
  b.firmware.knobs.reset_accept_ms = 100;
  fwio_reset reset;
  u64 next;
  ASSERT_EQ(fwio_reset_begin(&b.driver, &reset, ND_RESET_DEVICE, 0, 0, &kLimits, b.now), 0);
  ASSERT_FALSE(fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next));
  fwio_reset_abort(&b.driver, &reset);
  EXPECT_EQ(reset.result, -ECANCELED);
  EXPECT_FALSE(reset.accepted);
  EXPECT_TRUE(fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next));
  EXPECT_EQ(b.stores.size(), 2U);
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA).result, 0) << "once the firmware is done with it";
}

TEST(FwioReset, RescuesAFirmwareThatHangs) {
  Bench b;
  b.firmware.knobs.ignore_requests = kForever;
  for (nd_fwio_cmd cmd : kCommands) {
    EXPECT_EQ(b.Call(cmd).result, -ETIMEDOUT);
  }
  EXPECT_TRUE(b.driver.dirty);
  b.ClearKnobs();
  const u64 start = b.now;
  EXPECT_EQ(Reset(b).result, 0);
  EXPECT_FALSE(b.driver.dirty);
  for (u8 number : b.driver.abandoned) {
    EXPECT_EQ(number, 0);
  }
  for (u64 word : b.driver.unanswered) {
    EXPECT_EQ(word, 0U);
  }
  for (nd_fwio_cmd cmd : kCommands) {
    EXPECT_EQ(b.Call(cmd).result, 0);
  }
  EXPECT_LT(b.now - start, kSecond) << "nothing is waited for any more";
}

TEST(FwioReset, OfCoresDoesNotForgetAnswersOnTheirWay) {
  Bench b;
  b.driver.limits[ND_FWIO_READ] = {100 * kMs, kSecond, 1};
  b.firmware.knobs.late_ms = 60'000;
  b.firmware.knobs.late_replies = 1;
  b.Reg(ND_MISCRAM_POD_ELECTION) = 0xBADBAD00;
  ASSERT_EQ(b.Call(ND_FWIO_READ, ReadOf({kMiscram + ND_MISCRAM_POD_ELECTION}), 4).result,
            -ETIMEDOUT);
  EXPECT_EQ(Reset(b, ND_RESET_TPB).result, 0);
  for (int i = 0; i < 600; i++) {
    if (i == 300) b.Advance(60 * kSecond);
    const Outcome out = b.Call(ND_FWIO_READ);
    ASSERT_EQ(out.result, 0);
    ASSERT_EQ(out.reply, (Bytes{0xEF, 0xCD, 0xAB, 0x89})) << i;
  }
}

}  // namespace
}  // namespace ndtel::test
