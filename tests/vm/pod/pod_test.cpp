// SPDX-License-Identifier: Apache-2.0
//
// Pods: what the platform and the election words of device 0 say, and the mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "support/child.hpp"
#include "support/eventually.hpp"
#include "support/firmware.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {
namespace {

constexpr int kNotSupported = 524;
constexpr std::uint64_t kSerial = 0x1122334455667788;

/// The status form V2, or the first form below the same name.
struct Status {
  int result = 0;
  nd_ioctl_pod_status_v2 answer{};

  std::uint32_t state() const { return answer.v1.state; }
  std::uint64_t serial() const {
    std::uint64_t value = 0;
    std::memcpy(&value, answer.v1.id, sizeof value);
    return value;
  }
};

template <typename T>
T patterned(std::uint16_t sz) {
  T value;
  std::memset(&value, 0xA5, sizeof value);
  std::memcpy(&value, &sz, sizeof sz);
  return value;
}

Status status(const Node& node) {
  Status status;
  status.answer = patterned<nd_ioctl_pod_status_v2>(276);
  status.result = node.control(ND_IOC_POD_STATUS_V2, &status.answer);
  return status;
}

struct Control {
  int result = 0;
  std::uint32_t state = 0;
  std::uint32_t mode = 0;

  bool operator==(const Control&) const = default;
};

Control control(const Node& node, std::uint32_t what, std::uint32_t mode = 0) {
  auto ctrl = patterned<nd_ioctl_pod_ctrl_v2>(20);
  ctrl.v1.control = what;
  ctrl.mode = mode;
  const int result = node.control(ND_IOC_POD_CTRL_V2, &ctrl);
  if (result != 0) return {result, 0, 0};
  EXPECT_EQ(ctrl.v1.pad, 0u);
  return {0, ctrl.v1.state, ctrl.mode};
}

int set_mode(const Node& node, std::uint32_t mode) {
  return control(node, ND_POD_CTRL_SET_MODE, mode).result;
}

class PodTest : public ModuleTest {
 protected:
  explicit PodTest(const std::string& parameters)
      : ModuleTest("nmetric_metric_post_delay=3600000 nmetric_log_posts=1 " + parameters) {}

