// SPDX-License-Identifier: Apache-2.0
//
// Performance profiles and throttling notifications: set in the firmware or not at all, and what is
// announced is what the firmware took.
#include <gtest/gtest.h>

#include "ioctl_test.hpp"
#include "support/eventually.hpp"
#include "support/firmware.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kCwProfile = 56;

class IoctlProfile : public IoctlTest {
 protected:
  IoctlProfile() : IoctlTest("nmetric_log_posts=1 fwio_timeout_ms=300") {}

  static int set(const Node& node, std::uint32_t profile) {
    nd_ioctl_power_profile request{.sz = 8, .ctrl = 0, .profile = profile};
    return node.control(ND_IOC_POWER_PROFILE, &request);
  }
  /// The profile in force, or -errno.
  static int get(const Node& node) {
    auto answer = patterned<nd_ioctl_performance_profile>();
    answer.sz = 8;
    const int result = node.control(ND_IOC_GET_PERFORMANCE_PROFILE, &answer);
    if (result != 0) return result;
    EXPECT_EQ(answer.sz, 8u);
    EXPECT_EQ(answer.pad, 0u);
    return static_cast<int>(answer.profile);
  }
  static int throttling(const Node& node, std::uint32_t enable) {
    return node.control(ND_IOC_THROTTLING_NOTIFICATIONS, &enable);
  }
  /// What the next post of the device says about its profile.
  std::string announced(const Firmware& firmware) {
    const auto before = firmware.posts().size();
    EXPECT_EQ(module().set_parameter("nmetric_metric_post_delay", "100"), 0);
    std::string text = "never";
    EXPECT_TRUE(eventually([&] {
      const auto posts = firmware.posts();
      for (auto i = before; i < posts.size(); ++i) {
        for (const auto& found : posts[i].texts(kCwProfile)) text = found;
      }
      return text != "never";
    }));
    EXPECT_EQ(module().set_parameter("nmetric_metric_post_delay", "3600000"), 0);
    return text;
  }
};

TEST_F(IoctlProfile, SetOneIsInForceAndAnnounced) {
  const Firmware firmware(1);
  const Node node(1);
  EXPECT_EQ(get(node), 0);
  EXPECT_EQ(set(node, 2), 0);
  EXPECT_EQ(firmware.state().at("profile"), 2u);
  EXPECT_EQ(get(node), 2);
  EXPECT_EQ(announced(firmware), "2");
}

TEST_F(IoctlProfile, RefusedOneIsAnErrorAndNotAnnounced) {
  const Firmware firmware(1);
  const Node node(1);
  firmware.set("fail", kForEver);
  EXPECT_EQ(set(node, 2), -EREMOTEIO);
  firmware.heal();
  EXPECT_EQ(get(node), 0);
  EXPECT_EQ(announced(firmware), "0");
}

TEST_F(IoctlProfile, UnansweredOneIsAnErrorAndNotAnnounced) {
  const Firmware firmware(1);
  const Node node(1);
  firmware.set("ignore_requests", kForEver);
  EXPECT_EQ(set(node, 1), -ETIMEDOUT);
  EXPECT_EQ(get(node), -ETIMEDOUT);
  firmware.heal();
  EXPECT_EQ(get(node), 0);
  EXPECT_EQ(announced(firmware), "0");
}

TEST_F(IoctlProfile, ArgumentsThatDoNotFitAreRefused) {
  const Firmware firmware(1);
  const Node node(1);
  for (const std::uint16_t sz : {0, 7, 9, 16, 0xFFFF}) {
    nd_ioctl_power_profile request{.sz = sz, .ctrl = 0, .profile = 1};
    EXPECT_EQ(node.control(ND_IOC_POWER_PROFILE, &request), -ENXIO) << sz;
    nd_ioctl_performance_profile current{.sz = sz, .pad = 0, .profile = 9};
    EXPECT_EQ(node.control(ND_IOC_GET_PERFORMANCE_PROFILE, &current), -ENXIO) << sz;
    EXPECT_EQ(current.profile, 9u);
    auto all = patterned<nd_ioctl_perf_profiles>();
    all.sz = sz;
    EXPECT_EQ(node.control(ND_IOC_AVAILABLE_PERF_PROFILES, &all), -ENXIO) << sz;
    EXPECT_EQ(all.count, 0xA5);
  }
  nd_ioctl_power_profile request{.sz = 8, .ctrl = 1, .profile = 1};
  EXPECT_EQ(node.control(ND_IOC_POWER_PROFILE, &request), -kNotSupported);
  EXPECT_EQ(set(node, 256), -EINVAL);
  EXPECT_EQ(set(node, 0xFFFFFFFF), -EINVAL);
  EXPECT_EQ(firmware.state().at("requests3"), 0u);
}

