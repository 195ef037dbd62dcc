// SPDX-License-Identifier: Apache-2.0
//
// The line of stats/power/utilization, byte for byte.

#include <string>

#include "sampler.hpp"

namespace ndtel::test {
namespace {

std::string Line(const npower_report& report) {
  char line[NPOWER_LINE_MAX];
  int n = npower_format(&report, line, sizeof(line));
  EXPECT_GT(n, 0);
  EXPECT_EQ(std::string(line).size(), static_cast<std::size_t>(n));
  return line;
}

TEST(PowerFormat, ValidWindow) {
  EXPECT_EQ(Line({NPOWER_VALID, 1767225660, 307, 8750, 4122}),
            "POWER_STATUS_VALID,1767225660,3.07,87.50,41.22\n");
  EXPECT_EQ(Line({NPOWER_VALID, 1, 0, 10000, 5}), "POWER_STATUS_VALID,1,0.00,100.00,0.05\n");
}

TEST(PowerFormat, K15BeforeTheFirstWindow) {
  EXPECT_EQ(Line(Sampler().report()), "POWER_STATUS_NO_DATA,0,0.00,0.00,0.00\n");
}

TEST(PowerFormat, EveryStatusHasItsName) {
  EXPECT_STREQ(npower_status_name(0), "POWER_STATUS_VALID");
  EXPECT_STREQ(npower_status_name(1), "POWER_STATUS_NO_DATA");
  EXPECT_STREQ(npower_status_name(2), "POWER_STATUS_INVALID");
  EXPECT_STREQ(npower_status_name(3), "POWER_STATUS_MAX");
  EXPECT_STREQ(npower_status_name(4), "POWER_STATUS_MAX");
  EXPECT_STREQ(npower_status_name(~0U), "POWER_STATUS_MAX");
}

TEST(PowerFormat, LongestLineFits) {
  std::string line = Line({NPOWER_NO_DATA, ~u64{0}, ~0U, ~0U, ~0U});
  EXPECT_EQ(line,
            "POWER_STATUS_NO_DATA,18446744073709551615,42949672.95,42949672.95,42949672.95\n");
}

TEST(PowerFormat, EverySmallerBufferIsRefusedAndLeftEmpty) {
  const std::string want = "POWER_STATUS_NO_DATA,0,0.00,0.00,0.00\n";
  npower_report report = Sampler().report();
  for (std::size_t size = 1; size <= want.size(); size++) {
    std::string buffer(size + 1, '#');
    EXPECT_EQ(npower_format(&report, buffer.data(), size), -ENOSPC) << size;
    EXPECT_EQ(buffer[0], '\0');
    EXPECT_EQ(buffer[size], '#') << "never beyond its size";
  }
  char untouched = '#';
  EXPECT_EQ(npower_format(&report, &untouched, 0), -ENOSPC);
  EXPECT_EQ(untouched, '#');
  std::string buffer(want.size() + 1, '#');
  EXPECT_EQ(npower_format(&report, buffer.data(), buffer.size()), static_cast<int>(want.size()));
}

TEST(PowerFormat, NothingToPrintOrNowhere) {
  npower_report report = Sampler().report();
  char line[NPOWER_LINE_MAX];
  EXPECT_EQ(npower_format(nullptr, line, sizeof(line)), -EINVAL);
  EXPECT_EQ(npower_format(&report, nullptr, sizeof(line)), -EINVAL);
}

}  // namespace
}  // namespace ndtel::test
