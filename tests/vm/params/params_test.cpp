// SPDX-License-Identifier: Apache-2.0
//
// Module parameters: files, defaults, what is refused at load and at run time, and that nothing is
// left half done.
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/kernel_log.hpp"
#include "support/module.hpp"
#include "support/node.hpp"

namespace ndtel::vm {
namespace {

const std::string kName = default_namespace();

struct Value {
  const char* parameter;
  const char* text;
};

constexpr Value kBad[] = {
    {"nmetric_metric_post_delay", "0"},
    {"nmetric_metric_post_delay", "99"},
    {"nmetric_metric_post_delay", "86400001"},
    {"nmetric_metric_post_delay", "4294967396"},  // 100 modulo 2^32
    {"nmetric_metric_post_delay", "-1"},
    {"nmetric_metric_post_delay", "1.5"},
    {"nmetric_metric_post_delay", "fast"},
    {"nmetric_metric_post_delay", ""},
    {"nmetric_log_posts", "4"},
    {"nmetric_log_posts", "-1"},
    {"nmetric_log_posts", "on"},
    {"nmetric_log_posts", ""},
    {"restrict_readers", "maybe"},
    {"restrict_readers", "2"},
    {"fwio_timeout_ms", "3600001"},
    {"reset_timeout_ms", "-1"},
};

constexpr Value kBadAtLoad[] = {
    {"sim_devices", "65"},      {"sim_devices", "-1"}, {"sim_devices", "many"},
    {"sim_devices", ""},        {"sim_arch", "v9"},    {"sim_arch", "v1"},
    {"sim_arch", "V3"},         {"sim_arch", ""},      {"quirks", "2"},
    {"quirks", "some"},         {"no_reset", "2"},     {"platform", "mars"},
    {"power_window_ms", "999"},
};

class Params : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Module::loaded()) Module::try_unload();
    ASSERT_FALSE(Module::loaded());
  }

  /// Nothing of the module is there: no node, class, bus, events, debugfs directory, device number.
  static ::testing::AssertionResult nothing_left() {
    for (const auto& path :
         {"/sys/module/" + kName, "/sys/class/" + kName + "_device", "/sys/bus/" + kName,
          "/sys/kernel/debug/" + kName, "/sys/kernel/tracing/events/" + kName, node_path(0)}) {
      // The node's file is removed by another thread of the kernel.
      if (!eventually([&] { return !exists(path); }, std::chrono::seconds(10))) {
        return ::testing::AssertionFailure() << path << " is left";
      }
    }
    if (read_file("/proc/devices").value_or("").find(" " + kName + "\n") != std::string::npos) {
      return ::testing::AssertionFailure() << "the device number is left";
    }
    return ::testing::AssertionSuccess();
  }

  static void expect_load_refused(const Value& value) {
    KernelLog log;
    const auto text = std::string("sim_devices=2 ") + value.parameter + "=" + value.text;
    EXPECT_EQ(Module::try_load(text), -EINVAL) << text;
    EXPECT_FALSE(Module::loaded()) << text;
    EXPECT_TRUE(nothing_left()) << text;
    // One line of ours, and the one the kernel itself has for a parameter it could not set. The
    // first module of a boot taints the kernel, which is said too.
    EXPECT_LE(log.count(kName) - log.count("taint"), 2) << text;
  }
};

TEST_F(Params, BadValuesAtLoadAreRefusedAndLeaveNothing) {
  for (const auto& value : kBad) expect_load_refused(value);
  for (const auto& value : kBadAtLoad) expect_load_refused(value);
  const Module module("sim_devices=1");
  EXPECT_TRUE(exists(node_path(0)));
}

TEST_F(Params, BadValuesAtRunTimeAreRefusedAndTheOldOnesKept) {
  const Module module("nmetric_metric_post_delay=12345 nmetric_log_posts=2 restrict_readers=1");
  for (const auto& value : kBad) {
    // Nothing reaches the module when nothing is written.
    const std::string text = std::string(value.text) + "\n";
    KernelLog log;
    EXPECT_EQ(module.set_parameter(value.parameter, text), -EINVAL)
        << value.parameter << "=" << value.text;
    EXPECT_LE(log.count(kName), 1) << value.parameter << "=" << value.text;
  }
  EXPECT_EQ(module.parameter("nmetric_metric_post_delay"), "12345");
  EXPECT_EQ(module.parameter("nmetric_log_posts"), "2");
  EXPECT_EQ(module.parameter("restrict_readers"), "Y");
}

