// SPDX-License-Identifier: Apache-2.0
//
// Finding nodes: every namespace, whose driver, and what is said when there is none.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "ndtel/device.hpp"

namespace ndtel::test {
namespace {

namespace fs = std::filesystem;

class Nodes : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/ndtel-nodes-XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    root = folder;
    roots = {.dev = (root / "dev").native(), .sys = (root / "sys").native()};
    fs::create_directories(root / "dev");
    fs::create_directories(root / "sys/module");
  }
  void TearDown() override { fs::remove_all(root); }

  void file(const fs::path& path, std::string_view text = "") {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  void folder(const fs::path& path) { fs::create_directories(root / path); }

  fs::path root;
  Roots roots;
};

TEST_F(Nodes, AllNamespacesAreFoundInOrder) {
  file("sys/module/ndtel/version", "1.2.3\n");
  folder("sys/class/ndtel_device/ndtel0");
  folder("sys/class/ndtel_device/ndtel10");
  folder("sys/class/ndtel_device/ndtel2");
  for (const char* name : {"dev/ndtel0", "dev/ndtel2", "dev/ndtel10", "dev/neuron1"}) file(name);
  file("sys/module/neuron/version", "2.27.4.0\n");
  folder("sys/class/neuron_device/neuron1");

  const auto nodes = enumerate_nodes(roots);
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].index, 0);
  EXPECT_EQ(nodes[1].index, 2);
  EXPECT_EQ(nodes[2].index, 10);
  EXPECT_EQ(nodes[2].path, roots.dev + "/ndtel10");
  EXPECT_EQ(nodes[2].name_space, "ndtel");
  EXPECT_EQ(nodes[2].driver, Driver::kNdtel);
  EXPECT_EQ(nodes[2].module_version, "1.2.3");
  EXPECT_TRUE(nodes[2].in_dev && nodes[2].in_class);
  EXPECT_EQ(nodes[3].name_space, "neuron");
  EXPECT_EQ(nodes[3].driver, Driver::kVendor);
  EXPECT_EQ(nodes[3].module_version, "2.27.4.0");
}

TEST_F(Nodes, OurModuleUnderTheVendorsNameIsTheTwin) {
  file("dev/neuron0");
  file("sys/module/neuron/parameters/sim_devices", "1\n");
  const auto nodes = enumerate_nodes(roots);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].driver, Driver::kTwin);
  EXPECT_FALSE(nodes[0].in_class);
}

TEST_F(Nodes, AClassEntryWithoutANodeIsFoundToo) {
  folder("sys/module/ndtel");
  folder("sys/class/ndtel_device/ndtel3");
  const auto nodes = enumerate_nodes(roots);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_TRUE(nodes[0].in_class);
  EXPECT_FALSE(nodes[0].in_dev);
  EXPECT_EQ(nodes[0].module_version, "");
}

TEST_F(Nodes, OtherNamesAreNoNodes) {
  for (const char* name : {"dev/ndtel", "dev/ndtelx", "dev/ndtel01", "dev/ndtel64", "dev/ndtel-1",
                           "dev/ndtel1x", "dev/ndtel4294967296", "dev/neuronal", "dev/null"})
    file(name);
  EXPECT_TRUE(enumerate_nodes(roots).empty());
}

TEST_F(Nodes, WithoutAModuleTheOwnerIsUnknown) {
  file("dev/ndtel0");
  file("dev/neuron0");
  const auto nodes = enumerate_nodes(roots);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].driver, Driver::kUnknown);
  EXPECT_EQ(nodes[1].driver, Driver::kUnknown);
}

TEST_F(Nodes, NoneIsExplainedByWhatIsMissing) {
  Error error = explain_no_nodes(roots);
  EXPECT_EQ(error.code, ENODEV);
  EXPECT_NE(error.message.find("neither module ndtel nor module neuron"), std::string::npos)
      << error.message;
  EXPECT_NE(error.message.find("insmod ndtel.ko sim_devices=1"), std::string::npos)
      << error.message;

  folder("sys/module/ndtel");
  error = explain_no_nodes(roots);
  EXPECT_NE(error.message.find("/bus/ndtel/new_device"), std::string::npos) << error.message;

  fs::remove_all(root / "sys/module/ndtel");
  folder("sys/module/neuron");
  error = explain_no_nodes(roots);
  EXPECT_NE(error.message.find("vendor's module"), std::string::npos) << error.message;
}

TEST_F(Nodes, AnIndexIsLookedUpOursFirst) {
  for (const char* name : {"dev/ndtel1", "dev/neuron1", "dev/neuron2"}) file(name);
  auto ours = find_node(1, roots);
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->name_space, "ndtel");
  auto other = find_node(2, roots);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->name_space, "neuron");
  auto missing = find_node(5, roots);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ENODEV);
  EXPECT_NE(missing.error().message.find(roots.dev + "/neuron2"), std::string::npos)
      << missing.error().message;
}

TEST_F(Nodes, DriversHaveNames) {
  EXPECT_EQ(driver_name(Driver::kNdtel), "ndtel");
  EXPECT_EQ(driver_name(Driver::kTwin), "ndtel (neuron names)");
  EXPECT_EQ(driver_name(Driver::kVendor), "vendor");
  EXPECT_EQ(driver_name(Driver::kUnknown), "unknown");
}

}  // namespace
}  // namespace ndtel::test
