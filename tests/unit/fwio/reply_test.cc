// SPDX-License-Identifier: Apache-2.0
//
// What counts as an answer. The firmware is played by hand here, because it must be wrong in ways
// that no model should be capable of.

#include <atomic>
#include <thread>

#include "bench.hpp"

namespace ndtel::test {
namespace {

// Answers every doorbell of a command alike: header after the sequence number, and payload.
void AnswerAll(Bench& b, nd_fwio_cmd cmd, u8 error, u16 size, const Bytes& payload = {}) {
  b.on_doorbell = [&b, cmd, error, size, payload] {
    const u8 seq = b.RequestSeq(IsLegacy(cmd));
    if (IsLegacy(cmd)) {
      b.AnswerLegacy(seq, error, size, payload);
    } else {
      b.AnswerNew({seq, error, size, 0}, payload);
    }
  };
}

u16 Header(nd_fwio_cmd cmd) {
  return IsLegacy(cmd) ? ND_FWIO_LEGACY_RESPONSE_HEADER : ND_FWIO_NEW_RESPONSE_HEADER;
}

TEST(Fwio, RepliesOfEverySizeThatFitsAreTaken) {
  for (nd_fwio_cmd cmd : {ND_FWIO_READ, ND_FWIO_GET_DATA}) {
    for (u16 n = 0; n <= 40; n++) {
      Bench b;
      Bytes payload(n);
      for (u16 i = 0; i < n; i++) payload[i] = static_cast<u8>(200 - i);
      AnswerAll(b, cmd, ND_FWIO_SUCCESS, static_cast<u16>(Header(cmd) + n), payload);
      const Outcome out = b.Call(cmd, Payload(cmd), 40);
      ASSERT_EQ(out.result, 0) << n;
      ASSERT_EQ(out.reply, payload) << n;
    }
  }
}

TEST(Fwio, RepliesLongerThanTheCallersBufferAreNone) {
  for (nd_fwio_cmd cmd : kCommands) {
    for (u32 room : {4U, 8U, 40U}) {
      for (u32 size : {room + 1, room + 2, 100U}) {
        Bench b;
        AnswerAll(b, cmd, ND_FWIO_SUCCESS, static_cast<u16>(Header(cmd) + size), Bytes(size, 7));
        const Outcome out = b.Call(cmd, Payload(cmd), room);
        EXPECT_EQ(out.result, -EBADMSG) << cmd << " " << size;
        EXPECT_EQ(b.driver.stats.bad_replies, 1U);
        EXPECT_EQ(b.driver.stats.malformed, b.driver.limits[cmd].attempts);
        EXPECT_EQ(out.unknown, b.driver.limits[cmd].attempts);
      }
    }
  }
}

TEST(Fwio, F2RepliesNeverReachBeyondTheWindow) {
  for (u32 size : {8U + 129U, 8U + 130U, 8U + 1024U, 0x7FFFU, 0xFFFFU}) {
    Bench b;
    AnswerAll(b, ND_FWIO_GET_DATA, ND_FWIO_SUCCESS, static_cast<u16>(size), Bytes(128, 7));
    b.on_access = [](bool store, u32 offset) {
      if (!store) {
        EXPECT_FALSE(offset >= ND_MISCRAM_DATA + 128U && offset < ND_MISCRAM_REQUEST_HI) << offset;
      }
    };
    EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {1}, 4000).result, -EBADMSG) << size;
  }
  Bench b;
  AnswerAll(b, ND_FWIO_GET_DATA, ND_FWIO_SUCCESS, 8 + 128, Bytes(128, 7));
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {1}, 4000).reply, Bytes(128, 7));
}

TEST(Fwio, F4SizesBelowTheHeaderAreNoReply) {
  for (nd_fwio_cmd cmd : kCommands) {
    for (u16 size = 0; size < Header(cmd); size++) {
      Bench b;
      AnswerAll(b, cmd, ND_FWIO_SUCCESS, size, Bytes(128, 7));
      const Outcome out = b.Call(cmd, Payload(cmd), 40);  // checks that nothing is left in it
      EXPECT_EQ(out.result, -EBADMSG) << cmd << " " << size;
      EXPECT_EQ(out.unknown, b.driver.limits[cmd].attempts);
    }
    Bench b;
    AnswerAll(b, cmd, ND_FWIO_SUCCESS, 0xFFFF, Bytes(128, 7));
    EXPECT_EQ(b.Call(cmd, Payload(cmd), 40).result, -EBADMSG) << cmd;
  }
}

TEST(Fwio, ErrorCodesThatDoNotExistAreNoReply) {
  for (nd_fwio_cmd cmd : kCommands) {
    for (unsigned error = 3; error < 256; error++) {
      Bench b;
      AnswerAll(b, cmd, static_cast<u8>(error), Header(cmd));
      ASSERT_EQ(b.Call(cmd).result, -EBADMSG) << cmd << " " << error;
      ASSERT_EQ(b.driver.stats.failed, 0U);
    }
  }
}

