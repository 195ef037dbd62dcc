// SPDX-License-Identifier: Apache-2.0
//
// Exchanges from the driver's side: what is stored in which order, when it is tried again, how long
// a call may take, and what is refused before the firmware hears of it.

#include <numeric>

#include "bench.hpp"

namespace ndtel::test {
namespace {

constexpr u32 kData = ND_MISCRAM_DATA;

TEST(Fwio, HealthyFirmwareAnswersEveryCommand) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.firmware.profile = 2;
    const Outcome out = b.Call(cmd);
    EXPECT_EQ(out.result, 0);
    EXPECT_EQ(out.unknown, 0U);
    EXPECT_EQ(b.Doorbells(), 1U);
    EXPECT_EQ(b.firmware.requests[cmd], 1U);
    EXPECT_EQ(b.driver.stats.calls, 1U);
    EXPECT_EQ(b.driver.stats.doorbells, 1U);
    if (cmd == ND_FWIO_READ) {
      EXPECT_EQ(out.reply, (Bytes{0xEF, 0xCD, 0xAB, 0x89}));
    }
    if (cmd == ND_FWIO_GET_DATA) {
      EXPECT_EQ(out.reply, (Bytes{0, 0, 0, 0, 2, 0, 0, 0}));
    }
  }
}

TEST(Fwio, LegacyPostStoresInItsOrder) {
  Bench b;
  ASSERT_EQ(b.Call(ND_FWIO_POST_TO_CW, {0xc8, 0x03, 0x31, 0x32, 0x33}, 0).result, 0);
  const u64 request = b.port.request_addr, response = b.port.response_addr;
  const std::vector<Store> want = {
      {kData, 0x323103c8},
      {kData + 4, 0x33},
      {ND_MISCRAM_REQUEST_LO, static_cast<u32>(request)},
      {ND_MISCRAM_REQUEST_HI, static_cast<u32>(request >> 32)},
      {ND_MISCRAM_RESPONSE_LO, static_cast<u32>(response)},
      {ND_MISCRAM_RESPONSE_HI, static_cast<u32>(response >> 32)},
      {ND_MISCRAM_TRIGGER, 1},
  };
  EXPECT_EQ(b.stores, want);
}

TEST(Fwio, LegacyReadLeavesTheDataWindowAlone) {
  Bench b;
  ASSERT_EQ(b.Call(ND_FWIO_READ).result, 0);
  ASSERT_EQ(b.stores.size(), 5U);
  EXPECT_EQ(b.stores[0].offset, u32{ND_MISCRAM_REQUEST_LO});
  EXPECT_EQ(b.stores[1].offset, u32{ND_MISCRAM_REQUEST_HI});
  EXPECT_EQ(b.stores[2].offset, u32{ND_MISCRAM_RESPONSE_LO});
  EXPECT_EQ(b.stores[3].offset, u32{ND_MISCRAM_RESPONSE_HI});
  EXPECT_EQ(b.stores[4], (Store{ND_MISCRAM_TRIGGER, 1}));
}

TEST(Fwio, NewMailboxStoresInItsOrder) {
  Bench b;
  ASSERT_EQ(b.Call(ND_FWIO_GET_DATA, {2, 5, 0}, 33).result, 0);
  const std::vector<Store> want = {
      {kData, 0x000502},
      {ND_MISCRAM_REQUEST_HI, 0x000B0402},
      {ND_MISCRAM_REQUEST_LO, 0x11280F14},
      {ND_MISCRAM_RESPONSE_HI, 0},
      {ND_MISCRAM_RESPONSE_LO, 0},
      {ND_MISCRAM_ACK, 1},
      {ND_MISCRAM_TRIGGER, 1},
  };
  EXPECT_EQ(b.stores, want);
}

