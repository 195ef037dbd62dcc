// SPDX-License-Identifier: Apache-2.0
//
// Where counters lie in the slab: the three bands.
#include <set>

#include "slab_fixture.hpp"

namespace ndtel::test {
namespace {

TEST(Layout, BandsMatchTheCheckValues) {
  EXPECT_EQ(nds_nd_word(3) * 8, 0x020);
  EXPECT_EQ(nds_nc_word(2, 1) * 8, 0x2F8);
  EXPECT_EQ(nds_nc_word(1, 32) * 8, 0xDC88);
  EXPECT_EQ(nds_nc_word(7, 29) * 8, 0xEC68);
  EXPECT_EQ(nds_nc_word(5, 36), 7248 + 96 + 36);
  EXPECT_EQ(nds_nc_word(3, 36), 6992 + 192 + 5);
}

TEST(Layout, EveryCounterHasItsOwnWordInsideItsBand) {
  std::set<int> words;
  for (std::uint32_t counter = 0; counter < NDS_ND_COUNTER_COUNT; ++counter) {
    const int word = nds_nd_word(counter);
    EXPECT_GE(word * 8, NDS_ND_OFFSET);
    EXPECT_LT(word * 8, NDS_NC_OFFSET);
    EXPECT_TRUE(words.insert(word).second) << "device counter " << counter;
  }
  for (std::uint32_t core = 0; core < NDS_MAX_NC; ++core) {
    for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter) {
      const int offset = nds_nc_word(core, counter) * 8;
      const bool narrow = offset >= NDS_NC_OFFSET && offset < NDS_PROCESS_INFO_OFFSET;
      const bool extended = offset >= NDS_EXT_OFFSET && offset < NDS_WIDE_OFFSET;
      const bool wide = offset >= NDS_WIDE_OFFSET && offset < static_cast<int>(NDS_USED_SIZE);
      EXPECT_EQ(narrow, core < 4 && counter < NDS_NC_COUNTER_BASE) << core << '/' << counter;
      EXPECT_EQ(extended, core < 4 && counter >= NDS_NC_COUNTER_BASE) << core << '/' << counter;
      EXPECT_EQ(wide, core >= 4) << core << '/' << counter;
      EXPECT_TRUE(words.insert(offset / 8).second) << core << '/' << counter;
    }
  }
  EXPECT_EQ(words.size(), 31u + 16u * 95u);
}

using LayoutOf = SlabTest;

TEST_F(LayoutOf, IncrementTouchesExactlyTheWordOfItsCounter) {
  for (std::uint32_t core = 0; core < NDS_MAX_NC; ++core) {
    for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter)
      ASSERT_EQ(instance.increment(core, counter, 1 + core * 100 + counter), 0);
  }
  for (std::uint32_t counter = 0; counter < NDS_ND_COUNTER_COUNT; ++counter)
    ASSERT_EQ(instance.increment_nd(counter, 5000 + counter), 0);

  std::uint64_t sum = 0;
  for (std::size_t offset = 8; offset < NDS_SLAB_SIZE; offset += 8) sum += memory.word(offset);
  std::uint64_t expected = 0;
  for (std::uint32_t core = 0; core < NDS_MAX_NC; ++core) {
    for (std::uint32_t counter = 0; counter < NDS_NC_COUNTER_COUNT; ++counter) {
      const std::uint64_t value = 1 + core * 100 + counter;
      expected += value;
      EXPECT_EQ(memory.word(static_cast<std::size_t>(nds_nc_word(core, counter)) * 8), value);
    }
  }
  for (std::uint32_t counter = 0; counter < NDS_ND_COUNTER_COUNT; ++counter) {
    expected += 5000 + counter;
    EXPECT_EQ(memory.word(static_cast<std::size_t>(nds_nd_word(counter)) * 8), 5000 + counter);
  }
  EXPECT_EQ(sum, expected) << "something outside the counters was written";
}

TEST(Layout, NamesAreThoseOfTheContractAndEndWithTheNamedOnes) {
  EXPECT_EQ(nc_counter_name(NDS_NC_COUNTER_TIME_IN_USE), "TIME_IN_USE");
  EXPECT_EQ(nc_counter_name(NDS_EXT_NC_COUNTER_HW_ERR_REPAIRABLE_HBM_UE),
            "HW_ERR_REPAIRABLE_HBM_UE");
  EXPECT_EQ(nd_counter_name(NDS_ND_COUNTER_AGG_NEFF_ID), "AGG_NEFF_ID");
  for (std::uint32_t counter = 0; counter < 128; ++counter) {
    EXPECT_EQ(nc_counter_name(counter).empty(), counter >= NDS_NC_COUNTER_NAMED) << counter;
    EXPECT_EQ(nd_counter_name(counter).empty(), counter >= NDS_ND_COUNTER_NAMED) << counter;
  }
}

}  // namespace
}  // namespace ndtel::test
