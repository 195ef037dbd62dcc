// SPDX-License-Identifier: Apache-2.0
//
// Names and priorities, exhaustively, against a second source: the names as text and the priority
// rule as a cascade.
#include "ndtel/status.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

namespace ndtel::test {
namespace {

const std::map<std::uint32_t, std::string> kNames = {
    {0, "NRT_SUCCESS"},
    {1, "NRT_FAILURE"},
    {2, "NRT_INVALID"},
    {3, "NRT_INVALID_HANDLE"},
    {4, "NRT_RESOURCE"},
    {5, "NRT_TIMEOUT"},
    {6, "NRT_HW_ERROR"},
    {7, "NRT_QUEUE_FULL"},
    {9, "NRT_LOAD_NOT_ENOUGH_NC"},
    {10, "NRT_UNSUPPORTED_NEFF_VERSION"},
    {11, "NRT_FAIL_HOST_MEM_ALLOC"},
    {13, "NRT_UNINITIALIZED"},
    {14, "NRT_CLOSED"},
    {15, "NRT_QUEUE_EMPTY"},
    {101, "NRT_EXEC_UNIT_UNRECOVERABLE"},
    {1002, "NRT_EXEC_BAD_INPUT"},
    {1003, "NRT_EXEC_COMPLETED_WITH_NUM_ERR"},
    {1004, "NRT_EXEC_COMPLETED_WITH_ERR"},
    {1005, "NRT_EXEC_NC_BUSY"},
    {1006, "NRT_EXEC_OOB"},
    {1100, "NRT_COLL_PENDING"},
    {1200, "NRT_EXEC_HW_ERR_COLLECTIVES"},
    {1201, "NRT_EXEC_HW_ERR_HBM_UE"},
    {1202, "NRT_EXEC_HW_ERR_NC_UE"},
    {1203, "NRT_EXEC_HW_ERR_DMA_ABORT"},
    {1204, "NRT_EXEC_SW_NQ_OVERFLOW"},
    {1205, "NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE"},
    {1206, "NRT_NETWORK_PROXY_FAILURE"},
};

int cascade(std::uint32_t s) {
  if (s == 1004 || s == 1205) return 3;
  if (s > 1205) return s == 1206 ? 2 : 1;
  if (s > 1004) return s == 1204 ? 2 : (s < 1200 ? 1 : 3);
  if (s == 0) return 0;
  return s == 5 || s == 6 ? 2 : 1;
}

TEST(Status, NamesOfAllCodesAndUnknownForEveryOther) {
  ASSERT_EQ(kNames.size(), 28u);
  for (std::uint32_t code = 0; code < 2000; ++code) {
    const auto it = kNames.find(code);
    const std::string expected = it == kNames.end() ? "UNKNOWN" : it->second;
    EXPECT_EQ(status_name(code), expected);
    EXPECT_EQ(nrt_get_status_as_str(static_cast<NRT_STATUS>(code)), expected);
  }
  for (std::uint32_t code : {8u, 12u, 16u, 100u, 1007u, 1199u, 1207u, 0xFFFFFFFFu})
    EXPECT_STREQ(nrt_get_status_as_str(static_cast<NRT_STATUS>(code)), "UNKNOWN") << code;
}

TEST(Status, PrioritiesFollowTheCascade) {
  for (const auto& [code, name] : kNames) EXPECT_EQ(status_priority(code), cascade(code)) << name;
  for (std::uint32_t code : {16u, 1003u, 1005u, 1199u, 1203u, 1207u, 0x80000000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(nrt_get_status_priority(static_cast<NRT_STATUS>(code)), cascade(code)) << code;
  }
  EXPECT_EQ(nrt_get_status_priority(NRT_EXEC_UNIT_UNRECOVERABLE), NRT_PRIORITY_MEDIUM);
  EXPECT_EQ(nrt_get_status_priority(NRT_EXEC_COMPLETED_WITH_NUM_ERR), NRT_PRIORITY_MEDIUM);
  EXPECT_EQ(nrt_get_status_priority(NRT_EXEC_COMPLETED_WITH_ERR), NRT_PRIORITY_CRITICAL);
  EXPECT_EQ(nrt_get_status_priority(NRT_NETWORK_PROXY_FAILURE), NRT_PRIORITY_HIGH);
}

TEST(Status, TheWorstOfSeveralCoresWinsAndTiesKeepTheFirst) {
  const auto worst = [](auto... statuses) {
    return worst_status(std::array<NRT_STATUS, sizeof...(statuses)>{statuses...});
  };
  EXPECT_EQ(worst(NRT_SUCCESS, NRT_EXEC_COMPLETED_WITH_NUM_ERR), NRT_EXEC_COMPLETED_WITH_NUM_ERR);
  EXPECT_EQ(worst(NRT_EXEC_COMPLETED_WITH_NUM_ERR, NRT_EXEC_COMPLETED_WITH_ERR),
            NRT_EXEC_COMPLETED_WITH_ERR);
  EXPECT_EQ(worst(NRT_TIMEOUT, NRT_EXEC_SW_NQ_OVERFLOW), NRT_TIMEOUT);
  EXPECT_EQ(worst(NRT_EXEC_SW_NQ_OVERFLOW, NRT_TIMEOUT), NRT_EXEC_SW_NQ_OVERFLOW);
  EXPECT_EQ(worst(NRT_SUCCESS, NRT_SUCCESS), NRT_SUCCESS);
  EXPECT_EQ(worst_status({}), NRT_SUCCESS);
}

}  // namespace
}  // namespace ndtel::test
