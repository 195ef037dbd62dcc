// SPDX-License-Identifier: Apache-2.0
//
// What the tests of resets share: one device whose firmware can be told how to take them.
#ifndef NDTEL_TESTS_VM_RESET_RESET_TEST_HPP
#define NDTEL_TESTS_VM_RESET_RESET_TEST_HPP

#include <ndtel/cw.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/debugfs.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/firmware.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/posting.hpp"

namespace ndtel::vm {

class ResetTest : public ModuleTest {
 protected:
  explicit ResetTest(const std::string& more = "")
      : ModuleTest("sim_devices=1 nmetric_log_posts=3 nmetric_metric_post_delay=3600000 " + more) {}

  void SetUp() override {
    ModuleTest::SetUp();
    // The first reset is over.
    ASSERT_TRUE(becomes(ND_STATE_READY));
  }

  static std::string file() {
    return "/sys/class/" + default_namespace() + "_device/" + default_namespace() + "0/reset";
  }
  static int state() { return std::stoi(read_file(file()).value_or("-1")); }
  static bool becomes(int wanted) {
    return eventually([&] { return state() == wanted; });
  }
  /// Asks for a reset of the whole device: 0 or -errno.
  static int reset() { return write_file(file(), "1"); }
  void period(std::chrono::milliseconds period) {
    ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", std::to_string(period.count())),
              0);
  }
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_RESET_RESET_TEST_HPP
