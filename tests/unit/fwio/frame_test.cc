// SPDX-License-Identifier: Apache-2.0
//
// Frames: the checksum, and requests byte for byte.

#include "bench.hpp"

namespace ndtel::test {
namespace {

struct Vector {
  const char* name;
  nd_fwio_cmd cmd;
  Bytes payload;
  Bytes header;
  u32 dw0, dw1;
};

const Vector kVectors[] = {
    {"post",
     ND_FWIO_POST_TO_CW,
     {0xc8, 0x01, 0x35},
     {0x02, 0x02, 0x0b, 0x00, 0x0b, 0x5c, 0xe1, 0xd1},
     0x000B0202,
     0xD1E15C0B},
    {"get profile",
     ND_FWIO_GET_DATA,
     {0x01},
     {0x02, 0x04, 0x09, 0x00, 0x37, 0x62, 0x2c, 0xa3},
     0x00090402,
     0xA32C6237},
    {"get profiles",
     ND_FWIO_GET_DATA,
     {0x02, 0x05, 0x00},
     {0x02, 0x04, 0x0b, 0x00, 0x14, 0x0f, 0x28, 0x11},
     0x000B0402,
     0x11280F14},
    {"set profile",
     ND_FWIO_SET_POWER_PROFILE,
     {0, 0, 0, 0, 3, 0, 0, 0},
     {0x02, 0x03, 0x10, 0x00, 0x88, 0x80, 0x1d, 0x3b},
     0x00100302,
     0x3B1D8088},
    {"set feature",
     ND_FWIO_SET_FEATURE,
     {0x01},
     {0x02, 0x05, 0x09, 0x00, 0x10, 0x1f, 0x10, 0xea},
     0x00090502,
     0xEA101F10},
    {"read",
     ND_FWIO_READ,
     {0x00, 0x00, 0xfa, 0xf0, 0xff, 0x0f, 0x00, 0x00},
     {0x02, 0x01, 0x10, 0x00, 0x79, 0x58, 0x87, 0xd3},
     0x00100102,
     0xD3875879},
};

TEST(Frame, ChecksumHasItsCheckValues) {
  EXPECT_EQ(fwio_crc32c(0, "123456789", 9), 0xE3069283U);
  EXPECT_EQ(fwio_crc32c(0, "", 0), 0U);
  const u8 zeros[32] = {};
  EXPECT_EQ(fwio_crc32c(0, zeros, 32), 0x8A9136AAU);
  // Entries of the usual table: one byte from a register of zeros.
  const u8 one = 1, last = 255;
  EXPECT_EQ(~fwio_crc32c(~0U, &one, 1), 0xF26B8303U);
  EXPECT_EQ(~fwio_crc32c(~0U, &last, 1), 0xAD7D5351U);
}

TEST(Frame, ChecksumGoesOnWhereItStopped) {
  const std::string text = "The quick brown fox jumps over the lazy dog";
  const u32 whole = fwio_crc32c(0, text.data(), text.size());
  for (std::size_t cut = 0; cut <= text.size(); cut++) {
    EXPECT_EQ(fwio_crc32c(fwio_crc32c(0, text.data(), cut), text.data() + cut, text.size() - cut),
              whole)
        << cut;
  }
}

TEST(Frame, ChecksumEqualsTheBitwiseDefinition) {
  for (unsigned byte = 0; byte < 256; byte++) {
    u32 want = ~byte & 0xFF;
    want = 0xFFFFFFFFU ^ byte;
    for (int bit = 0; bit < 8; bit++) want = want >> 1 ^ (want & 1 ? 0x82F63B78U : 0);
    const u8 data = static_cast<u8>(byte);
    ASSERT_EQ(fwio_crc32c(0, &data, 1), ~want) << byte;
  }
}

TEST(Frame, CrcFieldItselfDoesNotCount) {
  const nd_fwio_request clean = {2, ND_FWIO_SET_FEATURE, 9, 0};
  nd_fwio_request dirty = clean;
  dirty.crc = 0x12345678;
  EXPECT_EQ(fwio_frame_crc(&clean, "\1", 1), 0xEA101F10U);
  EXPECT_EQ(fwio_frame_crc(&dirty, "\1", 1), 0xEA101F10U);
  const nd_fwio_response reply = {2, 5, 9, 0x12345678};
  EXPECT_EQ(fwio_reply_crc(&reply, "\1", 1), 0xEA101F10U) << "one rule both ways";
}

TEST(Frame, RequestsEqualTheTestVectors) {
  for (const Vector& v : kVectors) {
    SCOPED_TRACE(v.name);
    Bench b;
    b.firmware.knobs.profiles = 4;
    b.firmware.miscram_addr = 0xFFFF0FA0000;
    const Outcome out = b.Call(v.cmd, v.payload, v.cmd == ND_FWIO_READ ? 4 : 40);
    EXPECT_EQ(out.result, 0);
    if (IsLegacy(v.cmd)) {
      Bytes want(v.header);
      want.insert(want.end(), v.payload.begin(), v.payload.end());
      EXPECT_EQ(Bytes(b.RequestPlace(0), b.RequestPlace(0) + want.size()), want);
    } else {
      const u32 words = static_cast<u32>(v.payload.size() + 3) / 4;
      ASSERT_GE(b.stores.size(), words + 2);
      EXPECT_EQ(b.stores[words], (Store{ND_MISCRAM_REQUEST_HI, v.dw0}));
      EXPECT_EQ(b.stores[words + 1], (Store{ND_MISCRAM_REQUEST_LO, v.dw1}));
    }
    u32 dw[2];
    std::memcpy(dw, v.header.data(), sizeof(dw));
    EXPECT_EQ(dw[0], v.dw0);
    EXPECT_EQ(dw[1], v.dw1);
  }
}

}  // namespace
}  // namespace ndtel::test
