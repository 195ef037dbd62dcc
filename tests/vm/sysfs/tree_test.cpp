// SPDX-License-Identifier: Apache-2.0
//
// The tree as a whole: each path, mode and format, for each kind of device, before, during and
// after processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <optional>
#include <regex>
#include <string>

#include "expected.hpp"
#include "support/file.hpp"
#include "support/owner.hpp"
#include "support/privileges.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

class SysfsTree : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (Module::loaded()) Module::try_unload();
    module_.emplace(
        "nmetric_log_posts=2 nmetric_metric_post_delay=3600000 sim_devices=1 sim_arch=" +
        GetParam().name);
    ASSERT_TRUE(ready());
  }
  void TearDown() override {
    EXPECT_TRUE(eventually([] { return Debugfs::slabs_alive() == 0; }));
    EXPECT_TRUE(eventually([&] { return module_->unload() == 0; }));
  }

  // Many files have the same format, and compiling one takes long.
  static bool matches(const std::string& text, const std::string& format) {
    static std::map<std::string, std::regex> compiled;
    return std::regex_match(text, compiled.try_emplace(format, format).first->second);
  }

  static void expect_tree(int device = 0) {
    const Attributes attributes(device);
    const auto expected =
        device == 0 ? expected_tree(GetParam()) : expected_companion_tree(GetParam());
    const auto files = files_below(device_directory(device));
    for (const auto& [path, file] : expected) {
      ASSERT_TRUE(files.contains(path)) << path << " is missing";
      EXPECT_EQ(files.at(path), file.mode) << path;
      const auto reading = attributes.read(path);
      EXPECT_EQ(reading.error, 0) << path;
      EXPECT_TRUE(matches(reading.text, file.format)) << path << ": '" << reading.text << "'";
    }
    for (const auto& [path, mode] : files) EXPECT_TRUE(expected.contains(path)) << path;
  }

  std::optional<Module> module_;
  const Attributes attributes_{0};
};

TEST_P(SysfsTree, EachPathModeAndFormat) { expect_tree(); }

TEST_P(SysfsTree, StaysTheSameWithProcessesAndAfterThem) {
  {
    Owner owner([](const Mapping& slab) {
      for (std::size_t word = 1; word < NDS_USED_SIZE / 8; ++word) {
        // All counters of all cores; nobody asks for more directories.
        if (word == static_cast<std::size_t>(::nds_nd_word(11))) continue;
        slab.add(static_cast<int>(word), 1000 + word);
      }
    });
    expect_tree();
    owner.kill();
  }
  expect_tree();
}

TEST_P(SysfsTree, WithoutHardwareThereIsNothingOfIt) {
  ASSERT_EQ(module_->write_new_device("companion 5 " + GetParam().name), 0);
  expect_tree(5);
  EXPECT_EQ(Attributes(5).write("reset", "1"), -EOPNOTSUPP);
}

// Sysfs17: the two files were root's alone.
TEST_P(SysfsTree, Sysfs17EverybodyReadsAllButReset) {
  Child stranger([&](Channel& channel) {
    drop_privileges(1000, 1000);
    for (const auto& [path, file] : expected_tree(GetParam())) {
      const int error = attributes_.read(path).error;
      CHILD_CHECK(error == (path == "reset" ? -EACCES : 0));
      const Fd fd(::open(attributes_.path(path).c_str(), O_WRONLY | O_CLOEXEC));
      CHILD_CHECK(!fd.valid() && errno == EACCES);
    }
    channel.send();
    return 0;
  });
  EXPECT_TRUE(stranger.receive().has_value());
  EXPECT_EQ(stranger.wait(), 0);
}

// Sysfs13: what cannot be written says so, to root too.
TEST_P(SysfsTree, Sysfs13WhatIsReadOnlyCannotBeOpenedForWriting) {
  for (const auto& [path, file] : expected_tree(GetParam())) {
    if ((file.mode & 0222) != 0) continue;
    const Fd fd(::open(attributes_.path(path).c_str(), O_WRONLY | O_CLOEXEC));
    EXPECT_FALSE(fd.valid()) << path;
    EXPECT_EQ(errno, EACCES) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SysfsTree, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ndtel::vm
