// SPDX-License-Identifier: Apache-2.0
//
// A device goes while its firmware is silent: soon, and with its counts booked as removed.
#include "firmware_test.hpp"

namespace ndtel::vm {
namespace {

using FirmwareRemoval = FirmwareTest;

TEST_F(FirmwareRemoval, DeviceWithASilentFirmwareGoesSoon) {
  const Firmware firmware;
  // As patient as real ones are: a whole exchange would take four seconds.
  set("fwio_timeout_ms", "0");
  firmware.set("ignore_requests", kForEver);
  {
    const Node node(0);
    const auto slab = node.map_slab();
    ASSERT_TRUE(slab.valid());
    slab.add_nc(0, kCompleted, 3);
    period(kShortPeriod);
    EXPECT_TRUE(eventually([&] { return firmware.mailbox().at("calls") >= 1; }));
    const double begin = monotonic_s();
    EXPECT_EQ(module().del_device(0), 0);
    EXPECT_LT(monotonic_s() - begin, 30.0);
  }
  period(kLongPeriod);
}

TEST_F(FirmwareRemoval, WhatIsPendingReachesTheFirmwareFirst) {
  Trace trace(Events::kPostNd);
  {
    const Node node(0);
    const auto slab = node.map_slab();
    ASSERT_TRUE(slab.valid());
    slab.add_nc(0, kCompleted, 3);
    slab.add_nc(0, kAborts, 4);
  }
  EXPECT_EQ(module().del_device(0), 0);
  std::uint64_t ok = 0, aborts = 0;
  trace.read();
  for (const auto& event : trace.posts(0, kOk)) {
    if (event.sink == NMETRIC_SINK_FWIO && event.result == NMETRIC_ACCEPTED) ok += event.number();
  }
  for (const auto& event : trace.posts(0, kDmaAbort)) {
    if (event.sink == NMETRIC_SINK_FWIO && event.result == NMETRIC_ACCEPTED) {
      aborts += event.number();
    }
  }
  EXPECT_EQ(ok, 3u);
  EXPECT_EQ(aborts, 4u);
}

}  // namespace
}  // namespace ndtel::vm