TEST(Fwio, SequenceStartsAt2WrapsTo1AndSkips0) {
  Bench b;
  u8 want = 2;
  for (int i = 0; i < 600; i++) {
    const nd_fwio_cmd cmd = kCommands[i % 5];
    ASSERT_EQ(b.Call(cmd).result, 0) << i;
    ASSERT_EQ(b.driver.seq, want) << i;
    want = want == 255 ? 1 : want + 1;
  }
}

TEST(Fwio, RetriesArmEverythingAnewUnderANewNumber) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.firmware.knobs.fail = kForever;
    // Registers that are not stored again would keep this.
    std::vector<std::vector<Store>> attempts(1);
    std::vector<u8> numbers;
    b.on_access = [&](bool store, u32 offset) {
      if (!store) return;
      if (offset != ND_MISCRAM_TRIGGER) return;
      numbers.push_back(b.RequestSeq(IsLegacy(cmd)));
      // All but the doorbell of this attempt is on record by now.
      attempts.back() = b.stores;
      b.stores.clear();
      attempts.emplace_back();
    };
    EXPECT_EQ(b.Call(cmd).result, -EREMOTEIO);
    const u32 limit = b.driver.limits[cmd].attempts;
    ASSERT_EQ(numbers.size(), limit);
    for (u32 i = 0; i < limit; i++) {
      EXPECT_EQ(numbers[i], 2 + i);
      std::vector<u32> first, offsets;
      for (const Store& store : attempts[0]) first.push_back(store.offset);
      for (const Store& store : attempts[i])
        if (store.offset != ND_MISCRAM_TRIGGER) offsets.push_back(store.offset);
      EXPECT_EQ(offsets, first) << "attempt " << i;
    }
  }
}

TEST(Fwio, LegacyAttemptsHavePlacesOfTheirOwn) {
  Bench b;
  for (u32 i = 0; i < 2 * FWIO_SLOTS; i++) {
    ASSERT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0);
    EXPECT_EQ(b.NamedPlace(), b.ResponsePlace(i % FWIO_SLOTS));
  }
}

TEST(Fwio, PlacesThatMayStillBeAnsweredAreAvoided) {
  Bench b;
  b.firmware.knobs.late_ms = 100'000;
  b.firmware.knobs.late_replies = 3;
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, -ETIMEDOUT);
  for (u32 i = 0; i < 3 * FWIO_SLOTS; i++) {
    ASSERT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0);
    EXPECT_GE(b.NamedPlace(), b.ResponsePlace(3)) << "places 0 to 2 are waited for";
  }
  b.Settle();
  bool again = false;
  for (u32 i = 0; i < FWIO_SLOTS; i++) {
    ASSERT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0);
    again |= b.NamedPlace() == b.ResponsePlace(0);
  }
  EXPECT_TRUE(again) << "a late answer frees its place";
  EXPECT_EQ(b.driver.stats.stale, 3U);
}

TEST(Fwio, RefusalsAreRetriedWithAGrowingPause) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.driver.limits[cmd].attempts = 4;
    b.firmware.knobs.fail = 3;
    std::vector<u64> rung;
    b.on_access = [&](bool store, u32 offset) {
      if (store && offset == ND_MISCRAM_TRIGGER) rung.push_back(b.now);
    };
    EXPECT_EQ(b.Call(cmd).result, 0);
    ASSERT_EQ(rung.size(), 4U);
    EXPECT_GE(rung[1] - rung[0], 10 * kMs);
    EXPECT_GE(rung[2] - rung[1], 20 * kMs);
    EXPECT_GE(rung[3] - rung[2], 40 * kMs);
    EXPECT_LT(rung[3] - rung[0], 100 * kMs);
    EXPECT_EQ(b.driver.stats.refusals, 3U);
    EXPECT_EQ(b.driver.stats.failed, 0U) << "the call did not fail";
  }
}