TEST_F(Params, RefusalsDoNotFloodTheLog) {
  const Module module;
  KernelLog log;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(module.set_parameter("nmetric_metric_post_delay", "0"), -EINVAL);
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  // Ten lines in five seconds and a note of how many were left out is the kernel's rate limit.
  const auto periods = elapsed / std::chrono::seconds(5) + 1;
  EXPECT_LE(log.count(kName), 12 * periods);
  EXPECT_GE(log.count(kName), 1);
}

TEST_F(Params, RefusalNamesTheParameterAndItsRange) {
  const Module module;
  KernelLog log;
  EXPECT_EQ(module.set_parameter("nmetric_log_posts", "4"), -EINVAL);
  EXPECT_EQ(log.count("nmetric_log_posts takes 0 to 3"), 1);
}

TEST_F(Params, EdgesOfTheRangesAreAccepted) {
  {
    const Module module("nmetric_metric_post_delay=86400000 nmetric_log_posts=0");
    EXPECT_EQ(module.parameter("nmetric_metric_post_delay"), "86400000");
    for (const char* text : {"100", "86400000", "0x100"}) {
      EXPECT_EQ(module.set_parameter("nmetric_metric_post_delay", text), 0) << text;
    }
    EXPECT_EQ(module.parameter("nmetric_metric_post_delay"), "256");
    for (const char* text : {"0", "1", "2", "3"}) {
      EXPECT_EQ(module.set_parameter("nmetric_log_posts", text), 0) << text;
      EXPECT_EQ(module.parameter("nmetric_log_posts"), text);
    }
  }
  for (const char* arch : {"v2", "v3", "v4"}) {
    const Module module("nmetric_metric_post_delay=100 sim_devices=1 sim_arch=" +
                        std::string(arch));
    EXPECT_EQ(module.parameter("sim_arch"), arch);
  }
}

TEST_F(Params, FilesModesAndDefaults) {
  struct File {
    mode_t mode;
    std::string value;
  };
  const std::map<std::string, File> expected = {
      {"nmetric_metric_post_delay", {0644, "150000"}},
      {"nmetric_log_posts", {0644, "1"}},
      {"restrict_readers", {0644, "N"}},
      {"quirks", {0444, "N"}},
      {"sim_devices", {0444, "0"}},
      {"sim_arch", {0444, "v3"}},
      {"no_reset", {0444, "N"}},
      {"reset_timeout_ms", {0644, "0"}},
      {"fwio_timeout_ms", {0644, "0"}},
      {"power_window_ms", {0444, "60000"}},
      {"platform", {0444, "auto"}},
  };
  const Module module;
  const auto directory = "/sys/module/" + kName + "/parameters/";
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
  ASSERT_TRUE(listing);
  std::size_t files = 0;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    ++files;
    ASSERT_EQ(expected.count(name), 1u) << "unexpected parameter " << name;
    struct stat status {};
    ASSERT_EQ(::stat((directory + name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, expected.at(name).mode) << name;
    EXPECT_EQ(module.parameter(name), expected.at(name).value) << name;
  }
  EXPECT_EQ(files, expected.size());
}

TEST_F(Params, WhatIsSetAtLoadOnlyCannotBeWrittenLater) {
  const Module module("sim_devices=1 sim_arch=v2");
  for (const auto& [parameter, text] :
       {std::pair("quirks", "1"), std::pair("sim_devices", "2"), std::pair("sim_arch", "v4")}) {
    EXPECT_LT(module.set_parameter(parameter, text), 0) << parameter;
  }
  EXPECT_EQ(module.parameter("quirks"), "N");
  EXPECT_EQ(module.parameter("sim_devices"), "1");
  EXPECT_EQ(module.parameter("sim_arch"), "v2");
}

}  // namespace
}  // namespace ndtel::vm
