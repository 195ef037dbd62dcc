// SPDX-License-Identifier: Apache-2.0
//
// Every knob of the firmware model, one by one: what it does to a call, that the books hold, and
// that the mailbox recovers. The list comes from the model, so that no knob is forgotten.

#include <algorithm>
#include <map>

#include "books.hpp"

namespace ndtel::test {
namespace {

constexpr fwio_reset_limits kResetLimits = {2 * kSecond, 500 * kMs, kSecond};

fwio_reset Reset(Bench& b) {
  fwio_reset reset;
  u64 next;
  EXPECT_EQ(fwio_reset_begin(&b.driver, &reset, ND_RESET_DEVICE, 0, 0, &kResetLimits, b.now), 0);
  while (!fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next)) b.AdvanceTo(next);
  return reset;
}

u32 Power(Bench& b, u32 die) {
  return fw_model_read(&b.firmware, ND_MISCRAM_POWER_UTIL(die), b.now);
}

void DropReplies() {
  Bench b;
  b.firmware.knobs.drop_replies = 2;
  const Outcome out = b.Call(ND_FWIO_POST_TO_CW);
  EXPECT_EQ(out.result, 0);
  EXPECT_EQ(out.unknown, 2U);
  EXPECT_EQ(b.firmware.posts, 3U) << "carried out each time";
  EXPECT_EQ(b.firmware.knobs.drop_replies, 0U);
}

void IgnoreRequests() {
  Bench b;
  b.firmware.knobs.ignore_requests = 2;
  const Outcome out = b.Call(ND_FWIO_POST_TO_CW);
  EXPECT_EQ(out.result, 0);
  EXPECT_EQ(out.unknown, 2U);
  EXPECT_EQ(b.firmware.posts, 1U);
  EXPECT_EQ(b.firmware.requests[ND_FWIO_POST_TO_CW], 3U);
}

void DelayMs() {
  for (nd_fwio_cmd cmd : kCommands) {
    Bench b;
    b.firmware.knobs.delay_ms = 300;
    const Outcome out = b.Call(cmd);
    EXPECT_EQ(out.result, 0);
    EXPECT_GE(out.took_ns, 300 * kMs);
    EXPECT_LE(out.took_ns, 320 * kMs);
  }
}

void LateReplies() {
  Bench b;
  b.firmware.knobs.late_replies = 1;
  const Outcome out = b.Call(ND_FWIO_POST_TO_CW);
  EXPECT_EQ(out.result, 0);
  EXPECT_EQ(out.unknown, 1U);
  EXPECT_EQ(b.firmware.posts, 2U);
  EXPECT_NE(fw_model_next(&b.firmware), U64_MAX) << "the first answer is still on its way";
}

void LateMs() {
  Bench b;
  b.firmware.knobs.late_replies = 1;
  b.firmware.knobs.late_ms = 900;
  const Outcome out = b.Call(ND_FWIO_POST_TO_CW);
  EXPECT_EQ(out.unknown, 0U) << "just in time";
  EXPECT_GE(out.took_ns, 900 * kMs);
}

void WrongSeq() {
  for (nd_fwio_cmd cmd : {ND_FWIO_POST_TO_CW, ND_FWIO_SET_FEATURE}) {
    Bench b;
    b.firmware.knobs.wrong_seq = 1;
    const Outcome out = b.Call(cmd);
    EXPECT_EQ(out.result, 0);
    EXPECT_EQ(out.unknown, 1U);
    EXPECT_EQ(b.driver.stats.stale, 1U);
    EXPECT_EQ(b.driver.stats.silences, IsLegacy(cmd) ? 1U : 0U);
  }
}

void Replay() {
  for (nd_fwio_cmd cmd : {ND_FWIO_POST_TO_CW, ND_FWIO_GET_DATA}) {
    Bench b;
    b.firmware.knobs.replay = 1;
    EXPECT_EQ(b.Call(cmd).unknown, 0U) << "there is nothing to replay yet";
    b.firmware.profile = 2;
    const Outcome out = b.Call(cmd);
    EXPECT_EQ(out.result, 0);
    EXPECT_EQ(out.unknown, 1U);
    EXPECT_EQ(b.driver.stats.stale, 1U);
    if (cmd == ND_FWIO_GET_DATA) {
      EXPECT_EQ(out.reply[4], 2) << "not what was true before";
    }
  }
}

void Fail() {
  Bench b;
  b.firmware.knobs.fail = 2;
  const Outcome out = b.Call(ND_FWIO_POST_TO_CW);
  EXPECT_EQ(out.result, 0);
  EXPECT_EQ(out.unknown, 0U);
  EXPECT_EQ(b.firmware.posts, 1U);
  EXPECT_EQ(b.driver.stats.refusals, 2U);
}

void UnknownCommand() {
  Bench b;
  b.firmware.knobs.unknown_command = 1;
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, -EOPNOTSUPP);
  EXPECT_EQ(b.firmware.posts, 0U);
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0);
}