TEST(Fwio, UnknownCommandEndsAtOnce) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.firmware.knobs.unknown_command = kForever;
    const Outcome out = b.Call(cmd);
    EXPECT_EQ(out.result, -EOPNOTSUPP);
    EXPECT_EQ(out.unknown, 0U) << "a valid answer";
    EXPECT_EQ(b.Doorbells(), 1U);
    EXPECT_EQ(b.driver.stats.failed, 1U);
    EXPECT_EQ(b.driver.stats.refusals, 1U);
  }
}

TEST(Fwio, F1SilenceIsNeverSuccess) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.firmware.knobs.ignore_requests = kForever;
    // Call() also checks that all of the reply is zeroed.
    const Outcome out = b.Call(cmd, Payload(cmd), 40);
    EXPECT_EQ(out.result, -ETIMEDOUT);
    EXPECT_EQ(out.unknown, b.driver.limits[cmd].attempts);
    EXPECT_EQ(b.driver.stats.timeouts, 1U);
    EXPECT_EQ(b.driver.stats.silences, b.driver.limits[cmd].attempts);
    EXPECT_EQ(b.firmware.profile, 0);
  }
}

TEST(Fwio, F1RefusalsAreNeverSuccess) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.firmware.knobs.fail = kForever;
    const Outcome out = b.Call(cmd, Payload(cmd), 40);
    EXPECT_EQ(out.result, -EREMOTEIO);
    EXPECT_EQ(out.unknown, 0U);
    EXPECT_EQ(b.Doorbells(), b.driver.limits[cmd].attempts);
  }
}

TEST(Fwio, F1CommandsThatDoNotExistAreRefused) {
  Bench b;
  u8 byte = 1;
  fwio_call call;
  for (int cmd : {0, 6, 7, 255, -1})
    EXPECT_EQ(
        fwio_begin(&b.driver, &call, static_cast<nd_fwio_cmd>(cmd), &byte, 1, nullptr, 0, b.now),
        -EINVAL)
        << cmd;
  EXPECT_TRUE(b.Step(call)) << "a call that did not begin is done";
  EXPECT_EQ(b.driver.stats.calls, 0U);
  EXPECT_TRUE(b.stores.empty());
}

TEST(Fwio, F2RequestsBeyondTheWindowAreRefused) {
  Bench b;
  for (nd_fwio_cmd cmd :
       {ND_FWIO_POST_TO_CW, ND_FWIO_SET_POWER_PROFILE, ND_FWIO_GET_DATA, ND_FWIO_SET_FEATURE}) {
    EXPECT_EQ(b.Call(cmd, Bytes(129), 0).result, -E2BIG) << cmd;
    EXPECT_EQ(b.Call(cmd, Bytes(70000), 0).result, -E2BIG) << cmd;
  }
  EXPECT_TRUE(b.stores.empty()) << "no doorbell for a refused request";
  EXPECT_EQ(b.driver.stats.calls, 0U);
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW, Bytes(128), 0).result, 0);
  for (const Store& store : b.stores)
    if (store.offset >= ND_MISCRAM_DATA + 128U && store.offset < ND_MISCRAM_REQUEST_HI)
      ADD_FAILURE() << "a store to " << store.offset << ", beyond the window";
}

TEST(Fwio, F3OddPayloadsArePaddedWithZeros) {
  for (u32 size = 1; size <= 128; size++) {
    Bench b;
    std::fill_n(&b.Reg(kData), 32, 0xCCCCCCCCU);
    Bytes payload(size);
    std::iota(payload.begin(), payload.end(), u8{1});
    // Call() hands the payload over in memory of exactly its size.
    b.Call(ND_FWIO_POST_TO_CW, payload, 0);
    Bytes window(128, 0xCC), want(128, 0xCC);
    std::memcpy(window.data(), &b.Reg(kData), 128);
    std::fill_n(want.begin(), (size + 3) / 4 * 4, u8{0});
    std::copy(payload.begin(), payload.end(), want.begin());
    ASSERT_EQ(window, want) << size;
    ASSERT_EQ(b.firmware.mismatched, 0U) << size;
  }
  for (const Bytes& payload : {Bytes{1}, Bytes{2, 5, 0}}) {
    Bench b;
    std::fill_n(&b.Reg(kData), 32, 0xCCCCCCCCU);
    b.on_doorbell = [] {};  // nobody answers over the request
    b.Call(ND_FWIO_GET_DATA, payload, 33);
    u32 want = 0;
    std::memcpy(&want, payload.data(), payload.size());
    EXPECT_EQ(b.Reg(kData), want);
    EXPECT_EQ(b.Reg(kData + 4), 0xCCCCCCCCU);
  }
}