TEST(Fwio, RefusalOfWrongSizeIsNoRefusal) {
  for (nd_fwio_cmd cmd : kCommands) {
    for (u8 error : {ND_FWIO_FAIL, ND_FWIO_UNKNOWN_COMMAND}) {
      Bench b;
      AnswerAll(b, cmd, error, static_cast<u16>(Header(cmd) - 1));
      EXPECT_EQ(b.Call(cmd).result, -EBADMSG) << cmd;
    }
  }
}

TEST(Fwio, PayloadOfARefusalIsNotHandedOut) {
  for (nd_fwio_cmd cmd : {ND_FWIO_READ, ND_FWIO_GET_DATA}) {
    Bench b;
    AnswerAll(b, cmd, ND_FWIO_FAIL, static_cast<u16>(Header(cmd) + 4), Bytes(4, 7));
    EXPECT_EQ(b.Call(cmd, Payload(cmd), 40).result, -EREMOTEIO) << cmd;
  }
}

TEST(Fwio, F5OwnHeaderIsNoReply) {
  for (nd_fwio_cmd cmd : kNewCommands) {
    Bench b;
    // The doorbell is cleared and the request still stands where an answer would be.
    b.on_doorbell = [&b] { b.Reg(ND_MISCRAM_TRIGGER) = 0; };
    const Outcome out = b.Call(cmd, Payload(cmd), 40);
    EXPECT_EQ(out.result, -ETIMEDOUT) << cmd;
    EXPECT_EQ(out.unknown, 2U);
    EXPECT_EQ(b.driver.stats.silences, 2U);
    EXPECT_EQ(b.driver.stats.failed + b.driver.stats.malformed, 0U);
    EXPECT_LT(out.took_ns, kSecond) << "there is nothing to wait for";
  }
}

TEST(Fwio, F5EveryBitOfAReplyCounts) {
  // GET_DATA with 5 bytes: flip each bit of header, checksum and payload in turn.
  const Bytes payload = {1, 2, 3, 4, 5};
  for (u32 bit = 0; bit < 8 * (8 + payload.size()); bit++) {
    Bench b;
    b.driver.limits[ND_FWIO_GET_DATA].attempts = 1;
    b.on_doorbell = [&] {
      b.AnswerNew({b.RequestSeq(false), 0, 13, 0}, payload);
      const u32 offset =
          bit < 64 ? ND_MISCRAM_REQUEST_HI + bit / 32 * 4 : ND_MISCRAM_DATA + (bit - 64) / 32 * 4;
      b.Reg(offset) ^= 1U << bit % 32;
    };
    const Outcome out = b.Call(ND_FWIO_GET_DATA, {1}, 40);
    ASSERT_EQ(out.result, -EBADMSG) << "bit " << bit;
    ASSERT_EQ(out.unknown, 1U);
  }
  Bench b;
  b.on_doorbell = [&] {
    b.AnswerNew({b.RequestSeq(false), 0, 13, 0}, payload);
    b.Reg(ND_MISCRAM_DATA + 4) ^= 0xFFFFFF00;  // behind the payload nothing counts
  };
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA, {1}, 40).reply, payload);
}

TEST(Fwio, F5HeaderOfZerosIsNoReply) {
  Bench b;
  b.on_doorbell = [&b] {
    b.Reg(ND_MISCRAM_REQUEST_HI) = b.Reg(ND_MISCRAM_REQUEST_LO) = b.Reg(ND_MISCRAM_TRIGGER) = 0;
  };
  EXPECT_EQ(b.Call(ND_FWIO_GET_DATA).result, -EBADMSG);
  EXPECT_EQ(b.driver.stats.stale, 0U) << "no answer to anything";
}

TEST(Fwio, BusyAndGoneRegistersAreNoReply) {
  for (fw_model_answer answer : {FW_MODEL_BUSY, FW_MODEL_GONE}) {
    for (u32 offset : {ND_MISCRAM_TRIGGER, ND_MISCRAM_REQUEST_HI}) {
      Bench b;
      ASSERT_EQ(fw_model_override(&b.firmware, offset, answer, b.now + 2 * kSecond), 0);
      const Outcome out = b.Call(ND_FWIO_GET_DATA);
      EXPECT_EQ(out.result, 0) << "the answer is still there afterwards";
      EXPECT_GE(out.took_ns, 2 * kSecond);
      EXPECT_EQ(b.Doorbells(), 1U);
    }
    for (u32 offset : {ND_MISCRAM_REQUEST_LO, ND_MISCRAM_DATA}) {
      Bench b;
      ASSERT_EQ(fw_model_override(&b.firmware, offset, answer, U64_MAX), 0);
      EXPECT_EQ(b.Call(ND_FWIO_GET_DATA).result, -EBADMSG);
    }
  }
}

