// SPDX-License-Identifier: Apache-2.0
//
// What the mapping tests share.
#ifndef NDTEL_TESTS_VM_MAPPING_MAPPING_HPP
#define NDTEL_TESTS_VM_MAPPING_MAPPING_HPP

#include <unistd.h>

#include <cstdint>
#include <optional>

#include "support/child.hpp"
#include "support/debugfs.hpp"
#include "support/fixture.hpp"
#include "support/node.hpp"

namespace ndtel::vm {

/// CloudWatch id under which INFER_COMPLETED is posted.
inline constexpr unsigned kCwCompleted = 200;

class MappingTest : public ModuleTest {
 protected:
  /// Address ranges that map a process's own slab on device 0, released or not.
  static unsigned mappings() {
    unsigned sum = 0;
    for (const auto& row : Debugfs(0).slabs()) {
      if (row.pid == ::getpid()) sum += row.mappings;
    }
    return sum;
  }
  static std::uint64_t incremented(int device = 0) {
    return Debugfs(device).books_of(kCwCompleted).incremented;
  }
  /// How a child ends that does `access`; the kernel's answer to a forbidden one is a signal.
  template <typename Access>
  static int end_of(Access access) {
    Child child([&](Channel&) -> int {
      access();
      return 0;
    });
    return child.wait();
  }
};

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_MAPPING_MAPPING_HPP