void BadSize() {
  for (u32 size : {0U, 3U, 7U, 0xFFFFU}) {
    Bench b;
    b.firmware.knobs.bad_size = 1;
    b.firmware.knobs.reply_size = size;
    const Outcome out = b.Call(ND_FWIO_POST_TO_CW);
    EXPECT_EQ(out.result, 0);
    EXPECT_EQ(out.unknown, 1U);
    EXPECT_EQ(b.firmware.posts, 2U) << "taken, and answered wrongly";
    EXPECT_EQ(b.driver.stats.malformed, 1U);
  }
}

void ReplySize() {
  // The sizes of a legacy and of a new answer without payload.
  for (const auto& [cmd, size] : {std::pair{ND_FWIO_POST_TO_CW, 4U}, {ND_FWIO_SET_FEATURE, 8U}}) {
    Bench b;
    b.firmware.knobs.bad_size = kForever;
    b.firmware.knobs.reply_size = size;
    EXPECT_EQ(b.Call(cmd).result, 0) << "the right size is not wrong";
    EXPECT_EQ(b.firmware.knobs.bad_size, kForever);
    b.firmware.knobs.reply_size = size + 1;
    EXPECT_EQ(b.Call(cmd).result, -EBADMSG);
  }
}

void BadCrc() {
  Bench b;
  b.firmware.knobs.bad_crc = 1;
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).unknown, 0U) << "no CRC in the legacy mailbox";
  EXPECT_EQ(b.firmware.knobs.bad_crc, 1U);
  const Outcome out = b.Call(ND_FWIO_GET_DATA);
  EXPECT_EQ(out.result, 0);
  EXPECT_EQ(out.unknown, 1U);
  EXPECT_EQ(b.driver.stats.malformed, 1U);
}

void CrcFailAnswers() {
  for (nd_fwio_cmd cmd : {ND_FWIO_POST_TO_CW, ND_FWIO_SET_FEATURE}) {
    for (u32 answers : {0U, 1U}) {
      Bench b;
      b.firmware.knobs.crc_fail_answers = answers;
      b.on_access = [&](bool store, u32 offset) {
        if (!store || offset != ND_MISCRAM_TRIGGER) return;
        if (IsLegacy(cmd)) {
          b.RequestPlace((b.driver.slot) % FWIO_SLOTS)[8] ^= 1;
        } else {
          b.Reg(ND_MISCRAM_DATA) ^= 1;
        }
      };
      EXPECT_EQ(b.Call(cmd).result, answers ? -EREMOTEIO : -ETIMEDOUT);
      EXPECT_EQ(b.firmware.rejected, b.driver.limits[cmd].attempts);
      EXPECT_EQ(b.firmware.posts, 0U);
    }
  }
}

// Results of many calls under random faults.
std::vector<int> RandomResults(u32 permille, u32 seed) {
  Bench b;
  fwio_scale_limits(&b.driver, 100 * kMs);
  b.firmware.knobs.random_permille = permille;
  b.firmware.knobs.random_seed = seed;
  b.firmware.knobs.late_ms = 30;
  std::vector<int> results;
  for (int i = 0; i < 500; i++) {
    const Outcome out = b.Call(kCommands[i % 5]);
    results.push_back(out.result);
    results.push_back(static_cast<int>(out.unknown));
  }
  return results;
}

u64 Faults(const std::vector<int>& results) {
  u64 n = 0;
  for (std::size_t i = 0; i < results.size(); i += 2) n += results[i] || results[i + 1];
  return n;
}

