// SPDX-License-Identifier: Apache-2.0
//
// Directories that processes ask for with device counter 11.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "expected.hpp"
#include "support/file.hpp"
#include "support/kernel_log.hpp"
#include "support/owner.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

constexpr std::uint32_t kBitmap = 11;
// Named counters without a directory of their own.
const std::set<unsigned> kDynamic = {8, 9, 10, 12, 13, 14, 15, 21, 22, 23, 24, 25, 26};

std::string directory(unsigned core, unsigned counter) {
  return other_info(core, "new_metric_" + std::to_string(counter));
}

class SysfsDynamic : public SysfsTest {
 protected:
  static void ask(std::uint64_t bitmap, std::uint64_t counts = 0) {
    Owner owner([&](const Mapping& slab) {
      store_nd(slab, kBitmap, bitmap);
      for (unsigned core = 0; core < 8; ++core) {
        for (unsigned counter = 0; counter < 64; ++counter) {
          slab.add_nc(core, counter, counts);
        }
      }
    });
    owner.kill();
  }
  bool there(unsigned counter) const {
    return exists(attributes_.path(directory(0, counter) + "total"));
  }
};

// Sysfs4: the first process that asked took the kernel down.
TEST_F(SysfsDynamic, Sysfs4WhatIsAskedForAppearsOnEveryCore) {
  const auto before = files_below(device_directory(0));
  ask(std::uint64_t{1} << 9, 6);
  ASSERT_TRUE(eventually([&] { return exists(attributes_.path(directory(7, 9) + "total")); }));
  auto after = files_below(device_directory(0));
  for (unsigned core = 0; core < 8; ++core) {
    // What was counted before somebody asked is in it.
    EXPECT_EQ(attributes_.text(directory(core, 9) + "total"), "6\n");
    EXPECT_EQ(attributes_.text(directory(core, 9) + "present"), "6\n");
    EXPECT_EQ(after.at(directory(core, 9) + "total"), 0644u);
    after.erase(directory(core, 9) + "total");
    after.erase(directory(core, 9) + "present");
  }
  EXPECT_EQ(before, after);
  EXPECT_EQ(attributes_.write(directory(3, 9) + "total", "0"), 0);
  EXPECT_EQ(attributes_.text(directory(3, 9) + "total"), "0\n");
}

TEST_F(SysfsDynamic, Sysfs4AnyBitmapIsHarmless) {
  ask(~std::uint64_t{0}, 1);
  ASSERT_TRUE(eventually([&] { return exists(attributes_.path(directory(7, 26) + "present")); }));
  for (unsigned counter = 0; counter < 64; ++counter) {
    EXPECT_EQ(there(counter), kDynamic.contains(counter)) << counter;
  }
  const auto files = files_below(device_directory(0));
  for (int i = 0; i < 5; ++i) ask(~std::uint64_t{0});
  EXPECT_EQ(files_below(device_directory(0)), files);
}

TEST_F(SysfsDynamic, TheyGoWithTheDevice) {
  ask(~std::uint64_t{0});
  ASSERT_TRUE(eventually([&] { return exists(attributes_.path(directory(7, 26) + "present")); }));
  ASSERT_EQ(module().del_device(0), 0);
  EXPECT_FALSE(exists(device_directory(0)));
  ASSERT_TRUE(eventually([&] { return module().new_device("v3") == 0; }));
  ASSERT_TRUE(ready());
  EXPECT_FALSE(there(26));
}

TEST_F(SysfsDynamic, ADeviceMayGoWhileTheyAreMade) {
  for (int i = 0; i < 5; ++i) {
    ask(~std::uint64_t{0});
    ASSERT_EQ(module().del_device(0), 0);
    ASSERT_TRUE(eventually([&] { return module().new_device("v3") == 0; }));
  }
}

}  // namespace
}  // namespace ndtel::vm
