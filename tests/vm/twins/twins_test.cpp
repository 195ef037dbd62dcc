// SPDX-License-Identifier: Apache-2.0
//
// Both modules loaded at once: the one that stands beside the vendor's driver, and the twin that
// has its name. They share nothing.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "support/debugfs.hpp"
#include "support/eventually.hpp"
#include "support/firmware.hpp"
#include "support/module.hpp"
#include "support/node.hpp"
#include "support/thread.hpp"
#include "support/trace.hpp"

namespace ndtel::vm {
namespace {

const std::string kOurs = "ndtel";
const std::string kTwin = "neuron";
constexpr unsigned kOk = 200;
constexpr std::uint32_t kCompleted = NDS_NC_COUNTER_INFER_COMPLETED;

// Device 0 in its class.
std::string class_path(const std::string& name) {
  return "/sys/class/" + name + "_device/" + name + "0";
}

bool has_bus(const std::string& name) { return exists("/sys/bus/" + name + "/new_device"); }

bool has_event(const std::string& name, const std::string& event) {
  return exists("/sys/kernel/tracing/events/" + name + "/" + event);
}

bool has_device_number(const std::string& name) {
  return read_file("/proc/devices").value_or("").find(" " + name + "\n") != std::string::npos;
}

class Twins : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& name : {kOurs, kTwin}) {
      if (Module::loaded(name)) Module::try_unload(name);
      ASSERT_FALSE(Module::loaded(name));
    }
  }
  static std::string parameters(int devices) {
    return "nmetric_log_posts=2 nmetric_metric_post_delay=3600000 sim_devices=" +
           std::to_string(devices);
  }
};

TEST_F(Twins, EachHasItsNodesClassBusEventsAndDebugfs) {
  const Module ours(parameters(2), kOurs);
  const Module twin(parameters(1), kTwin);
  for (const auto& name : {kOurs, kTwin}) {
    EXPECT_TRUE(eventually([&] { return exists(node_path(0, name)); }));
    EXPECT_TRUE(exists(class_path(name)));
    EXPECT_TRUE(has_bus(name));
    EXPECT_TRUE(has_event(name, "metrics_post"));
    EXPECT_TRUE(has_event(name, "metrics_post_nd"));
    EXPECT_TRUE(Debugfs(0, name).present());
    EXPECT_TRUE(has_device_number(name));
  }
  EXPECT_TRUE(eventually([&] { return exists(node_path(1, kOurs)); }));
  EXPECT_FALSE(exists(node_path(1, kTwin)));
  EXPECT_EQ(kernel_threads("nd0 metrics").size(), 2u);
  EXPECT_EQ(kernel_threads("nd1 metrics").size(), 1u);
}

TEST_F(Twins, OneProcessCountsOnBothAndEachPostsItsOwn) {
  const Module ours(parameters(1), kOurs);
  const Module twin(parameters(1), kTwin);
  Trace our_trace(Events::kPostNd, kOurs);
  Trace twin_trace(Events::kPostNd, kTwin);
  const Node our_node(0, O_RDWR, kOurs);
  const Node twin_node(0, O_RDWR, kTwin);
  const auto our_slab = our_node.map_slab();
  const auto twin_slab = twin_node.map_slab();
  ASSERT_TRUE(our_slab.valid() && twin_slab.valid());
  our_slab.add_nc(0, kCompleted, 11);
  twin_slab.add_nc(0, kCompleted, 22);
  EXPECT_EQ(Debugfs(0, kOurs).books_of(kOk).incremented, 11u);
  EXPECT_EQ(Debugfs(0, kTwin).books_of(kOk).incremented, 22u);

  // Only one of them gets a short period.
  ASSERT_EQ(twin.set_parameter("nmetric_metric_post_delay", "100"), 0);
  EXPECT_EQ(ours.parameter("nmetric_metric_post_delay"), "3600000");
  EXPECT_TRUE(twin_trace.read_until([&](const auto&) { return twin_trace.sum(0, kOk) >= 22; }));
  EXPECT_TRUE(our_trace.read().empty());
  ASSERT_EQ(ours.set_parameter("nmetric_metric_post_delay", "100"), 0);
  EXPECT_TRUE(our_trace.read_until([&](const auto&) { return our_trace.sum(0, kOk) >= 11; }));
  EXPECT_EQ(our_trace.sum(0, kOk), 11u);
  twin_trace.read();
  EXPECT_EQ(twin_trace.sum(0, kOk), 22u);
}

// What a companion's agent does with the vendor's driver.
TEST_F(Twins, PostMetricThroughTheTwinReachesTheTwinsFirmware) {
  const Module ours(parameters(1), kOurs);
  const Module twin(parameters(1), kTwin);
  const std::uint8_t record[] = {200, 2, '4', '2'};
  nd_ioctl_post_metric request{};
  request.data = reinterpret_cast<std::uintptr_t>(record);
  request.data_size = sizeof record;
  EXPECT_EQ(Node(0, O_RDWR, kTwin).control(ND_IOC_POST_METRIC, &request), 0);
  EXPECT_EQ(Firmware(0, kTwin).received(kOk), 42u);
  EXPECT_EQ(Firmware(0, kOurs).received(kOk), 0u);
}

TEST_F(Twins, CookiesOfOneMeanNothingToTheOther) {
  const Module ours(parameters(1), kOurs);
  const Module twin(parameters(1), kTwin);
  const Node our_node(0, O_RDWR, kOurs);
  const Node twin_node(0, O_RDWR, kTwin);
  nd_ioctl_ds_info info{};
  // Several, so that the generations differ.
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(our_node.acquire(0, &info), 0);
    if (i < 2) {
      ASSERT_EQ(our_node.release(), 0);
    }
  }
  ASSERT_EQ(twin_node.acquire(), 0);
  EXPECT_EQ(Mapping::map(twin_node.fd(), info.mmap_offset).error(), -ENXIO);
  EXPECT_TRUE(Mapping::map(our_node.fd(), info.mmap_offset).valid());
}

TEST_F(Twins, OneCanBeUnloadedWhileTheOtherIsInUse) {
  Module ours(parameters(1), kOurs);
  Module twin(parameters(1), kTwin);
  const Node node(0, O_RDWR, kTwin);
  const auto slab = node.map_slab();
  ASSERT_TRUE(slab.valid());
  EXPECT_EQ(twin.unload(), -EWOULDBLOCK);
  EXPECT_EQ(ours.unload(), 0);
  slab.add_nc(0, kCompleted, 5);
  EXPECT_EQ(Debugfs(0, kTwin).books_of(kOk).incremented, 5u);
  EXPECT_EQ(Module::try_load(parameters(1), kOurs), 0);
  EXPECT_EQ(Module::try_unload(kOurs), 0);
}

TEST_F(Twins, DevicesOfOneAreNotTheOthers) {
  const Module ours(parameters(1), kOurs);
  const Module twin(parameters(1), kTwin);
  EXPECT_EQ(ours.new_device("v2"), 0);
  EXPECT_EQ(twin.del_device(1), -ENODEV);
  EXPECT_EQ(twin.del_device(0), 0);
  EXPECT_TRUE(eventually([] { return exists(node_path(1, kOurs)); }));
  EXPECT_TRUE(exists(class_path(kOurs)));
  EXPECT_FALSE(exists(class_path(kTwin)));
}

}  // namespace
}  // namespace ndtel::vm