TEST(Fwio, F13ReadsAreBounded) {
  Bench b;
  EXPECT_EQ(b.Call(ND_FWIO_READ, Bytes(101 * 8), 101 * 4).result, -E2BIG);
  EXPECT_EQ(b.Call(ND_FWIO_READ, Bytes(8192 * 8), 8192 * 4).result, -E2BIG);
  EXPECT_EQ(b.Call(ND_FWIO_READ, {}, 4).result, -EINVAL) << "no address";
  EXPECT_EQ(b.Call(ND_FWIO_READ, Bytes(12), 8).result, -EINVAL) << "half an address";
  EXPECT_EQ(b.Call(ND_FWIO_READ, Bytes(16), 7).result, -EINVAL) << "no room for the values";
  EXPECT_TRUE(b.stores.empty());

  std::vector<u64> addresses(FWIO_READ_MAX);
  for (u32 i = 0; i < FWIO_READ_MAX; i++) {
    addresses[i] = kMiscram + 4 * (0x900 / 4 + i);
    b.Reg(0x900 + 4 * i) = 0xA0000000 + i;
  }
  const Outcome out = b.Call(ND_FWIO_READ, ReadOf(addresses), 4 * FWIO_READ_MAX);
  ASSERT_EQ(out.result, 0);
  ASSERT_EQ(out.reply.size(), 4U * FWIO_READ_MAX);
  for (u32 i = 0; i < FWIO_READ_MAX; i++) {
    u32 value;
    std::memcpy(&value, &out.reply[4 * i], 4);
    EXPECT_EQ(value, 0xA0000000 + i);
  }
}

TEST(Fwio, MissingBuffersAreRefused) {
  Bench b;
  fwio_call call;
  u8 byte = 1;
  EXPECT_EQ(fwio_begin(&b.driver, &call, ND_FWIO_GET_DATA, nullptr, 1, nullptr, 0, b.now), -EINVAL);
  EXPECT_EQ(fwio_begin(&b.driver, &call, ND_FWIO_GET_DATA, &byte, 1, nullptr, 8, b.now), -EINVAL);
  EXPECT_EQ(fwio_begin(&b.driver, &call, ND_FWIO_GET_DATA, &byte, 0, nullptr, 0, b.now), -EINVAL);
  EXPECT_EQ(b.driver.use, FWIO_IDLE);
}

TEST(Fwio, F8EveryCallEndsInItsTotalTimeWithSilentFirmware) {
  const std::pair<nd_fwio_cmd, u64> totals[] = {{ND_FWIO_READ, 4 * kSecond},
                                                {ND_FWIO_POST_TO_CW, 4 * kSecond},
                                                {ND_FWIO_GET_DATA, 21 * kSecond},
                                                {ND_FWIO_SET_POWER_PROFILE, 61 * kSecond},
                                                {ND_FWIO_SET_FEATURE, 21 * kSecond}};
  for (const auto& [cmd, total] : totals) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.firmware.knobs.ignore_requests = kForever;
    for (int i = 0; i < 3; i++) {  // from the second on the mailbox is drained first
      const Outcome out = b.Call(cmd);
      EXPECT_EQ(out.result, -ETIMEDOUT);
      EXPECT_LE(out.took_ns, total);
    }
  }
}