void RandomPermille() {
  EXPECT_EQ(Faults(RandomResults(0, 1)), 0U);
  const u64 some = Faults(RandomResults(100, 1)), most = Faults(RandomResults(1000, 1));
  EXPECT_GT(some, 15U);
  EXPECT_LT(some, 150U);
  EXPECT_GT(most, 300U);
}

void RandomSeed() {
  EXPECT_EQ(RandomResults(300, 7), RandomResults(300, 7)) << "equal seeds, equal faults";
  EXPECT_NE(RandomResults(300, 7), RandomResults(300, 8));
  EXPECT_EQ(RandomResults(300, 0), RandomResults(300, 0)) << "0 is a seed too";
}

void ResetAcceptMs() {
  Bench b;
  b.firmware.knobs.reset_accept_ms = 123;
  const fwio_reset reset = Reset(b);
  EXPECT_EQ(reset.result, 0);
  EXPECT_GE(reset.accept_ms, 123U);
  EXPECT_LE(reset.accept_ms, 140U);
}

void ResetCompleteMs() {
  Bench b;
  b.firmware.knobs.reset_complete_ms = 321;
  const u64 start = b.now;
  EXPECT_EQ(Reset(b).result, 0);
  EXPECT_GE(b.now - start, 321 * kMs);
  EXPECT_LE(b.now - start, 340 * kMs);
}

void ResetIgnored() {
  Bench b;
  b.firmware.knobs.reset_ignored = 1;
  EXPECT_EQ(Reset(b).result, 0);
  EXPECT_EQ(b.Doorbells(), 2U);
  b.firmware.knobs.reset_ignored = kForever;
  EXPECT_EQ(Reset(b).result, -ETIMEDOUT);
}

void ResetStuck() {
  Bench b;
  b.firmware.knobs.reset_stuck = 1;
  EXPECT_EQ(Reset(b).result, -ETIMEDOUT);
  EXPECT_EQ(Reset(b).result, 0);
}

void ResetBusy() {
  Bench b;
  b.firmware.knobs.reset_busy = 1;
  b.firmware.knobs.reset_complete_ms = 200;
  u64 busy = 0;
  fwio_reset reset;
  u64 next;
  ASSERT_EQ(fwio_reset_begin(&b.driver, &reset, ND_RESET_DEVICE, 0, 0, &kResetLimits, b.now), 0);
  while (!fwio_reset_step(&b.driver, &reset, &b.port, b.now, &next)) {
    busy += fw_model_read(&b.firmware, ND_MISCRAM_SERIAL_LO, b.now) == ND_MISCRAM_BUSY;
    b.AdvanceTo(next);
  }
  EXPECT_EQ(reset.result, 0);
  EXPECT_GT(busy, 10U);
  EXPECT_EQ(fw_model_read(&b.firmware, ND_MISCRAM_SERIAL_LO, b.now), 0x89ABCDEFU);
}

void PowerUtilD0() {
  Bench b;
  b.firmware.knobs.power_util_d0 = 7777;
  EXPECT_EQ(Power(b, 0), 7777U);
  EXPECT_EQ(Power(b, 1), 0U);
}

void PowerUtilD1() {
  Bench b;
  b.firmware.knobs.power_util_d1 = 0x12345;
  EXPECT_EQ(Power(b, 1), 0x2345U) << "16 bits";
  EXPECT_EQ(Power(b, 0), 0U);
}

void PowerPeriodMs() {
  Bench b;
  b.firmware.knobs.power_period_ms = 500;
  b.Advance(2600 * kMs);
  EXPECT_EQ(Power(b, 0), 5U << 16);
  b.firmware.knobs.power_period_ms = 0;
  b.Advance(2600 * kMs);
  EXPECT_EQ(Power(b, 0), 5U << 16);
}

void PowerFrozen() {
  Bench b;
  b.Advance(300 * kMs);
  EXPECT_EQ(Power(b, 0), 3U << 16);
  EXPECT_EQ(Power(b, 1), 3U << 16);
  b.firmware.knobs.power_frozen = 2;
  b.Advance(300 * kMs);
  EXPECT_EQ(Power(b, 0), 6U << 16);
  EXPECT_EQ(Power(b, 1), 3U << 16);
}

