// SPDX-License-Identifier: Apache-2.0
//
// The firmware model itself: registers, commands, time.

#include "bench.hpp"

namespace ndtel::test {
namespace {

// A doorbell of a request that the driver would never make.
void RingNew(Bench& b, u8 seq, u8 cmd, const Bytes& payload, bool good_crc = true) {
  nd_fwio_request header = {seq, cmd, static_cast<u16>(8 + payload.size()), 0};
  header.crc = fwio_frame_crc(&header, payload.data(), payload.size()) ^ (good_crc ? 0 : 1);
  u32 word[2];
  std::memcpy(word, &header, sizeof(word));
  Bytes data(payload);
  data.resize((payload.size() + 3) / 4 * 4, 0x99);  // the padding is nobody's business
  for (u32 i = 0; i < data.size() && i < 128; i += 4) {
    u32 value;
    std::memcpy(&value, &data[i], 4);
    fw_model_write(&b.firmware, ND_MISCRAM_DATA + i, value, b.now);
  }
  fw_model_write(&b.firmware, ND_MISCRAM_REQUEST_HI, word[0], b.now);
  fw_model_write(&b.firmware, ND_MISCRAM_REQUEST_LO, word[1], b.now);
  fw_model_write(&b.firmware, ND_MISCRAM_ACK, 1, b.now);
  fw_model_write(&b.firmware, ND_MISCRAM_TRIGGER, 1, b.now);
}

nd_fwio_response NewAnswer(Bench& b) {
  nd_fwio_response header;
  std::memcpy(&header, &b.Reg(ND_MISCRAM_REQUEST_HI), sizeof(header));
  return header;
}

u32 Read(Bench& b, u32 offset) { return fw_model_read(&b.firmware, offset, b.now); }

TEST(Model, HealthyRegisters) {
  Bench b;
  EXPECT_EQ(Read(b, ND_MISCRAM_API_VERSION), 7U);
  EXPECT_EQ(Read(b, ND_MISCRAM_DEVICE_ID), 5U);
  EXPECT_EQ(Read(b, ND_MISCRAM_SERIAL_LO), 0x89ABCDEFU);
  EXPECT_EQ(Read(b, ND_MISCRAM_SERIAL_HI), 0x01234567U);
  EXPECT_EQ(Read(b, ND_MISCRAM_INSTANCE_PARTITION), 16U);
  EXPECT_EQ(Read(b, ND_MISCRAM_FW_STATUS), 0U);
  EXPECT_EQ(Read(b, ND_MISCRAM_HBM_REPAIR), 0U);
  for (u32 channel = 0; channel < 4; channel++) {
    EXPECT_EQ(Read(b, ND_MISCRAM_HBM_ECC(channel)), 0U);
  }
  EXPECT_EQ(fw_model_next(&b.firmware), U64_MAX) << "nothing happens by itself";
}

TEST(Model, AccessesThatAreNoneAreIgnoredAndCounted) {
  Bench b;
  const fw_model before = b.firmware;
  for (u32 offset : {1U, 2U, 0x803U, 0x1000U, 0x1004U, 0xFFFFFFFCU}) {
    EXPECT_EQ(Read(b, offset), ND_MISCRAM_GONE);
    fw_model_write(&b.firmware, offset, 1, b.now);
  }
  EXPECT_EQ(b.firmware.ignored_accesses, 12U);
  EXPECT_EQ(std::memcmp(b.firmware.reg, before.reg, sizeof(before.reg)), 0);
}

TEST(Model, PowerSamplesAdvanceWithTime) {
  Bench b;
  b.firmware.knobs.power_util_d0 = 1234;
  b.firmware.knobs.power_util_d1 = 4321;
  EXPECT_EQ(Read(b, ND_MISCRAM_POWER_UTIL(0)), 1234U);
  b.Advance(99 * kMs);
  EXPECT_EQ(Read(b, ND_MISCRAM_POWER_UTIL(0)), 1234U);
  b.Advance(kMs);
  EXPECT_EQ(Read(b, ND_MISCRAM_POWER_UTIL(0)), 1234U | 1U << 16);
  EXPECT_EQ(Read(b, ND_MISCRAM_POWER_UTIL(1)), 4321U | 1U << 16) << "the dice together";
  b.Advance(65536 * 100 * kMs);
  EXPECT_EQ(Read(b, ND_MISCRAM_POWER_UTIL(0)), 1234U | 1U << 16) << "the number wraps";
  b.firmware.knobs.power_period_ms = 1;
  b.Advance(kMs);
  const u32 at = Read(b, ND_MISCRAM_POWER_UTIL(0));
  b.Advance(3 * kMs);
  EXPECT_EQ(Read(b, ND_MISCRAM_POWER_UTIL(0)) - at, 3U << 16);
}

TEST(Model, RegistersCanAnswerWronglyForAWhile) {
  Bench b;
  ASSERT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SERIAL_LO, FW_MODEL_BUSY, b.now + kMs), 0);
  ASSERT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SIZE, FW_MODEL_GONE, U64_MAX), 0);
  EXPECT_EQ(Read(b, ND_MISCRAM_SERIAL_LO), ND_MISCRAM_BUSY) << "its own goes first";
  EXPECT_EQ(Read(b, ND_MISCRAM_SERIAL_HI), ND_MISCRAM_GONE);
  b.Advance(kMs);
  EXPECT_EQ(Read(b, ND_MISCRAM_SERIAL_LO), ND_MISCRAM_GONE);
  ASSERT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SERIAL_LO, FW_MODEL_BUSY, U64_MAX), 0);
  ASSERT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SERIAL_LO, FW_MODEL_NORMAL, 0), 0);
  EXPECT_EQ(Read(b, ND_MISCRAM_SERIAL_LO), ND_MISCRAM_GONE) << "only its own is gone";
  ASSERT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SIZE, FW_MODEL_NORMAL, 0), 0);
  EXPECT_EQ(Read(b, ND_MISCRAM_SERIAL_LO), 0x89ABCDEFU);
}

