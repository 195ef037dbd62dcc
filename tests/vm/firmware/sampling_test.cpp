// SPDX-License-Identifier: Apache-2.0
//
// Power is sampled on while posts wait for a firmware that does not answer.
#include <iostream>

#include "firmware_test.hpp"

namespace ndtel::vm {
namespace {

class FirmwareSampling : public FirmwareTest {
 protected:
  static std::uint64_t samples(const Firmware& firmware) {
    const auto tallies = firmware.mailbox();
    return tallies.at("power_accepted") + tallies.at("power_stale") +
           tallies.at("power_implausible") + tallies.at("power_failed");
  }
  static std::uint64_t samples_in(const Firmware& firmware, std::chrono::milliseconds duration) {
    const auto begin = samples(firmware);
    std::this_thread::sleep_for(duration);
    return samples(firmware) - begin;
  }
};

TEST_F(FirmwareSampling, SilentFirmwareCostsNoSamples) {
  const Firmware firmware;
  const auto duration = std::chrono::seconds(5);
  // As patient as real ones are.
  set("fwio_timeout_ms", "0");
  period(kShortPeriod);
  const auto responsive = samples_in(firmware, duration);
  firmware.set("ignore_requests", kForEver);
  EXPECT_TRUE(eventually([&] { return firmware.mailbox().at("silences") >= 1; }));
  const auto silent = samples_in(firmware, duration);
  std::cout << "samples in 5 s: " << responsive << " responsive, " << silent << " silent\n";
  EXPECT_GT(responsive, 20u);
  EXPECT_GE(silent * 100, responsive * 95);
  expect_recovery(firmware);
}

}  // namespace
}  // namespace ndtel::vm
