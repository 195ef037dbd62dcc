// SPDX-License-Identifier: Apache-2.0
//
// Values on their way into counter words: microseconds, workload ids, versions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "ndtel/kmetric.hpp"

namespace ndtel::test {
namespace {

TEST(Values, MicrosecondsAreTruncatedAndNeverNegative) {
  EXPECT_EQ(truncate_us(0), 0u);
  EXPECT_EQ(truncate_us(0.999), 0u);
  EXPECT_EQ(truncate_us(1234.999), 1234u);
  EXPECT_EQ(truncate_us(-0.1), 0u);
  EXPECT_EQ(truncate_us(-1e30), 0u);
  EXPECT_EQ(truncate_us(std::nan("")), 0u);
  EXPECT_EQ(truncate_us(std::numeric_limits<double>::infinity()),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(truncate_us(18446744073709551616.0), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(truncate_us(9223372036854775808.0), 1ULL << 63);
}

TEST(Values, WorkloadIdsAreLowXorHigh) {
  std::array<std::uint8_t, 16> uuid{};
  uuid[0] = 0x01;
  uuid[7] = 0x80;
  uuid[8] = 0x02;
  EXPECT_EQ(fold_neff_uuid(uuid), 0x8000000000000003ULL);
  EXPECT_EQ(fold_neff_uuid(std::array<std::uint8_t, 16>{}), 0u);
  EXPECT_EQ(kmetric_fold_neff_uuid(uuid.data()), 0x8000000000000003ULL);
  EXPECT_EQ(kmetric_fold_neff_uuid(nullptr), 0u);
}

TEST(Values, VersionsAreParsed) {
  const auto version = parse_version("2.31.24.0");
  ASSERT_TRUE(version);
  EXPECT_EQ(version->major, 2);
  EXPECT_EQ(version->minor, 31);
  EXPECT_EQ(version->build, 24u);
  for (const char* good : {"0.0.0", "255.255.4294967295", "1.2.3-rc1", "1.2.3+g12", "1.2.3.4.5"})
    EXPECT_TRUE(parse_version(good)) << good;
  for (const char* bad : {"", "1", "1.2", "1.2.", "1..3", "256.0.0", "0.256.0", "0.0.4294967296",
                          "1.2.3x", "-1.2.3", " 1.2.3", "v1.2.3", "1,2,3"})
    EXPECT_FALSE(parse_version(bad)) << bad;
}

}  // namespace
}  // namespace ndtel::test