TEST(Model, OverridesAreReplacedReusedAndRefused) {
  Bench b;
  EXPECT_EQ(fw_model_override(&b.firmware, 2, FW_MODEL_BUSY, U64_MAX), -EINVAL);
  EXPECT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SIZE + 4, FW_MODEL_BUSY, U64_MAX), -EINVAL);
  EXPECT_EQ(fw_model_override(&b.firmware, 0, static_cast<fw_model_answer>(3), U64_MAX), -EINVAL);
  for (u32 i = 0; i < FW_MODEL_OVERRIDES; i++) {
    EXPECT_EQ(fw_model_override(&b.firmware, 4 * i, FW_MODEL_BUSY, b.now + (1 + i) * kMs), 0);
  }
  EXPECT_EQ(fw_model_override(&b.firmware, 0x100, FW_MODEL_BUSY, U64_MAX), -ENOSPC);
  EXPECT_EQ(fw_model_override(&b.firmware, 4, FW_MODEL_GONE, U64_MAX), 0) << "replaced in place";
  EXPECT_EQ(Read(b, 4), ND_MISCRAM_GONE);
  b.Advance(kMs);
  EXPECT_EQ(Read(b, 0), 7U);
  EXPECT_EQ(fw_model_override(&b.firmware, 0x100, FW_MODEL_BUSY, U64_MAX), 0) << "one expired";
  EXPECT_EQ(fw_model_override(&b.firmware, 0x100, FW_MODEL_NORMAL, 0), 0);
  EXPECT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SIZE, FW_MODEL_BUSY, U64_MAX), 0);
  EXPECT_EQ(fw_model_override(&b.firmware, ND_MISCRAM_SIZE, FW_MODEL_NORMAL, 0), 0);
  for (u32 i = 0; i < FW_MODEL_OVERRIDES; i++) {
    EXPECT_EQ(fw_model_override(&b.firmware, 4 * i, FW_MODEL_BUSY, U64_MAX), 0) << "all were freed";
  }
}

TEST(Model, AddsUpDecimalTextsOnly) {
  Bench b;
  nmetric_post post{};
  nmetric_put_u64(&post, 200, 40);
  nmetric_put(&post, 12, "i-0123", 6);
  nmetric_put(&post, 13, "2.27.4.0", 8);
  nmetric_put(&post, 14, "", 0);
  nmetric_put(&post, 15, "-1", 2);
  nmetric_put(&post, 16, "18446744073709551616", 20);
  nmetric_put_u64(&post, 201, U64_MAX);
  nmetric_put_u64(&post, 200, 2);
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW, {post.buf, post.buf + post.used}, 0).result, 0);
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW, PostOf(200, 100), 0).result, 0);
  for (u32 id = 0; id < FW_MODEL_CW_IDS; id++) {
    EXPECT_EQ(b.firmware.received[id], id == 200 ? 142U : id == 201 ? U64_MAX : 0U) << id;
  }
}

