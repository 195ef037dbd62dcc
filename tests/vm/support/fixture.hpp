// SPDX-License-Identifier: Apache-2.0
//
// The usual surroundings of a test: a freshly loaded module with two simulated devices, and proof
// at the end that nothing was left behind.
#ifndef NDTEL_TESTS_VM_SUPPORT_FIXTURE_HPP
#define NDTEL_TESTS_VM_SUPPORT_FIXTURE_HPP

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/debugfs.hpp"
#include "support/module.hpp"

namespace ndtel::vm {

/// Loads the module for each test. Posting goes to trace events; the period is so long that no
/// tick comes unless the test asks for one. TearDown requires that no slab is left, that the books
/// of every row balance, and that the module can be unloaded.
class ModuleTest : public ::testing::Test {
 protected:
  explicit ModuleTest(std::string parameters =
                          "sim_devices=2 nmetric_log_posts=2 nmetric_metric_post_delay=3600000")
      : parameters_(std::move(parameters)) {}

  void SetUp() override;
  void TearDown() override;

  Module& module() { return *module_; }

  /// Waits until no device has a slab, owned or lingering.
  static ::testing::AssertionResult no_slabs_left();
  /// Every row of every device's books.
  static ::testing::AssertionResult books_balance();

 private:
  std::string parameters_;
  std::optional<Module> module_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_FIXTURE_HPP
