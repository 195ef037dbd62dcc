// SPDX-License-Identifier: Apache-2.0
//
// Live totals: what a process counts is there at once, stays after its death, and is set to zero
// without touching anybody's memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "expected.hpp"
#include "support/child.hpp"
#include "support/file.hpp"
#include "support/node.hpp"
#include "support/owner.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

constexpr std::uint32_t kCompleted = 1;
constexpr std::uint32_t kMacs = 29;
constexpr unsigned kCores = 8;

const std::string kSuccess = status(0, "success");

/// A process that adds to words of its slab when it is told to.
class Writer {
 public:
  explicit Writer(int device = 0)
      : child_([device](Channel& channel) {
          const Node node(device);
          const auto slab = node.map_slab();
          CHILD_CHECK(slab.valid());
          channel.send();
          while (const auto word = channel.receive(std::chrono::hours(1))) {
            const auto amount = channel.receive();
            if (!amount) break;
            slab.add(static_cast<int>(*word), *amount);
            channel.send(slab.load(static_cast<int>(*word)));
          }
          return 0;
        }) {
    if (!child_.receive()) throw std::runtime_error("a child did not get its slab");
  }

  /// Adds to a core counter; returns what the slab then holds.
  std::uint64_t add(unsigned core, std::uint32_t counter, std::uint64_t amount) const {
    child_.send(static_cast<std::uint64_t>(::nds_nc_word(core, counter)));
    child_.send(amount);
    const auto value = child_.receive();
    if (!value) throw std::runtime_error("a writer is gone");
    return *value;
  }
  void die() { EXPECT_EQ(child_.kill(), -SIGKILL); }

 private:
  Child child_;
};

class SysfsCounters : public SysfsTest {
 protected:
  std::uint64_t total(const std::string& directory = kSuccess) const {
    return attributes_.number(directory + "total");
  }
  std::uint64_t present(const std::string& directory = kSuccess) const {
    return attributes_.number(directory + "present");
  }
  int zero(const std::string& file, const std::string& text = "0") const {
    return attributes_.write(kSuccess + file, text);
  }
};

// Sysfs1: the reference shows a process's counts when it has died, later ones show residue.
TEST_F(SysfsCounters, Sysfs1TotalsAreLiveAndStayAfterTheirProcess) {
  Writer first;
  Writer second;
  EXPECT_EQ(total(), 0u);
  first.add(0, kCompleted, 5);
  EXPECT_EQ(total(), 5u);
  second.add(0, kCompleted, 7);
  EXPECT_EQ(total(), 12u);
  first.add(0, kCompleted, 1);
  first.die();
  EXPECT_EQ(total(), 13u);
  second.die();
  EXPECT_EQ(total(), 13u);
  Writer third;
  EXPECT_EQ(total(), 13u);
  third.add(0, kCompleted, 2);
  EXPECT_EQ(total(), 15u);
}

// Sysfs2: not a window. The size of the last change that was seen, of any process.
TEST_F(SysfsCounters, Sysfs2PresentIsTheLastChange) {
  const Writer first;
  Writer second;
  first.add(0, kCompleted, 5);
  EXPECT_EQ(present(), 5u);
  second.add(0, kCompleted, 7);
  EXPECT_EQ(present(), 7u);
  EXPECT_EQ(present(), 7u);
  second.add(0, kCompleted, 3);
  second.die();
  EXPECT_EQ(present(), 3u);
}

TEST_F(SysfsCounters, EveryCounterOfEveryCoreHasItsFile) {
  const Writer writer;
  std::uint64_t amount = 1;
  for (const auto* files : {&kStatusFiles, &kOtherFiles}) {
    for (unsigned core = 0; core < kCores; ++core) {
      for (const auto& file : *files) {
        const auto directory = files == &kStatusFiles ? status(core, file.directory)
                                                      : other_info(core, file.directory);
        writer.add(core, file.id, ++amount);
        const auto shown = file.id == kMacs ? 2 * amount : amount;
        EXPECT_EQ(total(directory), shown) << directory;
        EXPECT_EQ(present(directory), shown) << directory;
      }
    }
  }
  // None of the later ones went into an earlier one.
  std::uint64_t expected = 1;
  for (unsigned core = 0; core < kCores; ++core) {
    for (const auto& file : kStatusFiles) {
      EXPECT_EQ(total(status(core, file.directory)), ++expected) << file.directory;
    }
  }
}