TEST(Model, KeepsADamagedPostAndReadsItsWholeRecords) {
  Bench b;
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW, {200, 1, '7', 201, 9, '1'}, 0).result, 0);
  EXPECT_EQ(b.firmware.received[200], 7U);
  EXPECT_EQ(b.firmware.received[201], 0U);
  ASSERT_EQ(b.posts.size(), 1U);
  EXPECT_EQ(b.posts[0].size, 6U);
}

TEST(Model, HandsOutEveryPostInOrder) {
  Bench b;
  for (u32 i = 0; i < 20; i++) {
    b.Advance(kSecond);
    const u64 at = b.now;
    ASSERT_EQ(b.Call(ND_FWIO_POST_TO_CW, PostOf(200, i), 0).result, 0);
    ASSERT_EQ(b.posts.size(), i + 1);
    EXPECT_EQ(b.posts[i].index, i);
    EXPECT_EQ(b.posts[i].at_ns, at);
    EXPECT_EQ(Bytes(b.posts[i].data, b.posts[i].data + b.posts[i].size), PostOf(200, i));
  }
  EXPECT_EQ(b.firmware.posts, 20U);
}

TEST(Model, NoticesThatTheTwoCopiesOfAPostDiffer) {
  Bench b;
  b.on_access = [&](bool store, u32 offset) {
    if (store && offset == ND_MISCRAM_TRIGGER) b.Reg(ND_MISCRAM_DATA) ^= 1;
  };
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0);
  EXPECT_EQ(b.firmware.mismatched, 1U);
}

TEST(Model, ReadsOnlyItsOwnRegisters) {
  Bench b;
  b.Reg(ND_MISCRAM_SERVER_RACK) = 0x11223344;
  b.firmware.knobs.power_util_d1 = 55;
  const Outcome out = b.Call(ND_FWIO_READ,
                             ReadOf({kMiscram + ND_MISCRAM_SERVER_RACK,
                                     kMiscram + ND_MISCRAM_POWER_UTIL(1), kMiscram + 0xFFC}),
                             12);
  EXPECT_EQ(out.reply, (Bytes{0x44, 0x33, 0x22, 0x11, 55, 0, 0, 0, 0, 0, 0, 0}));
  for (u64 addr : {kMiscram - 4, kMiscram + 0x1000, kMiscram + 2, u64{0}, U64_MAX})
    EXPECT_EQ(b.Call(ND_FWIO_READ, ReadOf({kMiscram, addr}), 8).result, -EREMOTEIO) << addr;
}

TEST(Model, StoresProfileAndFeatures) {
  Bench b;
  EXPECT_EQ(b.Call(ND_FWIO_SET_POWER_PROFILE, {0, 0, 0, 0, 2, 0, 0, 0}, 0).result, 0);
  EXPECT_EQ(b.firmware.profile, 2);
  EXPECT_EQ(b.Call(ND_FWIO_SET_POWER_PROFILE, {0, 0, 0, 0, 3, 0, 0, 0}, 0).result, -EREMOTEIO)
      << "there are three";
  EXPECT_EQ(b.firmware.profile, 2);
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {1}, 8).reply, (Bytes{0, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(b.Call(ND_FWIO_SET_FEATURE, {1}, 0).result, 0);
  EXPECT_EQ(b.firmware.feature, 1);
  EXPECT_EQ(b.Call(ND_FWIO_SET_FEATURE, {0}, 0).result, 0);
  EXPECT_EQ(b.firmware.feature, 0) << "absolute";
}

TEST(Model, ListsProfiles) {
  Bench b;
  b.firmware.knobs.profiles = 11;
  b.firmware.knobs.hbm_7200 = 0x80000402;
  Bytes all(33), hbm(33);
  all[0] = hbm[0] = 11;
  all[1] = 0xFF;
  all[2] = 0x07;
  hbm[1] = 0x02;
  hbm[2] = 0x04;  // the last one of the knob is beyond the eleventh
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {2, 0, 0}, 33).reply, all);
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {2, 5, 0}, 33).reply, hbm);
  b.firmware.knobs.profiles = 1000;
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {2, 0, 0}, 33).reply[0], 255);
}

