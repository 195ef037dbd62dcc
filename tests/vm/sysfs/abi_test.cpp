// SPDX-License-Identifier: Apache-2.0
//
// Documentation/ABI/testing against the tree: each file is described, and what is described exists
// for some kind of device or platform.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "abi_paths.hpp"
#include "expected.hpp"
#include "support/owner.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

// "/sys/class/ndtel_device/ndtel<N>/core_count": what is in angle brackets stands for a number.
std::regex pattern_of(const std::string& path) {
  static const std::regex special(R"([.+*?()\[\]{}|^$\\])");
  static const std::regex number("<[A-Z]+>");
  return std::regex(
      std::regex_replace(std::regex_replace(path, special, "\\$&"), number, "[0-9]+"));
}

class SysfsAbi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Module::loaded()) Module::try_unload();
  }

  static void collect(const std::string& directory, std::set<std::string>& files) {
    for (const auto& [path, mode] : files_below(directory)) files.insert(directory + path);
  }
  static void collect_all(std::set<std::string>& files) {
    collect(class_directory(), files);
    collect("/sys/bus/" + default_namespace() + "/", files);
    collect("/sys/module/" + default_namespace() + "/parameters/", files);
    collect("/sys/kernel/debug/" + default_namespace() + "/", files);
    if (read_attribute(device_directory(0) + "state").opened) collect(device_directory(0), files);
  }

  /// All there is on some platform.
  static std::set<std::string> everything() {
    std::set<std::string> files;
    for (const char* platform : {"ultraserver", "pds"}) {
      const Module module(std::string("sim_devices=1 platform=") + platform);
      EXPECT_TRUE(ready());
      Owner owner([](const Mapping& slab) { store_nd(slab, 11, ~std::uint64_t{0}); });
      owner.kill();
      EXPECT_TRUE(eventually([] {
        return read_attribute(device_directory(0) + other_info(7, "new_metric_26") + "total")
            .opened;
      }));
      collect_all(files);
      EXPECT_TRUE(eventually([] { return Debugfs::slabs_alive() == 0; }));
    }
    const Module module;
    EXPECT_EQ(module.write_new_device("companion 0 v3"), 0);
    collect_all(files);
    return files;
  }
};

TEST_F(SysfsAbi, TheDocumentsAndTheTreeAgree) {
  const auto files = everything();
  // What the bus of every driver has.
  const std::regex of_the_kernel(".*/(drivers_autoprobe|drivers_probe|uevent)");
  std::vector<std::pair<std::string, std::regex>> patterns;
  for (const char* path : kAbiPaths) patterns.emplace_back(path, pattern_of(path));
  std::set<std::string> met;
  for (const auto& file : files) {
    bool described = std::regex_match(file, of_the_kernel);
    for (const auto& [path, pattern] : patterns) {
      if (!std::regex_match(file, pattern)) continue;
      described = true;
      met.insert(path);
    }
    EXPECT_TRUE(described) << file << " is not described";
  }
  for (const auto& [path, pattern] : patterns) {
    EXPECT_TRUE(met.contains(path)) << path << " is described and does not exist";
  }
}

}  // namespace
}  // namespace ndtel::vm