TEST(Fwio, ScaledLimitsBindEveryCall) {
  for (u64 total : {200 * kMs, 2 * kSecond, 10 * kSecond, 100 * kSecond}) {
    for (nd_fwio_cmd cmd : kCommands) {
      SCOPED_TRACE(cmd);
      Bench b;
      const fwio_limits before = b.driver.limits[cmd];
      fwio_scale_limits(&b.driver, total);
      const fwio_limits after = b.driver.limits[cmd];
      EXPECT_EQ(after.attempts, before.attempts);
      if (before.total_ns <= total) {
        EXPECT_EQ(after.total_ns, before.total_ns);
        EXPECT_EQ(after.attempt_ns, before.attempt_ns);
      } else {
        EXPECT_EQ(after.total_ns, total);
        EXPECT_NEAR(static_cast<double>(after.attempt_ns) / static_cast<double>(before.attempt_ns),
                    static_cast<double>(total) / static_cast<double>(before.total_ns), 1e-3);
      }
      b.firmware.knobs.ignore_requests = kForever;
      const Outcome out = b.Call(cmd);
      EXPECT_EQ(out.result, -ETIMEDOUT);
      EXPECT_EQ(out.unknown, before.attempts) << "as many attempts as before";
      EXPECT_LE(out.took_ns, total);
    }
  }
}

TEST(Fwio, ScalingToNothingStillLeavesTimeToAnswer) {
  Bench b;
  fwio_scale_limits(&b.driver, 0);
  for (nd_fwio_cmd cmd : kCommands) {
    EXPECT_EQ(b.Call(cmd).result, 0) << cmd;
    EXPECT_EQ(b.driver.limits[cmd].total_ns, kMs);
  }
  fwio_scale_limits(&b.driver, 1000 * kSecond);
  EXPECT_EQ(b.driver.limits[ND_FWIO_POST_TO_CW].total_ns, 4 * kSecond) << "back to the default";
}

TEST(Fwio, F9NoCommandGoesAroundTheMailboxInUse) {
  for (nd_fwio_cmd first : kCommands) {
    Bench b;
    b.firmware.knobs.delay_ms = 5;
    const Bytes payload = Payload(first);
    Bytes reply(40);
    fwio_call call;
    ASSERT_EQ(fwio_begin(&b.driver, &call, first, payload.data(), static_cast<u32>(payload.size()),
                         reply.data(), 40, b.now),
              0);
    ASSERT_FALSE(b.Step(call));
    const std::size_t stores = b.stores.size();
    for (nd_fwio_cmd second : kCommands) {
      EXPECT_EQ(b.Call(second).result, -EBUSY);
    }
    fwio_reset reset;
    const fwio_reset_limits limits = {kSecond, kSecond, kSecond};
    EXPECT_EQ(fwio_reset_begin(&b.driver, &reset, ND_RESET_DEVICE, 0, 0, &limits, b.now), -EBUSY);
    EXPECT_EQ(b.stores.size(), stores);
    b.Finish(call, 61 * kSecond);
    EXPECT_EQ(call.result, 0) << "and the one in flight does not notice";
  }
}

TEST(Fwio, AbortLeavesTheMailboxFreeAndTheDoorbellUnknown) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.firmware.knobs.late_replies = 1;
    b.firmware.knobs.late_ms = 50;
    const Bytes payload = Payload(cmd);
    Bytes reply(40);
    fwio_call call;
    ASSERT_EQ(fwio_begin(&b.driver, &call, cmd, payload.data(), static_cast<u32>(payload.size()),
                         reply.data(), 40, b.now),
              0);
    ASSERT_FALSE(b.Step(call));
    const std::size_t stores = b.stores.size();
    fwio_abort(&b.driver, &call);
    EXPECT_EQ(call.result, -ECANCELED);
    EXPECT_EQ(call.unknown, 1U);
    EXPECT_TRUE(b.Step(call));
    fwio_abort(&b.driver, &call);
    EXPECT_EQ(b.stores.size(), stores) << "no register is touched";
    EXPECT_EQ(b.driver.stats.silences, 1U);
    EXPECT_EQ(b.driver.stats.timeouts, 0U);
    EXPECT_EQ(b.driver.use, FWIO_IDLE);
    EXPECT_EQ(b.Call(cmd).result, 0);
  }
}