TEST(Model, RefusesWhatItDoesNotKnow) {
  Bench b;
  for (const Bytes& request : {Bytes{0}, Bytes{3}, Bytes{0x10, 1, 0}, Bytes{2}, Bytes{2, 0},
                               Bytes{2, 1, 0}, Bytes{2, 5, 1}, Bytes{2, 0, 0, 0}})
    EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, request, 33).result, -EREMOTEIO);
  EXPECT_EQ(b.Call(ND_FWIO_SET_POWER_PROFILE, Bytes(7), 0).result, -EREMOTEIO);
  EXPECT_EQ(b.Call(ND_FWIO_SET_FEATURE, {1, 0}, 0).result, -EREMOTEIO);
  for (u8 cmd : {0, 6, 255}) {
    RingNew(b, 9, cmd, {1});
    EXPECT_EQ(NewAnswer(b).error, ND_FWIO_UNKNOWN_COMMAND);
    EXPECT_EQ(NewAnswer(b).seq, 9);
  }
  EXPECT_EQ(b.firmware.requests[0], 3U);
}

TEST(Model, TakesEitherCommandByEitherMailbox) {
  Bench b;
  RingNew(b, 7, ND_FWIO_POST_TO_CW, {200, 1, '5'});
  EXPECT_EQ(NewAnswer(b).error, ND_FWIO_SUCCESS);
  EXPECT_EQ(b.firmware.received[200], 5U);
  EXPECT_EQ(b.firmware.mismatched, 0U);
  EXPECT_EQ(b.Reg(ND_MISCRAM_ACK), 0U) << "taken back";
}

TEST(Model, WrongFramesAreMetWithSilenceOrFail) {
  for (bool answers : {false, true}) {
    Bench b;
    b.firmware.knobs.crc_fail_answers = answers;
    RingNew(b, 9, ND_FWIO_SET_FEATURE, {1}, false);
    EXPECT_EQ(b.firmware.rejected, 1U);
    EXPECT_EQ(b.firmware.feature, 0);
    EXPECT_EQ(b.Reg(ND_MISCRAM_TRIGGER), answers ? 0U : 1U);
    if (answers) {
      EXPECT_EQ(NewAnswer(b).error, ND_FWIO_FAIL);
    }
    // A size that cannot be has no payload to check, and no answer.
    fw_model_write(&b.firmware, ND_MISCRAM_REQUEST_HI, 0x00070502, b.now);
    fw_model_write(&b.firmware, ND_MISCRAM_ACK, 1, b.now);
    fw_model_write(&b.firmware, ND_MISCRAM_TRIGGER, 1, b.now);
    EXPECT_EQ(b.firmware.rejected, 2U);
    EXPECT_EQ(b.Reg(ND_MISCRAM_TRIGGER), 1U);
    fw_model_write(&b.firmware, ND_MISCRAM_REQUEST_HI, 0x00890502, b.now);
    fw_model_write(&b.firmware, ND_MISCRAM_ACK, 1, b.now);
    fw_model_write(&b.firmware, ND_MISCRAM_TRIGGER, 1, b.now);
    EXPECT_EQ(b.firmware.rejected, 3U);
  }
}

TEST(Model, AddressesThatAreNotItsToReachAreRejected) {
  Bench b;
  b.port.request_addr += 0x100000000;
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, -ETIMEDOUT);
  EXPECT_EQ(b.firmware.rejected, 3U);
  EXPECT_EQ(b.firmware.posts, 0U);
  Bench c;
  c.port.response_addr += 0x100000000;
  EXPECT_EQ(c.Call(ND_FWIO_POST_TO_CW).result, -ETIMEDOUT);
  EXPECT_EQ(c.firmware.rejected, 3U);
  EXPECT_EQ(c.firmware.posts, 3U) << "carried out, and not to be answered";
}

