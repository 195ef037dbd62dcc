// SPDX-License-Identifier: Apache-2.0
//
// A mailbox on a bench: the driver's side, the firmware's side, the memory and registers between
// them, and a clock that moves only when told to. Everything that is stored to a register is on
// record.
#ifndef NDTEL_TESTS_UNIT_FWIO_BENCH_HPP
#define NDTEL_TESTS_UNIT_FWIO_BENCH_HPP

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kmod/core/fw_model.h"
#include "kmod/core/fwio.h"
#include "kmod/core/nmetric_record.h"

namespace ndtel::test {

inline constexpr u64 kMs = 1'000'000;
inline constexpr u64 kSecond = 1000 * kMs;
inline constexpr u64 kHostBit = 1ULL << 46;
inline constexpr u64 kMiscram = 0x8006C84000;
inline constexpr u32 kForever = 0xFFFFFFFF;

using Bytes = std::vector<u8>;

inline constexpr nd_fwio_cmd kNewCommands[] = {ND_FWIO_SET_POWER_PROFILE, ND_FWIO_GET_DATA,
                                               ND_FWIO_SET_FEATURE};
inline constexpr nd_fwio_cmd kCommands[] = {ND_FWIO_READ, ND_FWIO_POST_TO_CW,
                                            ND_FWIO_SET_POWER_PROFILE, ND_FWIO_GET_DATA,
                                            ND_FWIO_SET_FEATURE};

inline bool IsLegacy(nd_fwio_cmd cmd) { return cmd == ND_FWIO_READ || cmd == ND_FWIO_POST_TO_CW; }

struct Store {
  u32 offset;
  u32 value;
  bool operator==(const Store&) const = default;
};

inline void PrintTo(const Store& store, std::ostream* out) {
  *out << std::hex << "{0x" << store.offset << ", 0x" << store.value << "}";
}

// What became of a call.
struct Outcome {
  int result;
  u32 unknown;
  Bytes reply;
  u64 took_ns;
};

// A request of each command that healthy firmware fulfils.
inline Bytes Payload(nd_fwio_cmd cmd) {
  switch (cmd) {
    case ND_FWIO_READ: {
      const u64 addr = kMiscram + ND_MISCRAM_SERIAL_LO;
      Bytes payload(sizeof(addr));
      std::memcpy(payload.data(), &addr, sizeof(addr));
      return payload;
    }
    case ND_FWIO_POST_TO_CW:
      return {90, 2, '4', '2'};
    case ND_FWIO_SET_POWER_PROFILE:
      return {0, 0, 0, 0, 1, 0, 0, 0};
    case ND_FWIO_GET_DATA:
      return {ND_FWIO_DATA_PROFILE};
    case ND_FWIO_SET_FEATURE:
      return {ND_FWIO_FEATURE_THROTTLING};
  }
  return {};
}

inline u32 ReplySize(nd_fwio_cmd cmd) {
  return cmd == ND_FWIO_READ ? 4 : cmd == ND_FWIO_GET_DATA ? sizeof(nd_fwio_profile) : 0;
}

class Bench {
 public:
  Bench() : request_(FWIO_SLOTS * FWIO_SLOT_SIZE), response_(FWIO_SLOTS * FWIO_SLOT_SIZE) {
    fwio_init(&driver);
    const fw_model_host host = {this, ReadHost, WriteHost, TakePost};
    fw_model_init(&firmware, &host, kHostBit, kMiscram, 0x0123456789ABCDEF, 5, now);
    port = {this,
            Load,
            StoreTo,
            request_.data(),
            kHostBit | kRequestAddr,
            response_.data(),
            kHostBit | kResponseAddr};
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Lets the time come, and what the firmware does meanwhile.
  void AdvanceTo(u64 time) {
    while (fw_model_next(&firmware) <= time) {
      now = std::max(now, fw_model_next(&firmware));
      fw_model_run(&firmware, now);
    }
    now = std::max(now, time);
  }
  void Advance(u64 ns) { AdvanceTo(now + ns); }

  // A step at the current time.
  bool Step(fwio_call& call) { return fwio_step(&driver, &call, &port, now, &next); }

  // Runs a call that has begun.
  void Finish(fwio_call& call, u64 total_ns) {
    const u64 start = now;
    for (int steps = 0; !Step(call); steps++) {
      ASSERT_LT(steps, 100000) << "a call never ends";
      ASSERT_GT(next, now) << "a step that is due at once";
      ASSERT_LE(next, start + total_ns) << "beyond the total";
      AdvanceTo(next + (oversleep ? oversleep() : 0));
    }
    EXPECT_EQ(driver.use, FWIO_IDLE);
  }

  Outcome Call(nd_fwio_cmd cmd, const Bytes& payload, u32 reply_max) {
    // Of exactly their sizes, so that the sanitizer sees any access beyond.
    const std::unique_ptr<u8[]> request(new u8[payload.size()]);
    const std::unique_ptr<u8[]> reply(new u8[reply_max]);
    std::copy(payload.begin(), payload.end(), request.get());
    std::fill_n(reply.get(), reply_max, u8{0xA5});
    const u64 start = now;
    fwio_call call;
    Outcome out{};
    out.result = fwio_begin(&driver, &call, cmd, request.get(), static_cast<u32>(payload.size()),
                            reply.get(), reply_max, now);
    if (out.result) return out;
    Finish(call, driver.limits[cmd].total_ns);
    out.result = call.result;
    out.unknown = call.unknown;
    out.took_ns = now - start;
    for (u32 i = call.reply_len; i < reply_max; i++) {
      EXPECT_EQ(reply[i], 0) << "byte " << i << " beyond the reply";
    }
    if (call.result) {
      EXPECT_EQ(call.reply_len, 0U);
    }
    out.reply.assign(reply.get(), reply.get() + call.reply_len);
    return out;
  }
  Outcome Call(nd_fwio_cmd cmd) { return Call(cmd, Payload(cmd), ReplySize(cmd)); }

  // Restores what fw_model_init() gives, without forgetting what is on its way.
  void ClearKnobs() {
#define INITIAL(name, initial, meaning) firmware.knobs.name = (initial);
    FW_MODEL_KNOBS(INITIAL)
#undef INITIAL
    EXPECT_EQ(fw_model_override(&firmware, ND_MISCRAM_SIZE, FW_MODEL_NORMAL, 0), 0);
  }

  // Until nothing is on its way any more.
  void Settle() {
    while (fw_model_next(&firmware) != U64_MAX) AdvanceTo(fw_model_next(&firmware));
  }

  u32& Reg(u32 offset) { return firmware.reg[offset / 4]; }
  u8* RequestPlace(u32 slot) { return &request_[slot * FWIO_SLOT_SIZE]; }
  u8* ResponsePlace(u32 slot) { return &response_[slot * FWIO_SLOT_SIZE]; }

  // The response place that the registers name now.
  u8* NamedPlace() {
    return &response_[(u64{Reg(ND_MISCRAM_RESPONSE_HI)} << 32 | Reg(ND_MISCRAM_RESPONSE_LO)) -
                      (kHostBit | kResponseAddr)];
  }

  u64 Doorbells() const {
    u64 n = 0;
    for (const Store& store : stores) n += store.offset == ND_MISCRAM_TRIGGER;
    return n;
  }

  // Sequence number of the request that the registers hold, or name.
  u8 RequestSeq(bool legacy) {
    if (!legacy) return static_cast<u8>(Reg(ND_MISCRAM_REQUEST_HI));
    return request_[(u64{Reg(ND_MISCRAM_REQUEST_HI)} << 32 | Reg(ND_MISCRAM_REQUEST_LO)) -
                    (kHostBit | kRequestAddr)];
  }

  // Answers in the new mailbox, in place of the model.
  void AnswerNew(nd_fwio_response header, const Bytes& payload, bool good_crc = true) {
    const u32 n = header.size < 8 ? 0 : std::min<u32>(header.size - 8U, ND_FWIO_DATA_MAX);
    Bytes data(payload);
    data.resize(ND_FWIO_DATA_MAX);
    std::memcpy(&Reg(ND_MISCRAM_DATA), data.data(), data.size());
    header.crc = fwio_reply_crc(&header, data.data(), n) ^ (good_crc ? 0 : 1);
    std::memcpy(&Reg(ND_MISCRAM_REQUEST_HI), &header, sizeof(header));
    Reg(ND_MISCRAM_TRIGGER) = 0;
  }

  // Answers in the legacy mailbox, in place of the model.
  void AnswerLegacy(u8 seq, u8 error, u16 size, const Bytes& payload = {}) {
    u8* place = NamedPlace();
    std::copy(payload.begin(), payload.end(), place + 4);
    place[1] = error;
    place[2] = static_cast<u8>(size);
    place[3] = static_cast<u8>(size >> 8);
    place[0] = seq;
    Reg(ND_MISCRAM_TRIGGER) = 0;
  }

  fwio driver;
  fw_model firmware;
  fwio_port port;
  u64 now = 1000 * kSecond;
  u64 next = 0;
  std::vector<Store> stores;
  std::vector<fw_model_post> posts;

  // When set, called for a doorbell in place of the model.
  std::function<void()> on_doorbell;
  // When set, how much later than asked for the driver wakes.
  std::function<u64()> oversleep;
  // When set, called before every access to a register.
  std::function<void(bool store, u32 offset)> on_access;

 private:
  static constexpr u64 kRequestAddr = 0x0000'0012'0000'0000;
  static constexpr u64 kResponseAddr = 0x0000'0034'5678'0000;

  static Bench& Of(void* ctx) { return *static_cast<Bench*>(ctx); }

  static u32 Load(void* ctx, u32 offset) {
    Bench& b = Of(ctx);
    if (b.on_access) b.on_access(false, offset);
    return fw_model_read(&b.firmware, offset, b.now);
  }

  static void StoreTo(void* ctx, u32 offset, u32 value) {
    Bench& b = Of(ctx);
    if (b.on_access) b.on_access(true, offset);
    b.stores.push_back({offset, value});
    if (!b.on_doorbell) {
      fw_model_write(&b.firmware, offset, value, b.now);
      return;
    }
    b.Reg(offset) = value;
    if (offset == ND_MISCRAM_TRIGGER) b.on_doorbell();
  }

  static int ReadHost(void* ctx, u64 addr, void* to, u32 n) {
    Bench& b = Of(ctx);
    if (addr < kRequestAddr || addr - kRequestAddr > b.request_.size() ||
        n > b.request_.size() - (addr - kRequestAddr))
      return -EFAULT;
    std::memcpy(to, b.request_.data() + (addr - kRequestAddr), n);
    return 0;
  }

  static int WriteHost(void* ctx, u64 addr, const void* from, u32 n) {
    Bench& b = Of(ctx);
    if (addr < kResponseAddr || addr - kResponseAddr > b.response_.size() ||
        n > b.response_.size() - (addr - kResponseAddr))
      return -EFAULT;
    std::memcpy(b.response_.data() + (addr - kResponseAddr), from, n);
    return 0;
  }

  static void TakePost(void* ctx, const fw_model_post* post) { Of(ctx).posts.push_back(*post); }

  Bytes request_, response_;
};

// A post of one decimal record.
inline Bytes PostOf(u8 id, u64 value) {
  nmetric_post post{};
  EXPECT_TRUE(nmetric_put_u64(&post, id, value));
  return {post.buf, post.buf + post.used};
}

inline Bytes ReadOf(const std::vector<u64>& addresses) {
  Bytes payload(addresses.size() * sizeof(u64));
  std::memcpy(payload.data(), addresses.data(), payload.size());
  return payload;
}

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_FWIO_BENCH_HPP