TEST(Fwio, F6NothingIsReadBeforeTheSequenceNumberIsThere) {
  Bench b;
  const Bytes payload = Payload(ND_FWIO_READ);
  Bytes reply(4);
  fwio_call call;
  b.on_doorbell = [] {};
  ASSERT_EQ(fwio_begin(&b.driver, &call, ND_FWIO_READ, payload.data(), 8, reply.data(), 4, b.now),
            0);
  ASSERT_FALSE(b.Step(call));
  u8* place = b.NamedPlace();
  const u8 seq = b.driver.seq;
  // A size and an error that would end the call, while the answer is being written.
  place[1] = ND_FWIO_UNKNOWN_COMMAND;
  place[2] = 0xFF;
  place[3] = 0xFF;
  b.Advance(kMs);
  ASSERT_FALSE(b.Step(call));
  b.AnswerLegacy(seq, 0, 8, {1, 2, 3, 4});
  b.Advance(kMs);
  ASSERT_TRUE(b.Step(call));
  EXPECT_EQ(call.result, 0);
  EXPECT_EQ(reply, (Bytes{1, 2, 3, 4}));
}

TEST(Fwio, F6AnswersOfAnotherThreadAreReadWhole) {
  // Firmware on a thread of its own: waits for a request, answers with a value made of its number.
  Bench b;
  std::atomic<u32> rung{0};
  std::atomic<bool> stop{false};
  b.on_doorbell = [&] { rung.fetch_add(1, std::memory_order_release); };
  std::thread thread([&] {
    for (u32 seen = 0; !stop.load(std::memory_order_relaxed);) {
      if (rung.load(std::memory_order_acquire) == seen) {
        std::this_thread::yield();
        continue;
      }
      seen++;
      u8* place = b.NamedPlace();
      const u8 seq = b.RequestSeq(true);
      for (u32 i = 0; i < 400; i++) __atomic_store_n(&place[4 + i], seq, __ATOMIC_RELAXED);
      __atomic_store_n(&place[2], u8{(404 & 0xFF)}, __ATOMIC_RELAXED);
      __atomic_store_n(&place[3], u8{404 >> 8}, __ATOMIC_RELAXED);
      __atomic_store_n(&place[0], seq, __ATOMIC_RELEASE);
    }
  });
  const Bytes payload(8 * FWIO_READ_MAX);
  Bytes reply(400);
  for (int i = 0; i < 300; i++) {
    fwio_call call;
    EXPECT_EQ(
        fwio_begin(&b.driver, &call, ND_FWIO_READ, payload.data(), 800, reply.data(), 400, b.now),
        0);
    // The clock stands still: it is the other thread that is waited for.
    while (!b.Step(call)) std::this_thread::yield();
    EXPECT_EQ(call.result, 0);
    EXPECT_EQ(reply, Bytes(400, b.driver.seq));
  }
  stop = true;
  thread.join();
}

TEST(Fwio, F7LateAnswerOfAnEarlierAttemptIsNotTaken) {
  for (nd_fwio_cmd cmd : {ND_FWIO_READ, ND_FWIO_GET_DATA}) {
    SCOPED_TRACE(cmd);
    Bench b;
    b.driver.limits[cmd] = {100 * kMs, kSecond, 5};
    std::vector<u8> numbers;
    // The second attempt's doorbell finds the first one's answer; the third is answered itself.
    u8* first_place = nullptr;
    b.on_doorbell = [&] {
      const u8 seq = b.RequestSeq(IsLegacy(cmd));
      numbers.push_back(seq);
      if (numbers.size() == 1) first_place = IsLegacy(cmd) ? b.NamedPlace() : nullptr;
      if (numbers.size() == 2 && IsLegacy(cmd)) {
        first_place[4] = 0xBA;
        first_place[2] = 8;
        first_place[0] = numbers[0];
      } else if (numbers.size() == 2) {
        b.AnswerNew({numbers[0], 0, 16, 0}, Bytes(8, 0xBA));
      } else if (numbers.size() == 3 && IsLegacy(cmd)) {
        b.AnswerLegacy(seq, 0, 8, Bytes(4, 1));
      } else if (numbers.size() == 3) {
        b.AnswerNew({seq, 0, 16, 0}, Bytes(8, 1));
      }
    };
    const Outcome out = b.Call(cmd);
    EXPECT_EQ(out.result, 0);
    EXPECT_EQ(out.reply, Bytes(ReplySize(cmd), 1));
    EXPECT_EQ(numbers, (std::vector<u8>{2, 3, 4}));
    EXPECT_EQ(out.unknown, 2U) << "the first two may have been carried out";
    EXPECT_EQ(b.driver.stats.stale, 1U);
  }
}

