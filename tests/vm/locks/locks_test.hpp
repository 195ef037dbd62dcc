// SPDX-License-Identifier: Apache-2.0
//
// What the tests of core locks and range marks share: the commands, two devices of eight cores.
#ifndef NDTEL_TESTS_VM_LOCKS_LOCKS_TEST_HPP
#define NDTEL_TESTS_VM_LOCKS_LOCKS_TEST_HPP

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "support/child.hpp"
#include "support/eventually.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {

/// One command on a core lock; `model` makes the uuid.
inline int crwl(const Node& node, unsigned long command, std::uint32_t core, char model = 'm') {
  nd_ioctl_crwl argument{};
  argument.nc_id = core;
  std::memset(argument.uuid, model, sizeof argument.uuid);
  return node.control(command, &argument);
}
inline int reader_enter(const Node& node, std::uint32_t core, char model = 'm') {
  return crwl(node, ND_IOC_CRWL_READER_ENTER, core, model);
}
inline int reader_exit(const Node& node, std::uint32_t core, char model = 'm') {
  return crwl(node, ND_IOC_CRWL_READER_EXIT, core, model);
}
inline int writer_enter(const Node& node, std::uint32_t core, char model = 'm') {
  return crwl(node, ND_IOC_CRWL_WRITER_ENTER, core, model);
}
inline int downgrade(const Node& node, std::uint32_t core, char model = 'm') {
  return crwl(node, ND_IOC_CRWL_WRITER_DOWNGRADE, core, model);
}

/// What MARK answered.
struct Marked {
  int result = 0;
  std::uint32_t max_available = 0;
  std::array<std::uint64_t, 8> bits{};

  bool operator==(const Marked&) const = default;
};

inline Marked mark(const Node& node, std::uint32_t count, std::uint32_t start, std::uint32_t end) {
  nd_ioctl_nc_range_ext range{};
  range.nc_count = count;
  range.start = start;
  range.end = end;
  range.max_available = 0xA5A5A5A5;
  std::memset(range.bitmap, 0xA5, sizeof range.bitmap);
  Marked marked;
  marked.result = node.control(ND_IOC_NC_RANGE_MARK_EXT, &range);
  marked.max_available = range.max_available;
  std::copy(std::begin(range.bitmap), std::end(range.bitmap), marked.bits.begin());
  return marked;
}

/// The first word of the marks, or -errno.
inline std::int64_t mark_small(const Node& node, std::uint32_t count, std::uint32_t start,
                               std::uint32_t end) {
  nd_ioctl_nc_range range{};
  range.nc_count = count;
  range.start = start;
  range.end = end;
  const int result = node.control(ND_IOC_NC_RANGE_MARK, &range);
  return result != 0 ? result : static_cast<std::int64_t>(range.bitmap);
}

inline int unmark(const Node& node, const std::array<std::uint64_t, 8>& bits) {
  nd_ioctl_nc_range_ext range{};
  std::copy(bits.begin(), bits.end(), std::begin(range.bitmap));
  return node.control(ND_IOC_NC_RANGE_UNMARK_EXT, &range);
}

/// A core's initialisation after the command, or -errno.
inline int cinit(const Node& node, std::uint32_t core, std::uint32_t state) {
  nd_ioctl_cinit argument{.nc_id = core, .state = state, .new_state = 99};
  const int result = node.control(ND_IOC_CINIT_SET_STATE, &argument);
  return result != 0 ? result : static_cast<int>(argument.new_state);
}

/// How long something took.
class Stopwatch {
 public:
  std::chrono::milliseconds passed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 start_);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class LocksTest : public ModuleTest {
 protected:
  explicit LocksTest(const std::string& more = "")
      : ModuleTest("sim_devices=2 nmetric_log_posts=2 nmetric_metric_post_delay=3600000 " + more) {}
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_LOCKS_LOCKS_TEST_HPP
