// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the way to firmware share.
#ifndef NDTEL_TESTS_VM_FIRMWARE_FIRMWARE_TEST_HPP
#define NDTEL_TESTS_VM_FIRMWARE_FIRMWARE_TEST_HPP

#include <ndtel/cw.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/debugfs.hpp"
#include "support/eventually.hpp"
#include "support/firmware.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"
#include "support/posting.hpp"

namespace ndtel::vm {

inline constexpr unsigned kOk = 200;        // tick 0
inline constexpr unsigned kDmaAbort = 224;  // tick 1
inline constexpr std::uint32_t kCompleted = NDS_NC_COUNTER_INFER_COMPLETED;
inline constexpr std::uint32_t kAborts = NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT;

/// One simulated device; both sinks on; calls to firmware take 300 ms at most.
class FirmwareTest : public ModuleTest {
 protected:
  explicit FirmwareTest(const std::string& more = "")
      : ModuleTest(
            "sim_devices=1 nmetric_log_posts=3 nmetric_metric_post_delay=3600000 "
            "fwio_timeout_ms=300 " +
            more) {}

  void set(const std::string& parameter, const std::string& value) {
    ASSERT_EQ(module().set_parameter(parameter, value), 0);
  }
  void period(std::chrono::milliseconds period) {
    set("nmetric_metric_post_delay", std::to_string(period.count()));
  }

  /// For every row that adds up: confirmed <= received <= confirmed + unknown, and the books
  /// balance.
  static ::testing::AssertionResult agrees(const Firmware& firmware) {
    for (const auto& row : Debugfs().books()) {
      if (!row.conserved()) return ::testing::AssertionFailure() << row;
      // A percentage is received where picoseconds are booked.
      if (row.sink != "fwio" || row.cw == NMETRIC_CW_ID_NC_UTILIZATION) continue;
      const auto received = firmware.received(row.cw);
      if (row.confirmed > received || received > row.confirmed + row.unknown) {
        return ::testing::AssertionFailure() << "received " << received << ": " << row;
      }
    }
    return ::testing::AssertionSuccess();
  }

  /// Stops posting and waits until what is on its way has ended one way or the other.
  void expect_agreement_at_rest(const Firmware& firmware) {
    period(kLongPeriod);
    ::testing::AssertionResult last = ::testing::AssertionSuccess();
    eventually([&] { return static_cast<bool>(last = agrees(firmware)); });
    EXPECT_TRUE(last);
  }

  /// With the firmware well again everything pending arrives.
  void expect_recovery(const Firmware& firmware) {
    firmware.heal();
    period(kShortPeriod);
    EXPECT_TRUE(eventually([] {
      for (const auto& row : Debugfs().books()) {
        if (row.cw != NMETRIC_CW_ID_NC_UTILIZATION && row.pending != 0) return false;
      }
      return true;
    })) << Debugfs().books_of(kOk, "fwio");
    expect_agreement_at_rest(firmware);
  }
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_FIRMWARE_FIRMWARE_TEST_HPP
