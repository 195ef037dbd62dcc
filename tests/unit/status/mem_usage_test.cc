// SPDX-License-Identifier: Apache-2.0
//
// The table of memory usages, all 22 at both locations.
#include <gtest/gtest.h>

#include "ndtel/kmetric.hpp"

namespace ndtel::test {
namespace {

struct Row {
  int host, device, slot;  // slot: 0 code, 1 tensors, 2 constants, 3 scratchpad, 4 misc
};

constexpr Row kRows[22] = {
    {4, 12, 4},  {1, 8, 0},   {1, 8, 0},   {4, 12, 4},  {1, 8, 0},   {4, 12, 4},
    {3, 10, 2},  {6, 16, 4},  {4, 12, 4},  {1, 8, 0},   {1, 8, 0},   {20, 11, 3},
    {2, 9, 1},   {1, 8, 0},   {4, 12, 4},  {20, 14, 4}, {20, 15, 3}, {4, 12, 4},
    {17, 18, 4}, {17, 18, 4}, {17, 18, 4}, {17, 18, 4},
};

TEST(MemUsage, AllTwentyTwoAtBothLocations) {
  for (int usage = 0; usage < 22; ++usage) {
    const Row& row = kRows[usage];
    const auto device = mem_usage_counter(usage, TDRV_MEM_LOCATION_DEVICE);
    ASSERT_TRUE(device) << usage;
    EXPECT_TRUE(device->on_device);
    EXPECT_EQ(device->counter, 22u + static_cast<unsigned>(row.slot)) << usage;
    EXPECT_EQ(mem_usage_category(usage, TDRV_MEM_LOCATION_DEVICE), row.device) << usage;

    const auto host = mem_usage_counter(usage, TDRV_MEM_LOCATION_HOST);
    ASSERT_EQ(host.has_value(), row.host != 20) << usage;
    if (!host) continue;
    EXPECT_FALSE(host->on_device);
    EXPECT_EQ(host->counter, 6u + static_cast<unsigned>(row.slot)) << usage;
    EXPECT_EQ(mem_usage_category(usage, TDRV_MEM_LOCATION_HOST), row.host) << usage;
  }
}

TEST(MemUsage, OutsideTheTableIsNothing) {
  for (int usage : {-1, 22, 23, 1000}) {
    EXPECT_FALSE(mem_usage_counter(usage, TDRV_MEM_LOCATION_DEVICE));
    EXPECT_FALSE(mem_usage_category(usage, TDRV_MEM_LOCATION_HOST));
  }
  for (int location : {-1, 2}) EXPECT_FALSE(mem_usage_counter(0, location));
}

}  // namespace
}  // namespace ndtel::test
