// SPDX-License-Identifier: Apache-2.0
//
// Random mixes of faults: exchanges of all commands, resets, aborts and pollers that oversleep,
// with every answer tagged. Each mix has a number, from which all of it follows: NDTEL_MIX runs
// that one alone, NDTEL_MIXES sets how many there are.

#include <algorithm>
#include <cstdlib>
#include <random>

#include "books.hpp"

namespace ndtel::test {
namespace {

constexpr u32 kScratch = 0x900;  // registers for READ to find
constexpr u32 kScratchWords = 64;

u32 ScratchValue(u32 word) { return 0x51000000U + word * 0x10203U; }

class Mix {
 public:
  explicit Mix(u64 number) : random_(number), books_(b_) {
    for (u32 i = 0; i < kScratchWords; i++) b_.Reg(kScratch + 4 * i) = ScratchValue(i);
    const u64 total = Between(20, 2000) * kMs;
    fwio_scale_limits(&b_.driver, total);
    late_ms_ = static_cast<u32>(Between(0, 2 * total / kMs));
    if (Chance(4)) {
      b_.oversleep = [this] { return Chance(4) ? Between(0, 300 * kMs) : 0; };
    }
    SetKnobs();
  }

  void Run() {
    const u64 steps = Between(4, 12);
    for (u64 i = 0; i < steps && !testing::Test::HasFailure(); i++) {
      if (Chance(4)) SetKnobs();
      if (Chance(3)) Override();
      if (Chance(6)) {
        Reset();
      } else if (Chance(8)) {
        Abort();
      } else {
        Exchange();
      }
      if (Chance(4)) b_.Advance(Between(0, 1000) * kMs);
      books_.Check();
      EXPECT_EQ(b_.firmware.mismatched, 0U);
      EXPECT_EQ(b_.firmware.rejected, 0U) << "the driver never sends a damaged request";
      EXPECT_EQ(b_.firmware.ignored_accesses, 0U);
    }
    Recover();
  }

  // How all mixes together went, so that none of the cases is missing.
  struct Tally {
    u64 results[6] = {};  // 0, refused, unknown command, no answer, wrong answer, cancelled
    u64 resets = 0, failed_resets = 0, stale = 0, gated = 0;
  };

  void AddTo(Tally& tally) const {
    for (int i = 0; i < 6; i++) tally.results[i] += tally_.results[i];
    tally.resets += tally_.resets;
    tally.failed_resets += tally_.failed_resets;
    tally.stale += b_.driver.stats.stale;
    tally.gated += tally_.gated;
  }

 private:
  u64 Between(u64 low, u64 high) { return low + random_() % (high - low + 1); }
  bool Chance(u64 one_in) { return random_() % one_in == 0; }

  // Mostly off, often a few times, seldom for ever.
  u32 Strikes() {
    if (!Chance(5)) return 0;
    return Chance(6) ? kForever : static_cast<u32>(Between(1, 3));
  }

  void SetKnobs() {
    fw_model_knobs& k = b_.firmware.knobs;
    k.drop_replies = Strikes();
    k.ignore_requests = Strikes();
    k.late_replies = Strikes();
    k.late_ms = late_ms_;
    k.wrong_seq = Strikes();
    k.replay = Strikes();
    k.fail = Strikes();
    k.unknown_command = Strikes();
    k.bad_size = Strikes();
    k.reply_size = static_cast<u32>(Chance(2) ? Between(0, 20) : Between(0, 0xFFFF));
    k.bad_crc = Strikes();
    k.crc_fail_answers = Chance(2);
    k.delay_ms = Chance(3) ? static_cast<u32>(Between(0, late_ms_)) : 0;
    k.random_permille = Chance(2) ? static_cast<u32>(Between(0, 1000)) : 0;
    k.random_seed = static_cast<u32>(random_());
    k.reset_accept_ms = Chance(3) ? static_cast<u32>(Between(0, 400)) : 0;
    k.reset_complete_ms = Chance(3) ? static_cast<u32>(Between(0, 400)) : 0;
    k.reset_ignored = Strikes();
    k.reset_stuck = Strikes();
    k.reset_busy = Chance(4);
  }

  void Override() {
    static constexpr u32 kOffsets[] = {
        ND_MISCRAM_API_VERSION, ND_MISCRAM_TRIGGER, ND_MISCRAM_REQUEST_HI, ND_MISCRAM_REQUEST_LO,
        ND_MISCRAM_DATA,        ND_MISCRAM_RESET,   ND_MISCRAM_FW_STATUS,  ND_MISCRAM_SIZE};
    EXPECT_EQ(fw_model_override(&b_.firmware, kOffsets[random_() % std::size(kOffsets)],
                                Chance(2) ? FW_MODEL_BUSY : FW_MODEL_GONE,
                                b_.now + Between(0, 100) * kMs),
              0);
  }

  void Count(int result) {
    switch (result) {
      case 0:
        tally_.results[0]++;
        break;
      case -EREMOTEIO:
        tally_.results[1]++;
        break;
      case -EOPNOTSUPP:
        tally_.results[2]++;
        break;
      case -ETIMEDOUT:
        tally_.results[3]++;
        break;
      case -EBADMSG:
        tally_.results[4]++;
        break;
      case -ECANCELED:
        tally_.results[5]++;
        break;
      case -EAGAIN:
      case -EIO:
        tally_.gated++;
        break;
      default:
        ADD_FAILURE() << "result " << result;
    }
  }

