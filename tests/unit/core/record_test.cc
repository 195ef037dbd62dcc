// SPDX-License-Identifier: Apache-2.0
//
// Records on the wire: writing within bounds, reading what cannot be trusted.

#include <memory>
#include <random>

#include "plane.hpp"

namespace ndtel::test {
namespace {

std::string PutU64(u64 value) {
  nmetric_post post{};
  EXPECT_TRUE(nmetric_put_u64(&post, 200, value));
  return Text(Decode(post), 200);
}

std::string PutHex(u64 value) {
  nmetric_post post{};
  EXPECT_TRUE(nmetric_put_hex(&post, 80, value));
  return Text(Decode(post), 80);
}

std::string PutVersion(u64 word, bool reference) {
  nmetric_post post{};
  EXPECT_TRUE(nmetric_put_version(&post, 180, word, reference));
  return Text(Decode(post), 180);
}

TEST(Record, Decimal) {
  for (u64 value :
       {u64{0}, u64{1}, u64{9}, u64{10}, u64{99}, u64{100}, u64{12345678901234567890U}, U64_MAX})
    EXPECT_EQ(PutU64(value), std::to_string(value));
  u64 power = 1;
  for (int i = 0; i < 20; i++, power *= 10) {
    EXPECT_EQ(PutU64(power), std::to_string(power));
    EXPECT_EQ(PutU64(power - 1), std::to_string(power - 1));
  }
}

TEST(Record, LowerCaseHexWithoutPrefix) {
  EXPECT_EQ(PutHex(0), "0");
  EXPECT_EQ(PutHex(0xDEADBEEF), "deadbeef");
  EXPECT_EQ(PutHex(0x0123456789ABCDEF), "123456789abcdef");
  EXPECT_EQ(PutHex(U64_MAX), "ffffffffffffffff");
}

TEST(Record, VersionText) {
  EXPECT_EQ(PutVersion(Version(2, 31, 24), false), "2.31.24");
  EXPECT_EQ(PutVersion(Version(2, 31, 24, 0xFFFF), false), "2.31.24")
      << "reserved bits are not shown";
  EXPECT_EQ(PutVersion(Version(255, 255, 4294967295U), false), "255.255.4294967295");
}

TEST(Record, VersionBuildIsSignedInTheReference) {
  EXPECT_EQ(PutVersion(Version(2, 31, 24), true), "2.31.24");
  EXPECT_EQ(PutVersion(Version(1, 2, 2147483647), true), "1.2.2147483647");
  EXPECT_EQ(PutVersion(Version(255, 255, 2147483648U), true), "255.255.-2147483648");
  EXPECT_EQ(PutVersion(Version(0, 0, 4294967295U), true), "0.0.-1");
}

TEST(Record, LayoutOfBytes) {
  nmetric_post post{};
  ASSERT_TRUE(nmetric_put(&post, 12, "ab", 2));
  ASSERT_TRUE(nmetric_put(&post, 13, "", 0));
  ASSERT_TRUE(nmetric_put_u64(&post, 200, 7));
  const u8 want[] = {12, 2, 'a', 'b', 13, 0, 200, 1, '7'};
  ASSERT_EQ(post.used, sizeof(want));
  EXPECT_EQ(memcmp(post.buf, want, sizeof(want)), 0);
}

TEST(Record, FillsToTheLastByteAndNotFurther) {
  const std::string text(63, 'x');
  nmetric_post post{};
  ASSERT_TRUE(nmetric_put(&post, 12, text.data(), 63));
  ASSERT_FALSE(nmetric_put(&post, 13, text.data(), 62)) << "64 bytes into 63";
  EXPECT_EQ(post.used, 65u);
  ASSERT_TRUE(nmetric_put(&post, 13, text.data(), 61)) << "63 bytes into 63";
  EXPECT_EQ(post.used, 128u);
  EXPECT_FALSE(nmetric_put(&post, 14, "", 0));
  EXPECT_FALSE(nmetric_put_u64(&post, 14, 0));
  EXPECT_EQ(post.used, 128u);
}

TEST(Record, TextLongerThan63IsRefused) {
  const std::string text(64, 'x');
  nmetric_post post{};
  EXPECT_FALSE(nmetric_put(&post, 12, text.data(), text.size()));
  EXPECT_EQ(post.used, 0u);
}

TEST(Record, DamagedUseIsRefused) {
  nmetric_post post{};
  post.used = 129;
  EXPECT_FALSE(nmetric_put(&post, 12, "", 0));
}

TEST(Record, TruncatedRecordIsAnError) {
  const u8 post[] = {12, 3, 'a', 'b', 'c', 13, 2, 'd'};
  nmetric_view view;
  std::size_t pos = 0;
  ASSERT_EQ(nmetric_next(post, sizeof(post), &pos, &view), 1);
  EXPECT_EQ(view.id, 12);
  EXPECT_EQ(std::string(view.text, view.text + view.len), "abc");
  ASSERT_EQ(pos, 5u);
  EXPECT_EQ(nmetric_next(post, sizeof(post), &pos, &view), -EINVAL) << "text cut";
  EXPECT_EQ(pos, 5u);
  EXPECT_EQ(view.id, 12) << "unchanged on error";
  EXPECT_EQ(nmetric_next(post, 6, &pos, &view), -EINVAL) << "header cut";
  EXPECT_EQ(nmetric_next(post, 5, &pos, &view), 0) << "the end";
  pos = 9;
  EXPECT_EQ(nmetric_next(post, sizeof(post), &pos, &view), -EINVAL) << "behind the end";
  pos = 0;
  EXPECT_EQ(nmetric_next(post, 0, &pos, &view), 0) << "an empty post has no records";
}

// Random bytes in a buffer of exactly their size: a sanitizer sees any read beyond.
TEST(Record, K25RandomBytesNeverReadOutOfBounds) {
  std::mt19937_64 random(20240501);
  int whole = 0, broken = 0;
  for (int round = 0; round < 200000; round++) {
    const std::size_t size = random() % 150;
    const std::unique_ptr<u8[]> buf(new u8[size]);
    const bool short_texts = random() % 2;
    for (std::size_t i = 0; i < size; i++)
      buf[i] = static_cast<u8>(short_texts ? random() % 6 : random());
    std::size_t pos = 0;
    std::size_t covered = 0;
    unsigned sum = 0;
    nmetric_view view;
    int more;
    while ((more = nmetric_next(buf.get(), size, &pos, &view)) == 1) {
      covered += 2 + std::size_t{view.len};
      ASSERT_EQ(pos, covered);
      ASSERT_LE(pos, size);
      for (unsigned i = 0; i < view.len; i++) sum += view.text[i];
    }
    ASSERT_NE(sum, ~0U);
    if (more == 0) {
      ASSERT_EQ(pos, size);
      whole++;
    } else {
      ASSERT_EQ(more, -EINVAL);
      ASSERT_LT(pos, size);
      ASSERT_TRUE(size - pos < 2 || size - pos - 2 < buf[pos + 1]);
      broken++;
    }
  }
  EXPECT_GT(whole, 1000);
  EXPECT_GT(broken, 1000);
}

}  // namespace
}  // namespace ndtel::test