void Profiles() {
  Bench b;
  b.firmware.knobs.profiles = 1;
  EXPECT_EQ(b.Call(ND_FWIO_SET_POWER_PROFILE).result, -EREMOTEIO);
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {2, 0, 0}, 33).reply[0], 1);
}

void Hbm7200() {
  Bench b;
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {2, 5, 0}, 33).reply[1], 0);
  b.firmware.knobs.hbm_7200 = 6;
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {2, 5, 0}, 33).reply[1], 6);
}

const std::map<std::string, void (*)()> kTests = {
    {"drop_replies", DropReplies},
    {"ignore_requests", IgnoreRequests},
    {"delay_ms", DelayMs},
    {"late_replies", LateReplies},
    {"late_ms", LateMs},
    {"wrong_seq", WrongSeq},
    {"replay", Replay},
    {"fail", Fail},
    {"unknown_command", UnknownCommand},
    {"bad_size", BadSize},
    {"reply_size", ReplySize},
    {"bad_crc", BadCrc},
    {"crc_fail_answers", CrcFailAnswers},
    {"random_permille", RandomPermille},
    {"random_seed", RandomSeed},
    {"reset_accept_ms", ResetAcceptMs},
    {"reset_complete_ms", ResetCompleteMs},
    {"reset_ignored", ResetIgnored},
    {"reset_stuck", ResetStuck},
    {"reset_busy", ResetBusy},
    {"power_util_d0", PowerUtilD0},
    {"power_util_d1", PowerUtilD1},
    {"power_period_ms", PowerPeriodMs},
    {"power_frozen", PowerFrozen},
    {"profiles", Profiles},
    {"hbm_7200", Hbm7200},
};

struct Knob {
  std::string name;
  u32 fw_model_knobs::*member;
};

void PrintTo(const Knob& knob, std::ostream* out) { *out << knob.name; }

class Knobs : public testing::TestWithParam<Knob> {};

TEST_P(Knobs, DoesWhatItSays) {
  const auto test = kTests.find(GetParam().name);
  ASSERT_NE(test, kTests.end()) << "a knob without a test";
  test->second();
}

// Once, some times and for ever, on top of a slow firmware and a fast one.
TEST_P(Knobs, BooksHoldAndTheMailboxRecovers) {
  for (u32 value : {1U, 3U, 700U, kForever}) {
    for (u32 delay_ms : {0U, 3U}) {
      Bench b;
      Books books(b);
      b.firmware.knobs.delay_ms = delay_ms;
      b.firmware.knobs.*GetParam().member = value;
      fwio_scale_limits(&b.driver, 400 * kMs);
      for (u64 i = 1; i <= 20; i++) {
        const Outcome out = books.Post(i);
        EXPECT_LE(out.took_ns, 400 * kMs);
        for (nd_fwio_cmd cmd : kNewCommands) {
          EXPECT_LE(b.Call(cmd).took_ns, 400 * kMs);
        }
        EXPECT_LE(b.Call(ND_FWIO_READ).took_ns, 400 * kMs);
      }
      b.ClearKnobs();
      b.Settle();
      const u64 confirmed = books.confirmed;
      EXPECT_EQ(books.Post(5).result, 0);
      EXPECT_GT(books.confirmed, confirmed);
      for (nd_fwio_cmd cmd : kCommands) {
        EXPECT_EQ(b.Call(cmd).result, 0) << cmd;
      }
    }
  }
}

const Knob kKnobs[] = {
#define KNOB(name, initial, meaning) {#name, &fw_model_knobs::name},
    FW_MODEL_KNOBS(KNOB)
#undef KNOB
};

INSTANTIATE_TEST_SUITE_P(Every, Knobs, testing::ValuesIn(kKnobs),
                         [](const auto& info) { return info.param.name; });

TEST(Knobs, TestsAndKnobsAreTheSame) {
  EXPECT_EQ(kTests.size(), std::size(kKnobs));
  Bench b;
  const fw_model_knobs set = b.firmware.knobs;
  std::memset(&b.firmware.knobs, 0x5A, sizeof(b.firmware.knobs));
  b.ClearKnobs();
  EXPECT_EQ(std::memcmp(&b.firmware.knobs, &set, sizeof(set)), 0) << "as at first";
}

}  // namespace
}  // namespace ndtel::test
