// SPDX-License-Identifier: Apache-2.0
#include "nodes.hpp"

#include <gtest/gtest.h>

namespace ndtel::cli {
namespace {

TEST(LockMap, NamesItsCores) {
  EXPECT_TRUE(cores_in(0).empty());
  EXPECT_EQ(cores_in(0x81), (std::vector<unsigned>{0, 7}));
  EXPECT_EQ(cores_in(0xFF).size(), 8U);
}

}  // namespace
}  // namespace ndtel::cli
