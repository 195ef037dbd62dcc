// SPDX-License-Identifier: Apache-2.0
//
// Hardware error words to subtypes and statuses.
#include <gtest/gtest.h>

#include "ndtel/status.hpp"

namespace ndtel::test {
namespace {

constexpr std::uint64_t word(std::uint32_t id, std::uint32_t mask = 0) {
  return id | std::uint64_t{mask} << 8;
}

TEST(ErrorDecode, IdsMapToSubtypes) {
  // A full mask keeps both overrides away.
  const std::uint32_t expected[] = {0, 1, 0, 0, 3, 4, 5, 6, 7, 2, 8, 0, 0};
  for (std::uint32_t id = 0; id <= 12; ++id)
    EXPECT_EQ(static_cast<std::uint32_t>(decode_error(word(id, 0xFFFF))), expected[id]) << id;
  for (std::uint32_t id = 12; id <= 255; ++id)
    EXPECT_EQ(decode_error(word(id, 0xFFFF)), ErrorSubtype::kNone) << id;
}

TEST(ErrorDecode, AMemoryErrorWithoutUncorrectedBitsIsTransient) {
  EXPECT_EQ(decode_error(word(4, 0)), ErrorSubtype::kTransient);
  EXPECT_EQ(decode_error(word(4, 0x0001)), ErrorSubtype::kMemory);
  for (std::uint32_t bit = 0; bit < 16; ++bit) {
    const bool uncorrected = (0xFD6B >> bit & 1) != 0;
    EXPECT_EQ(decode_error(word(4, 1u << bit)),
              uncorrected ? ErrorSubtype::kMemory : ErrorSubtype::kTransient)
        << bit;
  }
}

TEST(ErrorDecode, ANanSeenOnlyBySpuriousBitsIsNone) {
  EXPECT_EQ(decode_error(word(1, 0x7E00)), ErrorSubtype::kNone);
  EXPECT_EQ(decode_error(word(1, 0x0001)), ErrorSubtype::kNumerical);
  EXPECT_EQ(decode_error(word(1, 0x7E01)), ErrorSubtype::kNumerical);
}

TEST(ErrorDecode, BitsBeyondIdAndMaskAreIgnored) {
  constexpr std::uint64_t kRest = 0xFFFFFFFFFF000000;
  EXPECT_EQ(decode_error(kRest | word(6)), ErrorSubtype::kSemaphore);
  EXPECT_EQ(decode_error(kRest | word(4, 0)), ErrorSubtype::kTransient);
}

TEST(ErrorDecode, StatusesOfWords) {
  EXPECT_EQ(error_status(word(0)), NRT_SUCCESS);
  EXPECT_EQ(error_status(word(1, 1)), NRT_EXEC_COMPLETED_WITH_NUM_ERR);
  EXPECT_EQ(error_status(word(1, 0x7E00)), NRT_SUCCESS);
  EXPECT_EQ(error_status(word(4, 0xFD6B)), NRT_EXEC_HW_ERR_NC_UE);
  EXPECT_EQ(error_status(word(4, 0)), NRT_SUCCESS) << "corrected: flag only";
  EXPECT_EQ(error_status(word(9)), NRT_EXEC_COMPLETED_WITH_ERR);
  for (std::uint32_t id : {5u, 6u, 7u, 8u, 10u})
    EXPECT_EQ(error_status(word(id)), NRT_EXEC_COMPLETED_WITH_ERR) << id;
  EXPECT_EQ(error_status(word(200)), NRT_SUCCESS);
}

TEST(ErrorDecode, SubtypesHaveNames) {
  EXPECT_EQ(error_subtype_name(3), "MEMORY_ERROR");
  EXPECT_EQ(error_subtype_name(8), "SW_SEQUENCER_ERROR");
  EXPECT_EQ(error_subtype_name(9), "NONE");
  EXPECT_EQ(error_subtype_name(0xFFFFFFFF), "NONE");
}

}  // namespace
}  // namespace ndtel::test
