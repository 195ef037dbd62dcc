// SPDX-License-Identifier: Apache-2.0
//
// What the tests of sinks share.
#ifndef NDTEL_TESTS_VM_SINKS_SINKS_TEST_HPP
#define NDTEL_TESTS_VM_SINKS_SINKS_TEST_HPP

#include <chrono>
#include <string>
#include <thread>

#include "support/child.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/posting.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {

inline constexpr unsigned kOk = 200;        // tick 0
inline constexpr unsigned kDmaAbort = 224;  // tick 1
inline constexpr std::uint32_t kCompleted = NDS_NC_COUNTER_INFER_COMPLETED;
inline constexpr std::uint32_t kAborts = NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT;

class SinksTest : public ModuleTest {
 protected:
  SinksTest() : ModuleTest("sim_devices=1 nmetric_log_posts=2 nmetric_metric_post_delay=3600000") {}

  void set(const std::string& parameter, const std::string& value) {
    ASSERT_EQ(module().set_parameter(parameter, value), 0);
  }
  void sinks(const std::string& bits) { set("nmetric_log_posts", bits); }
  void period(std::chrono::milliseconds period) {
    set("nmetric_metric_post_delay", std::to_string(period.count()));
  }
  /// Lets several intervals pass, in which posts could come.
  static void let_intervals_pass() { std::this_thread::sleep_for(5 * kShortPeriod); }
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SINKS_SINKS_TEST_HPP
