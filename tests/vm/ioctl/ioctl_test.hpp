// SPDX-License-Identifier: Apache-2.0
//
// The table of ioctls as the wire has it, and a device of each generation.
#ifndef NDTEL_TESTS_VM_IOCTL_IOCTL_TEST_HPP
#define NDTEL_TESTS_VM_IOCTL_IOCTL_TEST_HPP

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {

/// ENOTSUPP, which programs have no name for.
inline constexpr int kNotSupported = 524;

/// What a command wants of its caller, as flags.
enum Gate : unsigned {
  kNormal = 0,    ///< a file of the normal lane
  kFree = 1,      ///< works on a descriptor opened O_WRONLY too
  kWritable = 2,  ///< a descriptor open for writing, or CAP_SYS_ADMIN
  kOpener = 4,    ///< the process that opened the file
};

struct Command {
  const char* name;
  std::uint32_t number;
  std::size_t bytes;  ///< of the argument
  unsigned gate;
  bool reads;        ///< its argument
  bool writes;       ///< its argument, also when that is all zero
  int of_zeros = 0;  ///< result for an argument that is all zero, on device 0, by root

  constexpr bool free_lane() const { return (gate & kFree) != 0; }
  constexpr bool touches_its_argument() const { return reads || writes; }
};

inline constexpr Command kCommands[] = {
    {"DEVICE_INFO", 0x80084E03, 80, kNormal, false, true},
    {"DEVICE_APP_PID", 0x80044E06, 4, kNormal, false, true},
    {"GET_ALL_APPS_INFO", 0x80084E07, 16, kNormal, true, true},
    {"BAR_READ", 0x80084E0B, 32, kNormal, true, false, -EINVAL},
    {"BAR_WRITE", 0x40084E0C, 32, kWritable | kOpener, true, false, -EINVAL},
    {"POST_METRIC", 0x40084E0D, 16, kWritable | kOpener, true, false, -EINVAL},
    {"READ_HW_COUNTERS", 0x80084E3D, 24, kWritable | kOpener, true, false, -EINVAL},
    {"ACQUIRE_NEURON_DS", 0x80084E47, 24, kNormal, true, true},
    {"RELEASE_NEURON_DS", 0x80084E48, 24, kNormal, true, false},
    {"CRWL_READER_ENTER", 0x40084E51, 36, kWritable | kOpener, true, false, -ENOENT},
    {"CRWL_READER_EXIT", 0x40084E52, 36, kWritable | kOpener, true, false, -ENOENT},
    {"CRWL_WRITER_DOWNGRADE", 0x40084E54, 36, kWritable | kOpener, true, false, -EINVAL},
    {"CRWL_WRITER_ENTER", 0x40084E53, 36, kWritable | kOpener, true, false},
    {"NC_RANGE_MARK", 0x40084E55, 24, kFree | kWritable | kOpener, true, false, -EINVAL},
    {"NC_RANGE_MARK_EXT", 0xC0504E55, 80, kFree | kWritable | kOpener, true, false, -EINVAL},
    {"NC_RANGE_UNMARK", 0x40084E56, 24, kFree | kWritable | kOpener, true, false},
    {"NC_RANGE_UNMARK_EXT", 0x40504E56, 80, kFree | kWritable | kOpener, true, false},
    {"CINIT_SET_STATE", 0x40084E5B, 12, kWritable | kOpener, true, true, -EINVAL},
    {"NC_MODEL_STARTED_COUNT", 0x40084E5C, 16, kNormal, true, true},
    {"COMPATIBLE_VERSION", 0x40084E5D, 8, kFree, false, true},
    {"DEVICE_BASIC_INFO", 0x40084E64, 8, kFree, false, true},
    {"DEVICE_BDF", 0x80084E65, 8, kNormal, false, false, -ENODEV},
    {"NC_RESET", 0x80084E67, 8, kWritable | kOpener, true, true, -EINVAL},
    {"NC_RESET_READY", 0x80084E68, 8, kNormal, true, false, -EINVAL},
    {"DEVICE_RESET_STATUS", 0x80014E6A, 1, kNormal, false, true},
    {"DEVICE_BDF_EXT", 0x80084E6A, 16, kFree, true, false, -ENODEV},
    {"DRIVER_INFO_GET", 0x80184E6E, 24, kFree, false, true},
    {"PRINTK", 0x40104E71, 16, kFree, true, false, -EINVAL},
    {"HOST_DEVICE_ID", 0x80044E72, 4, kNormal, false, true},
    {"HOST_DEVICE_ID_TO_RID_MAP", 0xC1044E73, 260, kFree, false, true},
    {"GET_LOGICAL_TO_PHYSICAL_NC_MAP", 0xC0104E78, 16, kFree, true, false, -kNotSupported},
    {"POD_INFO", 0xC1044E79, 260, kFree, true, true},
    {"POD_STATUS", 0xC10C4E7A, 268, kFree, true, true},
    {"POD_STATUS_V2", 0xC1144E7A, 276, kFree, true, true},
    {"POD_CTRL", 0xC0104E7B, 16, kFree | kWritable, true, true},
    {"POD_CTRL_V2", 0xC0144E7B, 20, kFree | kWritable, true, true},
    {"POWER_PROFILE", 0x40084E7F, 8, kWritable, true, false, -ENXIO},
    {"METRICS_CTRL", 0x40044E80, 4, kWritable, true, false},
    {"THROTTLING_NOTIFICATIONS", 0x40044E82, 4, kWritable, true, false},
    {"GET_PERFORMANCE_PROFILE", 0xC0084E84, 8, kNormal, true, false, -ENXIO},
    {"AVAILABLE_PERF_PROFILES", 0xC0244E86, 36, kNormal, true, false, -ENXIO},
};

/// Room for every argument.
inline constexpr std::size_t kArgumentRoom = 512;

inline constexpr std::uint32_t kDeviceInit = 0x80084E04;
inline constexpr std::uint32_t kDeviceRelease = 0x80084E05;
inline constexpr std::uint32_t kDriverInfoSet = 0x40184E6E;

/// What a generation says about itself.
struct Generation {
  const char* name;
  std::uint32_t architecture;
  std::uint32_t compatible_min;
  std::uint32_t compatible_max;
};

inline constexpr Generation kGenerations[] = {
    {"v2", 2, 5, 7}, {"v3", 3, 10, 11}, {"v4", 4, 10, 11}};
inline constexpr int kDevices = 3;

/// Devices 0, 1 and 2 are of the generations in kGenerations.
class IoctlTest : public ModuleTest {
 protected:
  explicit IoctlTest(const std::string& parameters = "")
      : ModuleTest("nmetric_metric_post_delay=3600000 " + parameters) {}

  void SetUp() override {
    ModuleTest::SetUp();
    for (const auto& generation : kGenerations) ASSERT_EQ(module().new_device(generation.name), 0);
  }
};

/// An argument full of a pattern, so that what is not written shows.
template <typename T>
T patterned() {
  T value;
  std::memset(&value, 0xA5, sizeof value);
  return value;
}

/// Any number as a pointer.
inline void* address(std::uintptr_t number) { return std::bit_cast<void*>(number); }

/// Three pages: one that can be written, one that can only be read, and one that cannot be touched,
/// in this order.
class GuardedMemory {
 public:
  GuardedMemory() : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    void* const start =
        ::mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) fail_errno("mmap");
    start_ = static_cast<std::byte*>(start);
    if (::mprotect(start_ + page_, page_, PROT_READ) != 0 ||
        ::mprotect(start_ + 2 * page_, page_, PROT_NONE) != 0) {
      fail_errno("mprotect");
    }
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { ::munmap(start_, 3 * page_); }

  std::byte* writable() const { return start_; }
  std::byte* read_only() const { return start_ + page_; }
  std::byte* untouchable() const { return start_ + 2 * page_; }
  /// Where an argument has its first `bytes` bytes in writable memory and the rest in read-only.
  std::byte* before_read_only(std::size_t bytes) const { return read_only() - bytes; }
  /// Where an argument has its first `bytes` bytes in read-only memory and the rest in none.
  std::byte* before_untouchable(std::size_t bytes) const { return untouchable() - bytes; }

 private:
  std::size_t page_;
  std::byte* start_;
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_IOCTL_IOCTL_TEST_HPP