TEST(Fwio, AbortBeforeTheDoorbellIsKnown) {
  Bench b;
  const Bytes payload = Payload(ND_FWIO_POST_TO_CW);
  fwio_call call;
  ASSERT_EQ(fwio_begin(&b.driver, &call, ND_FWIO_POST_TO_CW, payload.data(),
                       static_cast<u32>(payload.size()), nullptr, 0, b.now),
            0);
  fwio_abort(&b.driver, &call);
  EXPECT_EQ(call.unknown, 0U);
  EXPECT_FALSE(b.driver.dirty);
  EXPECT_TRUE(b.stores.empty());
}

TEST(Fwio, AfterSilenceRegistersAreTouchedOnlyWhenTheFirmwareIsDone) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.driver.limits[cmd] = {100 * kMs, 500 * kMs, 1};
    b.firmware.knobs.late_replies = 1;
    b.firmware.knobs.late_ms = 150;
    ASSERT_EQ(b.Call(cmd).result, -ETIMEDOUT);
    const u64 rung = b.now;
    const std::size_t before = b.stores.size();
    u64 first_store = 0;
    b.on_access = [&](bool store, u32) {
      if (store && !first_store) first_store = b.now;
    };
    EXPECT_EQ(b.Call(cmd).result, 0);
    EXPECT_GE(first_store - rung, 50 * kMs) << "the old answer came first";
    EXPECT_GT(b.stores.size(), before);
    EXPECT_FALSE(b.driver.dirty);
  }
}

TEST(Fwio, DoorbellThatNeverClearsDelaysOneCallByOneAttempt) {
  Bench b;
  b.firmware.knobs.ignore_requests = 3;
  ASSERT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, -ETIMEDOUT);
  const Outcome dirty = b.Call(ND_FWIO_POST_TO_CW);
  EXPECT_EQ(dirty.result, 0);
  EXPECT_GE(dirty.took_ns, kSecond);
  EXPECT_LT(dirty.took_ns, 2 * kSecond);
  b.Reg(ND_MISCRAM_TRIGGER) = 1;  // as a firmware that never clears it would leave it
  const Outcome clean = b.Call(ND_FWIO_POST_TO_CW);
  EXPECT_EQ(clean.result, 0);
  EXPECT_LT(clean.took_ns, 100 * kMs);
}

TEST(Fwio, F15SentinelsNeverPassTheVersionGate) {
  const std::pair<u32, int> cases[] = {{ND_MISCRAM_BUSY, -EAGAIN},
                                       {ND_MISCRAM_GONE, -EIO},
                                       {0, -EOPNOTSUPP},
                                       {6, -EOPNOTSUPP},
                                       {7, 0},
                                       {8, 0}};
  for (const auto& [version, want] : cases) {
    for (nd_fwio_cmd cmd : kNewCommands) {
      Bench b;
      b.Reg(ND_MISCRAM_API_VERSION) = version;
      EXPECT_EQ(b.Call(cmd).result, want) << version;
      EXPECT_EQ(b.Doorbells(), want ? 0U : 1U) << version;
      if (want) {
        EXPECT_TRUE(b.stores.empty());
      }
      EXPECT_EQ(b.driver.stats.failed, 0U) << "not an error of the firmware";
      EXPECT_EQ(b.driver.use, FWIO_IDLE);
    }
    Bench b;
    b.Reg(ND_MISCRAM_API_VERSION) = version;
    EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0) << "the legacy mailbox has no gate";
    EXPECT_EQ(b.Call(ND_FWIO_READ).result, 0);
  }
}