TEST(Model, ResetKeepsPodWordsAndShowsItsProgress) {
  Bench b;
  b.firmware.knobs.reset_accept_ms = 10;
  b.firmware.knobs.reset_complete_ms = 20;
  b.Reg(ND_MISCRAM_POD_ELECTION) = 0x02000303;
  fw_model_write(&b.firmware, ND_MISCRAM_RESET, ND_RESET_DEVICE, b.now);
  fw_model_write(&b.firmware, ND_MISCRAM_TRIGGER, 1, b.now);
  EXPECT_EQ(Read(b, ND_MISCRAM_RESET), u32{ND_RESET_DEVICE});
  EXPECT_EQ(Read(b, ND_MISCRAM_FW_STATUS), u32{ND_FW_STATUS_RESETTING});
  EXPECT_EQ(fw_model_next(&b.firmware), b.now + 10 * kMs);
  b.Advance(10 * kMs);
  EXPECT_EQ(Read(b, ND_MISCRAM_RESET), 0U);
  EXPECT_EQ(Read(b, ND_MISCRAM_TRIGGER), 0U);
  EXPECT_EQ(Read(b, ND_MISCRAM_FW_STATUS), u32{ND_FW_STATUS_RESETTING});
  b.Advance(20 * kMs);
  EXPECT_EQ(Read(b, ND_MISCRAM_FW_STATUS), 0U);
  EXPECT_EQ(Read(b, ND_MISCRAM_POD_ELECTION), 0x02000303U);
  EXPECT_EQ(fw_model_next(&b.firmware), U64_MAX);
}

TEST(Model, PendingResetDoesNotSwallowPosts) {
  Bench b;
  b.firmware.knobs.reset_accept_ms = 1000;
  fw_model_write(&b.firmware, ND_MISCRAM_RESET, ND_RESET_TPB, b.now);
  fw_model_write(&b.firmware, ND_MISCRAM_TRIGGER, 1, b.now);
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0);
  EXPECT_EQ(b.firmware.posts, 1U);
  EXPECT_EQ(Read(b, ND_MISCRAM_RESET), u32{ND_RESET_TPB}) << "and the reset is still pending";
}

TEST(Model, ResetOfTheDeviceLosesAnswersOnTheirWay) {
  for (nd_reset_type type : {ND_RESET_DEVICE, ND_RESET_TPB}) {
    Bench b;
    b.firmware.knobs.delay_ms = 1000;
    b.firmware.knobs.reset_accept_ms = 10;
    RingNew(b, 9, ND_FWIO_SET_FEATURE, {1});
    fw_model_write(&b.firmware, ND_MISCRAM_RESET, type, b.now);
    fw_model_write(&b.firmware, ND_MISCRAM_TRIGGER, 1, b.now);
    b.Settle();
    EXPECT_EQ(NewAnswer(b).size == 8, type == ND_RESET_TPB);
  }
}

TEST(Model, AnswersOfBothMailboxesCanBeOnTheirWayTogether) {
  Bench b;
  b.firmware.knobs.late_replies = 3;
  b.firmware.knobs.late_ms = 5000;
  b.Reg(ND_MISCRAM_RESPONSE_LO) = 0;
  for (u8 seq = 10; seq < 13; seq++) {
    RingNew(b, seq, ND_FWIO_SET_FEATURE, {seq});
    b.Advance(kMs);
  }
  EXPECT_EQ(b.Call(ND_FWIO_POST_TO_CW).result, 0);
  for (u8 seq = 10; seq < 13; seq++) {
    b.AdvanceTo(fw_model_next(&b.firmware));
    EXPECT_EQ(NewAnswer(b).seq, seq);
  }
  EXPECT_EQ(fw_model_next(&b.firmware), U64_MAX);
}

TEST(Model, MoreAnswersThanFitAreLostNotMixedUp) {
  Bench b;
  b.firmware.knobs.delay_ms = 1000;
  for (u32 i = 0; i < FW_MODEL_LATE + 4; i++)
    RingNew(b, static_cast<u8>(1 + i), ND_FWIO_SET_FEATURE, {1});
  u32 answers = 0;
  while (fw_model_next(&b.firmware) != U64_MAX) {
    b.AdvanceTo(fw_model_next(&b.firmware));
    answers++;
    EXPECT_EQ(NewAnswer(b).seq, FW_MODEL_LATE) << "all at once, the last one stays";
  }
  EXPECT_EQ(answers, 1U);
  EXPECT_EQ(b.firmware.requests[ND_FWIO_SET_FEATURE], u64{FW_MODEL_LATE} + 4);
}

}  // namespace
}  // namespace ndtel::test