  // The answer must be the one to this very request; a wrong size that happens to fit may cut it.
  static void ExpectPrefix(const Bytes& reply, const Bytes& whole) {
    ASSERT_LE(reply.size(), whole.size());
    EXPECT_TRUE(std::equal(reply.begin(), reply.end(), whole.begin())) << "an answer to another";
  }

  void Exchange() {
    switch (random_() % 6) {
      case 0: {
        std::vector<u64> addresses(Between(1, 8));
        Bytes want(4 * addresses.size());
        for (std::size_t i = 0; i < addresses.size(); i++) {
          const auto word = static_cast<u32>(random_() % kScratchWords);
          const u32 value = ScratchValue(word);
          addresses[i] = kMiscram + kScratch + 4 * word;
          std::memcpy(&want[4 * i], &value, 4);
        }
        const Outcome out = b_.Call(ND_FWIO_READ, ReadOf(addresses), static_cast<u32>(want.size()));
        Count(out.result);
        ExpectPrefix(out.reply, want);
        break;
      }
      case 1: {
        b_.firmware.profile = ++tag_;
        const Outcome out = b_.Call(ND_FWIO_GET_DATA, {1}, 8);
        Count(out.result);
        ExpectPrefix(out.reply, {0, 0, 0, 0, tag_, 0, 0, 0});
        break;
      }
      case 2: {
        const u8 profile = static_cast<u8>(Between(0, 2));
        b_.firmware.profile = 99;
        const Outcome out = b_.Call(ND_FWIO_SET_POWER_PROFILE, {0, 0, 0, 0, profile, 0, 0, 0}, 0);
        Count(out.result);
        if (out.result == 0) {
          EXPECT_EQ(b_.firmware.profile, profile);
        }
        break;
      }
      case 3: {
        const u8 feature = static_cast<u8>(random_());
        b_.firmware.feature = static_cast<u8>(~feature);
        const Outcome out = b_.Call(ND_FWIO_SET_FEATURE, {feature}, 0);
        Count(out.result);
        if (out.result == 0) {
          EXPECT_EQ(b_.firmware.feature, feature);
        }
        break;
      }
      default:
        Count(books_.Post(Between(1, 1000)).result);
    }
  }

  // A post that is given up at some moment.
  void Abort() {
    const Bytes payload = books_.Payload(Between(1, 1000));
    fwio_call call;
    ASSERT_EQ(fwio_begin(&b_.driver, &call, ND_FWIO_POST_TO_CW, payload.data(),
                         static_cast<u32>(payload.size()), nullptr, 0, b_.now),
              0);
    for (u64 steps = Between(0, 20); steps && !b_.Step(call); steps--) b_.AdvanceTo(b_.next);
    fwio_abort(&b_.driver, &call);
    EXPECT_EQ(b_.driver.use, FWIO_IDLE);
    Count(call.result);
    books_.Settle(payload, call.result, call.unknown);
  }

  void Reset() {
    const fwio_reset_limits limits = {Between(50, 1000) * kMs, Between(20, 300) * kMs,
                                      Between(10, 500) * kMs};
    const u64 start = b_.now;
    fwio_reset reset;
    ASSERT_EQ(fwio_reset_begin(&b_.driver, &reset, Chance(2) ? ND_RESET_DEVICE : ND_RESET_TPB, 0, 1,
                               &limits, b_.now),
              0);
    u64 next;
    for (int steps = 0; !fwio_reset_step(&b_.driver, &reset, &b_.port, b_.now, &next); steps++) {
      ASSERT_LT(steps, 10000);
      ASSERT_GT(next, b_.now);
      ASSERT_LE(next, start + limits.accept_ns + limits.complete_ns + kMs);
      b_.AdvanceTo(next);
    }
    EXPECT_EQ(b_.driver.use, FWIO_IDLE);
    tally_.resets++;
    tally_.failed_resets += reset.result != 0;
  }

  void Recover() {
    b_.ClearKnobs();
    b_.Settle();
    b_.oversleep = nullptr;
    EXPECT_EQ(books_.Post(1).result, 0);
    for (nd_fwio_cmd cmd : kCommands) {
      EXPECT_EQ(b_.Call(cmd).result, 0) << cmd;
    }
    books_.Check();
  }

  std::mt19937_64 random_;
  Bench b_;
  Books books_;
  Tally tally_;
  u32 late_ms_ = 0;
  u8 tag_ = 0;
};

u64 FromEnvironment(const char* name, u64 otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

TEST(Mix, RandomFaultsNeverUpsetTheBooks) {
  const u64 only = FromEnvironment("NDTEL_MIX", 0);
  const u64 mixes = FromEnvironment("NDTEL_MIXES", 20000);
  Mix::Tally tally;
  for (u64 number = only ? only : 1; number <= (only ? only : mixes); number++) {
    SCOPED_TRACE("NDTEL_MIX=" + std::to_string(number));
    Mix mix(number);
    mix.Run();
    mix.AddTo(tally);
    if (HasFailure()) return;
  }
  if (only || mixes < 20000) return;
  for (u64 n : tally.results) {
    EXPECT_GT(n, 1000U);
  }
  EXPECT_GT(tally.gated, 100U);
  EXPECT_GT(tally.resets, 10000U);
  EXPECT_GT(tally.failed_resets, 1000U);
  EXPECT_GT(tally.stale, 1000U);
}

}  // namespace
}  // namespace ndtel::test