TEST(Fwio, F15VersionMayChangeBetweenCalls) {
  Bench b;
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA).result, 0);
  ASSERT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_API_VERSION, FW_MODEL_BUSY, b.now + kSecond),
            0);
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA).result, -EAGAIN);
  b.Advance(kSecond);
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA).result, 0);
}

TEST(Fwio, F19FailingCallCountsOnce) {
  Bench b;
  b.firmware.knobs.fail = kForever;
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, -EREMOTEIO);
  EXPECT_EQ(b.driver.stats.failed, 1U);
  EXPECT_EQ(b.driver.stats.refusals, 3U);
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA).result, -EREMOTEIO);
  EXPECT_EQ(b.driver.stats.failed, 2U);
  EXPECT_EQ(b.driver.stats.refusals, 5U);
  EXPECT_EQ(b.driver.stats.timeouts + b.driver.stats.bad_replies, 0U);
}

TEST(Fwio, F21AnswerInTimeIsFoundHoweverLateTheLook) {
  for (nd_fwio_cmd cmd : kCommands) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.driver.limits[cmd].attempts = 1;
    b.firmware.knobs.delay_ms = 5;
    const Bytes payload = Payload(cmd);
    Bytes reply(40);
    fwio_call call;
    ASSERT_EQ(fwio_begin(&b.driver, &call, cmd, payload.data(), static_cast<u32>(payload.size()),
                         reply.data(), 40, b.now),
              0);
    ASSERT_FALSE(b.Step(call));
    b.Advance(1000 * kSecond);  // the poller slept through all deadlines
    EXPECT_TRUE(b.Step(call));
    EXPECT_EQ(call.result, 0);
    EXPECT_EQ(call.unknown, 0U);
  }
}

TEST(Fwio, NumbersThatWereNeverAnsweredAreNotUsedAgain) {
  Bench b;
  b.firmware.knobs.ignore_requests = 3;
  ASSERT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, -ETIMEDOUT);  // 2, 3, 4
  b.firmware.knobs.ignore_requests = 2;
  ASSERT_EQ(b.Call(ND_FWIO_GET_DATA).result, -ETIMEDOUT);  // 5, 6
  for (int i = 0; i < 600; i++) {
    ASSERT_EQ(b.Call(kCommands[i % 5]).result, 0);
    ASSERT_TRUE(b.driver.seq == 1 || b.driver.seq > 6) << "number " << int{b.driver.seq};
  }
}

TEST(Fwio, FirmwareThatIsSilentForEverNeverExhaustsTheNumbers) {
  Bench b;
  b.firmware.knobs.ignore_requests = kForever;
  for (int i = 0; i < 400; i++) {
    ASSERT_EQ(b.Call(kCommands[i % 5]).result, -ETIMEDOUT);
  }
  b.ClearKnobs();
  for (nd_fwio_cmd cmd : kCommands) {
    EXPECT_EQ(b.Call(cmd).result, 0);
  }
}

TEST(Fwio, F20ResultsAreProperErrors) {
  // Every way for a call to end, by knob; none of them is -1.
  const std::pair<u32 fw_model_knobs::*, int> ways[] = {
      {&fw_model_knobs::ignore_requests, -ETIMEDOUT},
      {&fw_model_knobs::drop_replies, -ETIMEDOUT},
      {&fw_model_knobs::fail, -EREMOTEIO},
      {&fw_model_knobs::unknown_command, -EOPNOTSUPP},
      {&fw_model_knobs::bad_size, -EBADMSG},
  };
  for (const auto& [knob, want] : ways) {
    for (nd_fwio_cmd cmd : kCommands) {
      Bench b;
      b.firmware.knobs.*knob = kForever;
      EXPECT_EQ(b.Call(cmd).result, want) << cmd;
    }
  }
}

}  // namespace
}  // namespace ndtel::test