TEST(Fwio, F7AnotherNumberInTheSamePlaceIsWaitedOut) {
  Bench b;
  const Bytes payload = Payload(ND_FWIO_READ);
  Bytes reply(4);
  fwio_call call;
  b.on_doorbell = [] {};
  ASSERT_EQ(fwio_begin(&b.driver, &call, ND_FWIO_READ, payload.data(), 8, reply.data(), 4, b.now),
            0);
  ASSERT_FALSE(b.Step(call));
  const u8 seq = b.driver.seq;
  b.AnswerLegacy(77, 0, 8, Bytes(4, 0xBA));
  for (int i = 0; i < 5; i++) {
    b.Advance(kMs);
    ASSERT_FALSE(b.Step(call));
  }
  EXPECT_EQ(b.driver.stats.stale, 1U) << "counted once, seen five times";
  b.AnswerLegacy(seq, 0, 8, Bytes(4, 1));
  ASSERT_TRUE(b.Step(call));
  EXPECT_EQ(call.result, 0);
  EXPECT_EQ(reply, Bytes(4, 1));
}

TEST(Fwio, F7EveryOtherNumberIsRefused) {
  for (nd_fwio_cmd cmd : {ND_FWIO_POST_TO_CW, ND_FWIO_GET_DATA}) {
    for (unsigned number = 0; number < 256; number++) {
      Bench b;
      b.driver.limits[cmd] = {10 * kMs, 100 * kMs, 1};
      if (number == 2) continue;
      b.on_doorbell = [&] {
        if (IsLegacy(cmd)) {
          b.AnswerLegacy(static_cast<u8>(number), 0, 4);
        } else {
          b.AnswerNew({static_cast<u8>(number), 0, 16, 0}, Bytes(8, 0xBA));
        }
      };
      const Outcome out = b.Call(cmd);
      ASSERT_EQ(out.result, IsLegacy(cmd) ? -ETIMEDOUT : -EBADMSG) << number;
      ASSERT_EQ(out.unknown, 1U);
    }
  }
}

TEST(Fwio, F7NumbersComeAroundWithoutTakingOldAnswers) {
  // An answer that is 400 attempts late, after its number could have come around.
  Bench b;
  b.firmware.knobs.late_ms = 1'000'000;
  b.firmware.knobs.late_replies = 1;
  b.driver.limits[ND_FWIO_READ] = {100 * kMs, kSecond, 1};
  b.Reg(ND_MISCRAM_POD_ELECTION) = 0xBADBAD00;
  ASSERT_EQ(b.Call(ND_FWIO_READ, ReadOf({kMiscram + ND_MISCRAM_POD_ELECTION}), 4).result,
            -ETIMEDOUT);
  for (int i = 0; i < 400; i++) {
    // The old answer becomes due while this one is asked for.
    if (i >= 250) b.AdvanceTo(b.now + 7000 * kMs);
    const Outcome out = b.Call(ND_FWIO_READ);
    ASSERT_EQ(out.result, 0);
    ASSERT_EQ(out.reply, (Bytes{0xEF, 0xCD, 0xAB, 0x89})) << i;
  }
  EXPECT_EQ(b.driver.stats.stale, 1U);
}

TEST(Fwio, OldBytesInAPlaceAreNeverPartOfAReply) {
  Bench b;
  for (u32 slot = 0; slot < FWIO_SLOTS; slot++)
    std::memset(b.ResponsePlace(slot), 0xEE, FWIO_SLOT_SIZE);
  AnswerAll(b, ND_FWIO_READ, ND_FWIO_SUCCESS, 4 + 40);  // a size, and no payload
  EXPECT_EQ(b.Call(ND_FWIO_READ, Payload(ND_FWIO_READ), 40).reply, Bytes(40, 0));
}

TEST(Fwio, PlaceOverwrittenWhileItIsReadIsNoReply) {
  // The caller's buffer is the place itself: copying the payload overwrites the sequence number,
  // as a late answer would.
  Bench b;
  b.driver.limits[ND_FWIO_READ].attempts = 1;
  AnswerAll(b, ND_FWIO_READ, ND_FWIO_SUCCESS, 8, Bytes(4, 0x5A));
  const Bytes payload = Payload(ND_FWIO_READ);
  fwio_call call;
  ASSERT_EQ(
      fwio_begin(&b.driver, &call, ND_FWIO_READ, payload.data(), 8, b.ResponsePlace(0), 4, b.now),
      0);
  b.Finish(call, 4 * kSecond);
  EXPECT_EQ(call.result, -EBADMSG);
  EXPECT_EQ(call.reply_len, 0U);
  EXPECT_EQ(b.ResponsePlace(0)[0], 0) << "nothing of it is left";
}

}  // namespace
}  // namespace ndtel::test
