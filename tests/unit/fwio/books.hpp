// SPDX-License-Identifier: Apache-2.0
//
// Books of one counter that is posted as the metrics thread does it: what was not confirmed is
// posted again, together with what was counted meanwhile.
#ifndef NDTEL_TESTS_UNIT_FWIO_BOOKS_HPP
#define NDTEL_TESTS_UNIT_FWIO_BOOKS_HPP

#include "bench.hpp"

namespace ndtel::test {

class Books {
 public:
  static constexpr u8 kId = 200;      // the counter
  static constexpr u8 kSerial = 201;  // makes every call's post different

  explicit Books(Bench& bench) : bench_(bench) {}

  // What the next call posts.
  Bytes Payload(u64 growth) {
    pending_ += growth;
    nmetric_post post{};
    EXPECT_TRUE(nmetric_put_u64(&post, kId, pending_));
    EXPECT_TRUE(nmetric_put_u64(&post, kSerial, ++serial_));
    first_post_ = bench_.posts.size();
    return {post.buf, post.buf + post.used};
  }

  // How that call ended.
  void Settle(const Bytes& payload, int result, u32 unknown_doorbells) {
    unknown += unknown_doorbells * pending_;
    if (result == 0) {
      confirmed += pending_;
      pending_ = 0;
      bool taken = false;
      for (std::size_t i = first_post_; i < bench_.posts.size(); i++)
        taken |=
            Bytes(bench_.posts[i].data, bench_.posts[i].data + bench_.posts[i].size) == payload;
      EXPECT_TRUE(taken) << "confirmed, and the firmware did not take this very post";
    }
    Check();
  }

  Outcome Post(u64 growth) {
    const Bytes payload = Payload(growth);
    const Outcome out = bench_.Call(ND_FWIO_POST_TO_CW, payload, 0);
    Settle(payload, out.result, out.unknown);
    return out;
  }

  void Check() const {
    const u64 received = bench_.firmware.received[kId];
    EXPECT_LE(confirmed, received);
    EXPECT_LE(received, confirmed + unknown);
  }

  u64 confirmed = 0, unknown = 0;

 private:
  Bench& bench_;
  u64 pending_ = 0, serial_ = 0;
  std::size_t first_post_ = 0;
};

}  // namespace ndtel::test

#endif  // NDTEL_TESTS_UNIT_FWIO_BOOKS_HPP