TEST_F(IoctlProfile, AvailableOnesAreABitmap) {
  const Firmware firmware(2);
  firmware.set("profiles", 10);
  auto all = patterned<nd_ioctl_perf_profiles>();
  all.sz = 36;
  ASSERT_EQ(Node(2).control(ND_IOC_AVAILABLE_PERF_PROFILES, &all), 0);
  EXPECT_EQ(all.sz, 36u);
  EXPECT_EQ(all.count, 10u);
  EXPECT_EQ(all.bitmap[0], 0xFF);
  EXPECT_EQ(all.bitmap[1], 0x03);
  for (std::size_t i = 2; i < sizeof all.bitmap; ++i) EXPECT_EQ(all.bitmap[i], 0u) << i;
  EXPECT_EQ(all.pad, 0u);
}

// A refused question leaves the caller's answer alone.
TEST_F(IoctlProfile, FailedQuestionsWriteNothing) {
  const Firmware firmware(1);
  const Node node(1);
  firmware.set("fail", kForEver);
  auto all = patterned<nd_ioctl_perf_profiles>();
  all.sz = 36;
  EXPECT_EQ(node.control(ND_IOC_AVAILABLE_PERF_PROFILES, &all), -EREMOTEIO);
  EXPECT_EQ(all.count, 0xA5);
  EXPECT_EQ(get(node), -EREMOTEIO);
}

// On V2 setting does nothing, whatever is set; there is no profile to ask for.
TEST_F(IoctlProfile, V2HasNone) {
  const Firmware firmware(0);
  const Node node(0);
  EXPECT_EQ(set(node, 3), 0);
  EXPECT_EQ(set(node, 300), 0);
  EXPECT_EQ(get(node), -EOPNOTSUPP);
  auto all = patterned<nd_ioctl_perf_profiles>();
  all.sz = 36;
  EXPECT_EQ(node.control(ND_IOC_AVAILABLE_PERF_PROFILES, &all), -EOPNOTSUPP);
  EXPECT_EQ(firmware.state().at("requests3"), 0u);
  EXPECT_EQ(firmware.state().at("requests4"), 0u);
}

TEST_F(IoctlProfile, ThrottlingNotificationsAreSwitched) {
  const Firmware firmware(1);
  const Node node(1);
  EXPECT_EQ(throttling(node, 1), 0);
  EXPECT_EQ(firmware.state().at("feature"), 1u);
  for (const std::uint32_t enable : {2u, 0x100u, 0xFFFFFFFFu}) {
    EXPECT_EQ(throttling(node, enable), -EINVAL) << enable;
  }
  EXPECT_EQ(firmware.state().at("feature"), 1u);
  EXPECT_EQ(throttling(node, 0), 0);
  EXPECT_EQ(firmware.state().at("feature"), 0u);
}

TEST_F(IoctlProfile, RefusedThrottlingIsAnError) {
  const Firmware firmware(1);
  const Node node(1);
  firmware.set("fail", kForEver);
  EXPECT_EQ(throttling(node, 1), -EREMOTEIO);
  firmware.heal();
  firmware.set("ignore_requests", kForEver);
  EXPECT_EQ(throttling(node, 1), -ETIMEDOUT);
  firmware.heal();
  EXPECT_EQ(firmware.state().at("feature"), 0u);
  EXPECT_EQ(throttling(node, 1), 0);
}

}  // namespace
}  // namespace ndtel::vm
