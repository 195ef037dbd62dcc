// SPDX-License-Identifier: Apache-2.0
//
// Runs the KUnit suite of the core, on kernels that have KUnit.

#include <gtest/gtest.h>

#include <string>

#include "../support/file.hpp"
#include "../support/module.hpp"

namespace ndtel::vm {
namespace {

TEST(Kunit, CorePassesInsideTheKernel) {
  if (!exists("/sys/kernel/debug/kunit")) GTEST_SKIP() << "this kernel has no KUnit";
  const Module suite("", "ndtel_core_kunit");
  const auto results = read_file("/sys/kernel/debug/kunit/ndtel_core/results");
  ASSERT_TRUE(results.has_value());
  EXPECT_EQ(results->find("not ok"), std::string::npos) << *results;
  EXPECT_NE(results->find("ok 5 "), std::string::npos) << *results;
}

}  // namespace
}  // namespace ndtel::vm