TEST_F(SysfsCounters, WritingAnythingZeroesThatFileOnly) {
  const Writer writer;
  writer.add(0, kCompleted, 5);
  writer.add(1, kCompleted, 6);
  for (const char* text : {"0", "5\n", "nonsense", "x"}) {
    writer.add(0, kCompleted, 1);
    EXPECT_EQ(zero("total", text), 0) << text;
    EXPECT_EQ(total(), 0u) << text;
    EXPECT_NE(present(), 0u) << text;
  }
  EXPECT_EQ(zero("present"), 0);
  EXPECT_EQ(present(), 0u);
  EXPECT_EQ(total(), 0u);
  EXPECT_EQ(total(status(1, "success")), 6u);
  // Growth that nobody had looked at before the write belongs to the time before it.
  writer.add(0, kCompleted, 9);
  EXPECT_EQ(zero("total"), 0);
  EXPECT_EQ(total(), 0u);
  writer.add(0, kCompleted, 2);
  EXPECT_EQ(total(), 2u);
  EXPECT_EQ(present(), 2u);
}

TEST_F(SysfsCounters, WritingNeverTouchesAProcess) {
  const Writer writer;
  EXPECT_EQ(writer.add(0, kCompleted, 5), 5u);
  EXPECT_EQ(zero("total"), 0);
  EXPECT_EQ(zero("present"), 0);
  EXPECT_EQ(writer.add(0, kCompleted, 1), 6u);
  EXPECT_EQ(total(), 1u);
}

// Sysfs11: nothing that is taken away later can pass below zero.
TEST_F(SysfsCounters, Sysfs11AWordThatFallsNeverWraps) {
  Writer writer;
  writer.add(0, kCompleted, 5);
  EXPECT_EQ(zero("total"), 0);
  writer.add(0, kCompleted, static_cast<std::uint64_t>(-4));
  EXPECT_EQ(total(), 0u);
  writer.add(0, kCompleted, 3);
  EXPECT_EQ(total(), 3u);
  writer.add(0, kCompleted, static_cast<std::uint64_t>(-100));
  writer.die();
  EXPECT_EQ(total(), 3u);
}

TEST_F(SysfsCounters, WhatIsCountedAfterTheReleaseArrivesWithTheUnmapping) {
  Child child([](Channel& channel) {
    const Node node(0);
    auto slab = node.map_slab();
    CHILD_CHECK(slab.valid());
    slab.add_nc(0, kCompleted, 4);
    CHILD_CHECK(node.release() == 0);
    slab.add_nc(0, kCompleted, 2);
    slab.reset();
    channel.send();
    sleep_for_ever();
    return 0;
  });
  ASSERT_TRUE(child.receive().has_value());
  EXPECT_EQ(total(), 6u);
  EXPECT_EQ(present(), 2u);
  child.kill();
}

TEST_F(SysfsCounters, ANewDeviceOfTheSameIndexStartsAtZero) {
  {
    const Writer writer;
    writer.add(0, kCompleted, 5);
  }
  EXPECT_EQ(total(), 5u);
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_FALSE(exists(device_directory(0)));
  ASSERT_TRUE(eventually([&] { return module().new_device("v3") == 0; }));
  ASSERT_TRUE(ready());
  EXPECT_EQ(total(), 0u);
}

TEST_F(SysfsCounters, DevicesAreApart) {
  ASSERT_EQ(module().new_device("v3"), 0);
  ASSERT_TRUE(ready(1));
  const Writer writer(1);
  writer.add(0, kCompleted, 5);
  EXPECT_EQ(total(), 0u);
  EXPECT_EQ(Attributes(1).number(kSuccess + "total"), 5u);
}

}  // namespace
}  // namespace ndtel::vm
