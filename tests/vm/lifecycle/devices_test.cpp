// SPDX-License-Identifier: Apache-2.0
//
// Simulated devices made and removed at run time: names, numbers, limits and bad input.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <optional>
#include <string>

#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/kernel_log.hpp"
#include "support/node.hpp"
#include "support/thread.hpp"

namespace ndtel::vm {
namespace {

using LifecycleDevices = ModuleTest;

std::string class_path(int index) {
  return "/sys/class/" + default_namespace() + "_device/" + default_namespace() +
         std::to_string(index);
}

// devtmpfs makes and removes nodes in a thread of its own.
bool has_node(int index) {
  return eventually([&] { return exists(node_path(index)); });
}
bool has_no_node(int index) {
  return eventually([&] { return !exists(node_path(index)); });
}

TEST_F(LifecycleDevices, NodeClassAndMinorCarryTheIndex) {
  ASSERT_EQ(module().new_device("v4"), 0);
  const auto devices = read_file("/proc/devices").value_or("");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(has_node(i));
    struct stat status {};
    ASSERT_EQ(::stat(node_path(i).c_str(), &status), 0);
    EXPECT_TRUE(S_ISCHR(status.st_mode));
    EXPECT_EQ(::minor(status.st_rdev), static_cast<unsigned>(i));
    EXPECT_EQ(read_file(class_path(i) + "/dev"),
              std::to_string(::major(status.st_rdev)) + ":" + std::to_string(i) + "\n");
    EXPECT_NE(devices.find(std::to_string(::major(status.st_rdev)) + " " + default_namespace()),
              std::string::npos);
    EXPECT_TRUE(exists("/sys/devices/virtual/" + default_namespace() + "_device/" +
                       default_namespace() + std::to_string(i)));
  }
  EXPECT_FALSE(exists(class_path(3)));
}

TEST_F(LifecycleDevices, EachDeviceHasItsThread) {
  EXPECT_EQ(kernel_threads("nd0 metrics").size(), 1u);
  EXPECT_EQ(kernel_threads("nd1 metrics").size(), 1u);
  EXPECT_TRUE(kernel_threads("nd2 metrics").empty());
  ASSERT_EQ(module().del_device(1), 0);
  EXPECT_TRUE(kernel_threads("nd1 metrics").empty());
  ASSERT_EQ(module().new_device("v2"), 0);
  EXPECT_EQ(kernel_threads("nd1 metrics").size(), 1u);
}

TEST_F(LifecycleDevices, ModuleSaysItsVersion) {
  EXPECT_EQ(read_file("/sys/module/" + module().name() + "/version"), "0.1.0\n");
}

TEST_F(LifecycleDevices, BadInputOfNewDeviceIsInvalid) {
  const std::string bad[] = {
      "\n",        "sim",
      "sim ",      "sim v1",
      "sim v5",    "sim V3",
      "pci v3",    "v3",
      "sim v3 v3", "sim v3x",
      "sim v",     "sim v3v3v3v3v3",
      "sim\tv",    "sim " + std::string(3000, 'v'),
  };
  for (const auto& text : bad) {
    EXPECT_EQ(module().write_new_device(text), -EINVAL) << "'" << text << "'";
  }
  EXPECT_FALSE(exists(class_path(2)));
  EXPECT_EQ(module().write_new_device("sim v3\n"), 0);
  EXPECT_TRUE(has_node(2));
}

TEST_F(LifecycleDevices, BadInputOfDelDeviceIsRefused) {
  for (const char* text : {"\n", "-1", "64", "1000", "one", "1x", "0x1", "1 0", "ndtel1"}) {
    EXPECT_EQ(module().write_del_device(text), -EINVAL) << "'" << text << "'";
  }
  EXPECT_EQ(module().write_del_device("99999999999999999999"), -ERANGE);
  EXPECT_EQ(module().write_del_device("63"), -ENODEV);
  EXPECT_EQ(module().write_del_device("2"), -ENODEV);
  EXPECT_TRUE(exists(class_path(0)));
  EXPECT_TRUE(exists(class_path(1)));
  EXPECT_EQ(module().write_del_device("1\n"), 0);
  EXPECT_EQ(module().write_del_device("1\n"), -ENODEV);
  EXPECT_TRUE(has_no_node(1));
  EXPECT_FALSE(exists(class_path(1)));
}

TEST_F(LifecycleDevices, SixtyFourDevicesAndNoMore) {
  KernelLog log;
  for (int i = 2; i < ND_MAX_DEVICES; ++i) ASSERT_EQ(module().new_device("v3"), 0) << i;
  EXPECT_EQ(module().new_device("v3"), -ENOSPC);
  EXPECT_EQ(module().new_device("v2"), -ENOSPC);
  EXPECT_TRUE(has_node(63));
  EXPECT_EQ(kernel_threads("nd63 metrics").size(), 1u);
  EXPECT_EQ(Node(63).acquire(), 0);
  // The lowest free index is used again.
  ASSERT_EQ(module().del_device(40), 0);
  ASSERT_EQ(module().del_device(17), 0);
  ASSERT_EQ(module().new_device("v4"), 0);
  ASSERT_TRUE(has_node(17));
  nd_ioctl_basic_info info{};
  EXPECT_EQ(Node(17).basic_info(&info), 0);
  EXPECT_EQ(info.architecture, 4u);
  ASSERT_EQ(module().new_device("v4"), 0);
  EXPECT_TRUE(has_node(40));
  EXPECT_EQ(module().new_device("v4"), -ENOSPC);
  EXPECT_LE(log.count(module().name()), 3) << "a refusal is not news for the log";
}

// A node that is still open keeps its name to itself: nobody finds another device behind it.
TEST_F(LifecycleDevices, IndexIsFreeOnlyWhenFilesAndMappingsOfTheOldDeviceAreGone) {
  {
    std::optional<Node> node(0);
    auto slab = node->map_slab();
    ASSERT_TRUE(slab.valid());
    ASSERT_EQ(module().del_device(0), 0);
    ASSERT_EQ(module().new_device("v2"), 0);
    EXPECT_TRUE(exists(class_path(2)));
    EXPECT_FALSE(exists(class_path(0)));
    node.reset();
    ASSERT_EQ(module().new_device("v2"), 0);
    EXPECT_TRUE(exists(class_path(3))) << "the mapping keeps the index too";
  }
  ASSERT_EQ(module().new_device("v2"), 0);
  EXPECT_TRUE(exists(class_path(0)));
}

TEST_F(LifecycleDevices, NewDeviceStartsEmpty) {
  {
    const Node node(1);
    const auto slab = node.map_slab();
    ASSERT_TRUE(slab.valid());
    slab.add_nc(0, NDS_NC_COUNTER_INFER_COMPLETED, 5);
    Debugfs(1).books();
  }
  ASSERT_EQ(module().del_device(1), 0);
  ASSERT_EQ(module().new_device("v3"), 0);
  ASSERT_TRUE(has_node(1));
  EXPECT_TRUE(Debugfs(1).slabs().empty());
  for (const auto& row : Debugfs(1).books()) EXPECT_EQ(row.incremented, 0u) << row;
}

}  // namespace
}  // namespace ndtel::vm