  /// Writes the election's outcome into device 0.
  static void elect(std::uint32_t status, std::uint32_t links, std::uint32_t node,
                    std::uint32_t nodes) {
    const Firmware firmware(0);
    const auto word = status | links << 8 | node << 16 | nodes << 24;
    ASSERT_EQ(firmware.command("0x194 0x11223344"), 0);
    ASSERT_EQ(firmware.command("0x198 0x55667788"), 0);
    ASSERT_EQ(firmware.command("0x190 " + std::to_string(word)), 0);
  }
};

/// Two devices that could be part of an ultraserver.
class Ultraserver : public PodTest {
 protected:
  Ultraserver() : PodTest("sim_devices=2 sim_arch=v3 platform=ultraserver") {}
};

TEST_F(Ultraserver, BeforeTheElectionTheStatusIsBusyAndFilled) {
  for (const int flags : {O_RDWR, O_RDONLY, O_WRONLY}) {
    const auto before = status(Node(1, flags));
    EXPECT_EQ(before.result, -EBUSY);
    EXPECT_EQ(before.state(), 1u);
    EXPECT_EQ(before.answer.v1.sz, 276u);
    EXPECT_EQ(before.answer.v1.type, ND_POD_TYPE_P2P);
    EXPECT_EQ(before.answer.v1.size, 0u);
    EXPECT_EQ(before.answer.v1.node_id, -1);
    EXPECT_EQ(before.answer.v1.pad, 0u);
    EXPECT_EQ(before.answer.v1.pad1, 0u);
    EXPECT_EQ(before.answer.mode, 0u);
    EXPECT_EQ(before.answer.modes_supported, 0x10u);
    for (const auto byte : before.answer.v1.id) EXPECT_EQ(byte, 0u);
  }
}

TEST_F(Ultraserver, WordsOfDevice0AreThePods) {
  elect(3, 3, 2, 4);
  for (const int device : {0, 1}) {
    const auto elected = status(Node(device, O_WRONLY));
    EXPECT_EQ(elected.result, 0);
    EXPECT_EQ(elected.state(), ND_POD_STATE_ELECTED);
    EXPECT_EQ(elected.answer.v1.type, ND_POD_TYPE_P2P);
    EXPECT_EQ(elected.answer.v1.size, 4u);
    EXPECT_EQ(elected.answer.v1.node_id, 2);
    EXPECT_EQ(elected.serial(), kSerial);
    EXPECT_EQ(elected.answer.modes_supported, 0x1Au) << "X1, X2V, X4";
    for (std::size_t i = 8; i < 256; ++i) EXPECT_EQ(elected.answer.v1.id[i], 0u);

    auto info = patterned<nd_ioctl_pod_info>(260);
    ASSERT_EQ(Node(device, O_WRONLY).control(ND_IOC_POD_INFO, &info), 0);
    EXPECT_EQ(info.sz, 260u);
    EXPECT_EQ(info.type, ND_POD_TYPE_P2P);
    EXPECT_EQ(info.size, 4u);
    EXPECT_EQ(std::memcmp(info.id, elected.answer.v1.id, sizeof info.id), 0);
  }
}

TEST_F(Ultraserver, ModesFollowFromNodesAndLinks) {
  struct Case {
    std::uint32_t links, nodes, modes;
  };
  for (const auto& c : std::initializer_list<Case>{{3, 4, 0x1A},
                                                   {2, 4, 0x12},
                                                   {0, 4, 0x12},
                                                   {3, 2, 0x1C},
                                                   {1, 2, 0x18},
                                                   {2, 2, 0x14},
                                                   {3, 3, 0x18},
                                                   {3, 1, 0x10},
                                                   {255, 255, 0x18}}) {
    elect(3, c.links, 0, c.nodes);
    EXPECT_EQ(status(Node(0)).answer.modes_supported, c.modes)
        << "links " << c.links << " nodes " << c.nodes;
  }
}

TEST_F(Ultraserver, OtherWordsAreNoElection) {
  elect(2, 3, 0, 4);
  EXPECT_EQ(status(Node(0)).result, 0);
  EXPECT_EQ(status(Node(0)).state(), ND_POD_STATE_FAILED);
  EXPECT_EQ(status(Node(0)).answer.v1.size, 0u);
  for (const std::uint32_t word : {0u, 1u, 4u, 255u}) {
    elect(word, 3, 0, 4);
    EXPECT_EQ(status(Node(0)).result, -EBUSY) << word;
    EXPECT_EQ(status(Node(0)).state(), ND_POD_STATE_IN_PROGRESS) << word;
    EXPECT_EQ(status(Node(0)).serial(), 0u);
  }
  elect(3, 3, 0, 4);
  const Firmware firmware(0);
  for (const char* which : {"0x190 busy", "0x194 busy", "0x198 gone", "0x190 gone"}) {
    ASSERT_EQ(firmware.command(which), 0);
    EXPECT_EQ(status(Node(0)).result, -EBUSY) << which;
    EXPECT_EQ(status(Node(0)).state(), ND_POD_STATE_INIT) << which;
    ASSERT_EQ(firmware.command("all normal"), 0);
  }
  // Without device 0 nobody knows.
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_EQ(status(Node(1)).result, -EBUSY);
  EXPECT_EQ(status(Node(1)).state(), ND_POD_STATE_INIT);
}

TEST_F(Ultraserver, ModeIsSetOnceAndForAllDevices) {
  const Node node(0, O_WRONLY);
  EXPECT_EQ(set_mode(node, ND_POD_MODE_X1), -EBUSY) << "before the election";
  elect(3, 3, 1, 4);
  for (const std::uint32_t mode : {0u, 5u, 31u, 32u, 0xFFFFFFFFu}) {
    EXPECT_EQ(set_mode(node, mode), -EINVAL) << mode;
  }
  EXPECT_EQ(set_mode(node, ND_POD_MODE_X2H), -kNotSupported);
  EXPECT_EQ(control(node, ND_POD_CTRL_SET_MODE, ND_POD_MODE_X4),
            (Control{0, ND_POD_STATE_ELECTED, ND_POD_MODE_X4}));
  EXPECT_EQ(set_mode(node, ND_POD_MODE_X4), 0);
  EXPECT_EQ(set_mode(Node(1), ND_POD_MODE_X1), -EEXIST);
  EXPECT_EQ(status(Node(1)).answer.mode, ND_POD_MODE_X4);
  EXPECT_EQ(control(Node(1), ND_POD_CTRL_QUERY),
            (Control{0, ND_POD_STATE_ELECTED, ND_POD_MODE_X4}));
}

TEST_F(Ultraserver, ModeIsUnsetWithTheLastMark) {
  elect(3, 3, 1, 4);
  const Node node(0);
  nd_ioctl_nc_range range{.nc_count = 4, .start = 0, .end = 7, .max_available = 0, .bitmap = 0};
  ASSERT_EQ(node.control(ND_IOC_NC_RANGE_MARK, &range), 0);
  ASSERT_EQ(set_mode(node, ND_POD_MODE_X4), 0);
  range.bitmap = 0x7;
  ASSERT_EQ(node.control(ND_IOC_NC_RANGE_UNMARK, &range), 0);
  EXPECT_EQ(status(node).answer.mode, ND_POD_MODE_X4);
  range.bitmap = 0x8;
  ASSERT_EQ(node.control(ND_IOC_NC_RANGE_UNMARK, &range), 0);
  EXPECT_EQ(status(node).answer.mode, ND_POD_MODE_UNSET);
  EXPECT_EQ(set_mode(node, ND_POD_MODE_X1), 0);
  // Also when whoever marked dies.
  Child child([](Channel& channel) -> int {
    const Node own(1, O_WRONLY);
    nd_ioctl_nc_range all{.nc_count = 8, .start = 0, .end = 7, .max_available = 0, .bitmap = 0};
    CHILD_CHECK(own.control(ND_IOC_NC_RANGE_MARK, &all) == 0);
    channel.send();
    sleep_for_ever();
  });
  ASSERT_TRUE(child.receive());
  EXPECT_EQ(status(node).answer.mode, ND_POD_MODE_X1);
  child.kill();
  EXPECT_EQ(status(node).answer.mode, ND_POD_MODE_UNSET);
}

TEST_F(Ultraserver, ElectionsAreNotRunHere) {
  const Node node(0);
  for (const std::uint32_t what : {ND_POD_CTRL_SINGLE, ND_POD_CTRL_KILL}) {
    EXPECT_EQ(control(node, what).result, -EOPNOTSUPP);
  }
  for (const std::uint32_t what : {4u, 100u, 0xFFFFFFFFu}) {
    EXPECT_EQ(control(node, what).result, -EINVAL) << what;
  }
  // The shorter form has no mode.
  auto ctrl = patterned<nd_ioctl_pod_ctrl>(16);
  ctrl.control = ND_POD_CTRL_SET_MODE;
  EXPECT_EQ(node.control(ND_IOC_POD_CTRL, &ctrl), -EINVAL);
  ctrl.control = ND_POD_CTRL_QUERY;
  EXPECT_EQ(node.control(ND_IOC_POD_CTRL, &ctrl), 0);
  EXPECT_EQ(ctrl.state, ND_POD_STATE_IN_PROGRESS);
}

TEST_F(Ultraserver, SizesAreThoseOfTheForms) {
  const Node node(0);
  elect(3, 3, 0, 4);
  for (const std::uint16_t sz : {1, 15, 17, 259, 261, 267, 269, 0xFFFF}) {
    auto info = patterned<nd_ioctl_pod_info>(sz);
    EXPECT_EQ(node.control(ND_IOC_POD_INFO, &info), -ENXIO) << sz;
    EXPECT_EQ(info.size, 0xA5);
    auto one = patterned<nd_ioctl_pod_status_v2>(sz);
    EXPECT_EQ(node.control(ND_IOC_POD_STATUS, &one), -ENXIO) << sz;
    EXPECT_EQ(node.control(ND_IOC_POD_STATUS_V2, &one), -ENXIO) << sz;
    auto ctrl = patterned<nd_ioctl_pod_ctrl_v2>(sz);
    ctrl.v1.control = 0;
    EXPECT_EQ(node.control(ND_IOC_POD_CTRL, &ctrl), -ENXIO) << sz;
    EXPECT_EQ(node.control(ND_IOC_POD_CTRL_V2, &ctrl), -ENXIO) << sz;
  }
  // The first form of the status ends where it ends; a size left out is right.
  auto first = patterned<nd_ioctl_pod_status_v2>(0);
  ASSERT_EQ(node.control(ND_IOC_POD_STATUS, &first), 0);
  EXPECT_EQ(first.v1.sz, 268u);
  EXPECT_EQ(first.v1.state, ND_POD_STATE_ELECTED);
  EXPECT_EQ(first.mode, 0xA5A5A5A5);
}

TEST_F(Ultraserver, MetricsCarryTheModes) {
  elect(3, 3, 0, 4);
  ASSERT_EQ(set_mode(Node(0), ND_POD_MODE_X2V), 0);
  const Firmware firmware(1);
  ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", "100"), 0);
  const auto last = [&](unsigned cw) {
    std::string text;
    for (const auto& post : firmware.posts()) {
      for (const auto& found : post.texts(cw)) text = found;
    }
    return text;
  };
  EXPECT_TRUE(eventually([&] { return last(57) == "1" && last(58) == "3"; }))
      << "57: " << last(57) << ", 58: " << last(58);

  // While device 0 is in reset, nothing else is said.
  ASSERT_EQ(Firmware(0).command("all busy"), 0);
  const auto before = firmware.posts().size();
  ASSERT_TRUE(eventually([&] { return firmware.posts().size() >= before + 6; }));
  const auto posts = firmware.posts();
  for (auto i = before; i < posts.size(); ++i) {
    for (const auto& text : posts[i].texts(57)) EXPECT_EQ(text, "1");
  }
  EXPECT_EQ(status(Node(1)).result, -EBUSY);
  EXPECT_EQ(status(Node(1)).answer.modes_supported, 0x1Au);
  ASSERT_EQ(Firmware(0).command("all normal"), 0);
}

TEST_F(Ultraserver, MetricsSayX1BeforeAnElection) {
  const Firmware firmware(1);
  ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", "100"), 0);
  EXPECT_TRUE(eventually([&] {
    for (const auto& post : firmware.posts()) {
      const auto supported = post.texts(57);
      const auto mode = post.texts(58);
      if (supported.size() == 1 && mode.size() == 1) return supported[0] == "4" && mode[0] == "0";
    }
    return false;
  }));
}

class Pds : public PodTest {
 protected:
  Pds() : PodTest("sim_devices=1 sim_arch=v4 platform=pds") {}
};

TEST_F(Pds, TypeIsSwitch) {
  elect(3, 0, 1, 2);
  const auto elected = status(Node(0));
  EXPECT_EQ(elected.result, 0);
  EXPECT_EQ(elected.answer.v1.type, ND_POD_TYPE_SWITCH);
  EXPECT_EQ(elected.answer.modes_supported, 0x10u);
}

/// No pod: nothing to elect, nothing to post.
class NoPod : public PodTest, public ::testing::WithParamInterface<const char*> {
 protected:
  NoPod() : PodTest(GetParam()) {}
};

TEST_P(NoPod, EveryControlAnswersThatThereIsNone) {
  const Firmware firmware(0);
  elect(3, 3, 1, 4);
  const Node node(0, O_WRONLY);
  for (const std::uint32_t what : {0u, 1u, 2u, 3u}) {
    EXPECT_EQ(control(node, what, 1), (Control{0, 4, 0})) << what;
    auto ctrl = patterned<nd_ioctl_pod_ctrl>(16);
    ctrl.control = what;
    EXPECT_EQ(node.control(ND_IOC_POD_CTRL, &ctrl), 0);
    EXPECT_EQ(ctrl.state, 4u);
  }
  const auto none = status(node);
  EXPECT_EQ(none.result, 0);
  EXPECT_EQ(none.state(), ND_POD_STATE_SINGLE);
  EXPECT_EQ(none.answer.v1.type, ND_POD_TYPE_NONE);
  EXPECT_EQ(none.answer.v1.node_id, -1);
  EXPECT_EQ(none.answer.modes_supported, 0u);
  EXPECT_EQ(none.serial(), 0u);
  auto info = patterned<nd_ioctl_pod_info>(0);
  ASSERT_EQ(node.control(ND_IOC_POD_INFO, &info), 0);
  EXPECT_EQ(info.type, 0u);
  EXPECT_EQ(info.size, 0u);

  ASSERT_EQ(module().set_parameter("nmetric_metric_post_delay", "100"), 0);
  ASSERT_TRUE(eventually([&] { return firmware.posts().size() >= 4; }));
  for (const auto& post : firmware.posts()) {
    EXPECT_TRUE(post.texts(57).empty());
    EXPECT_TRUE(post.texts(58).empty());
  }
}

INSTANTIATE_TEST_SUITE_P(On, NoPod,
                         ::testing::Values("sim_devices=1 sim_arch=v3 platform=standard",
                                           "sim_devices=1 sim_arch=v2 platform=ultraserver",
                                           "sim_devices=1 sim_arch=v3 platform=auto"));

TEST(PodPlatform, UnknownNameIsRefusedAtLoad) {
  if (Module::loaded()) Module::try_unload();
  EXPECT_EQ(Module::try_load("platform=mainframe"), -EINVAL);
  EXPECT_EQ(Module::try_load("platform="), -EINVAL);
  EXPECT_FALSE(Module::loaded());
}

}  // namespace
}  // namespace ndtel::vm
