// SPDX-License-Identifier: Apache-2.0
//
// Memory by core, place and purpose: bytes that are held now.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <ndtel/nds.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>

#include "expected.hpp"
#include "support/file.hpp"
#include "support/owner.hpp"
#include "sysfs.hpp"

namespace ndtel::vm {
namespace {

constexpr unsigned kCores = 8;
constexpr std::uint64_t kPage = 4096;

const std::string kDriver = "stats/memory_usage/host_mem/driver_memory/";

std::string core_memory(unsigned core, const std::string& name) {
  return "neuron_core" + std::to_string(core) + "/stats/memory_usage/" + name + "/";
}

std::optional<Owner> owner() {
  return std::optional<Owner>(std::in_place, [](const Mapping&) {});
}

class SysfsMemory : public SysfsTest {
 protected:
  std::uint64_t driver(const std::string& file) const { return attributes_.number(kDriver + file); }

  void expect_sums() const {
    std::uint64_t host = 0;
    for (unsigned core = 0; core < kCores; ++core) {
      std::uint64_t device = 0;
      for (const auto* name : kDeviceMemory) {
        device +=
            attributes_.number(core_memory(core, std::string("device_mem/") + name) + "total");
      }
      EXPECT_EQ(attributes_.number(core_memory(core, "device_mem") + "total"), device);
      host += attributes_.number(core_memory(core, "host_mem") + "total");
    }
    std::uint64_t purposes = 0;
    for (const auto* name : kHostMemory) {
      purposes += attributes_.number(std::string("stats/memory_usage/host_mem/") + name + "/total");
    }
    EXPECT_EQ(host, purposes);
  }
};

TEST_F(SysfsMemory, SlabsAreBookedWhileTheyAreHeld) {
  const auto before = driver("total");
  EXPECT_GT(before, 0u);
  EXPECT_EQ(before % kPage, 0u);
  auto first = owner();
  EXPECT_EQ(driver("total"), before + NDS_SLAB_SIZE);
  EXPECT_EQ(driver("present"), NDS_SLAB_SIZE);
  auto second = owner();
  EXPECT_EQ(driver("total"), before + 2 * NDS_SLAB_SIZE);
  first.reset();
  second.reset();
  EXPECT_TRUE(eventually([&] { return driver("total") == before; }));
  EXPECT_EQ(driver("present"), NDS_SLAB_SIZE);
  EXPECT_EQ(driver("peak"), before + 2 * NDS_SLAB_SIZE);
}

TEST_F(SysfsMemory, SumsHoldBeforeDuringAndAfterProcesses) {
  expect_sums();
  {
    const auto one = owner();
    expect_sums();
  }
  ASSERT_TRUE(no_slabs_left());
  expect_sums();
}

TEST_F(SysfsMemory, TheModulesOwnIsCoreZeros) {
  EXPECT_EQ(attributes_.number(core_memory(0, "host_mem") + "total"), driver("total"));
  for (unsigned core = 1; core < kCores; ++core) {
    EXPECT_EQ(attributes_.number(core_memory(core, "host_mem") + "total"), 0u) << core;
  }
}

// Sysfs11, Sysfs12: bytes held cannot be written away, so what is freed later never wraps.
TEST_F(SysfsMemory, Sysfs11And12TotalsCannotBeWrittenAway) {
  auto one = owner();
  const auto held = driver("total");
  const Fd fd(::open(attributes_.path(kDriver + "total").c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(fd.valid());
  EXPECT_EQ(errno, EACCES);
  one.reset();
  EXPECT_TRUE(eventually([&] { return driver("total") == held - NDS_SLAB_SIZE; }));
}

TEST_F(SysfsMemory, WritesStartThePeakAgainAndZeroPresent) {
  { const auto one = owner(); }
  ASSERT_TRUE(no_slabs_left());
  const auto held = driver("total");
  EXPECT_EQ(driver("peak"), held + NDS_SLAB_SIZE);
  EXPECT_EQ(attributes_.write(kDriver + "peak", "0"), 0);
  EXPECT_EQ(driver("peak"), held);
  EXPECT_EQ(driver("present"), NDS_SLAB_SIZE);
  EXPECT_EQ(attributes_.write(kDriver + "present", "any"), 0);
  EXPECT_EQ(driver("present"), 0u);
  EXPECT_EQ(driver("total"), held);
  EXPECT_EQ(driver("peak"), held);
}

// Sysfs12: what a device holds when its tree appears is already in it.
TEST_F(SysfsMemory, Sysfs12MemoryFromBeforeTheTreeIsInIt) {
  // Two places of eight pages that firmware reads and writes, and the device itself.
  EXPECT_GE(driver("total"), 2 * 8 * kPage + kPage);
}

TEST_F(SysfsMemory, AppsInfoTellsTheSameOfAProcess) {
  const auto before = driver("total");
  const auto one = owner();
  const Node node(0);
  struct {
    nd_ioctl_apps_info_hdr header;
    nd_ioctl_app_record record;
  } info{};
  info.header.flags = ND_APPS_MEM_USAGE;
  info.header.capacity = 1;
  ASSERT_EQ(node.apps_info(&info.header), 0);
  ASSERT_EQ(info.header.size, 1u);
  EXPECT_EQ(info.record.host_mem_size, driver("total") - before);
}

}  // namespace
}  // namespace ndtel::vm
