// SPDX-License-Identifier: Apache-2.0
//
// Processes that own a slab, and what they write into it.
#ifndef NDTEL_TESTS_VM_SUPPORT_OWNER_HPP
#define NDTEL_TESTS_VM_SUPPORT_OWNER_HPP

#include <ndtel/nds.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "support/child.hpp"
#include "support/node.hpp"

namespace ndtel::vm {

/// A process that owns a slab of device 0, has filled it, and lives until it is killed.
class Owner {
 public:
  using Fill = std::function<void(const Mapping&)>;

  /// Returns when the slab is filled.
  explicit Owner(const Fill& fill)
      : child_([&fill](Channel& channel) {
          const Node node(0);
          const auto slab = node.map_slab();
          CHILD_CHECK(slab.valid());
          fill(slab);
          channel.send();
          sleep_for_ever();
          return 0;
        }) {
    if (!child_.receive()) throw std::runtime_error("a child did not get its slab");
  }

  pid_t pid() const { return child_.pid(); }
  /// Dies now; its slab is released when this returns.
  void kill() { child_.kill(); }

 private:
  Child child_;
};

/// Stores one word of a slab.
inline void store(const Mapping& slab, int word, std::uint64_t value) {
  std::atomic_ref(slab.words()[word]).store(value, std::memory_order_relaxed);
}

inline void store_nd(const Mapping& slab, std::uint32_t counter, std::uint64_t value) {
  store(slab, ::nds_nd_word(counter), value);
}

/// A version word; `type` is the framework's.
constexpr std::uint64_t version(std::uint64_t major, std::uint64_t minor, std::uint64_t build,
                                std::uint64_t type = 0) {
  return build | minor << 32 | major << 40 | type << 48;
}

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_OWNER_HPP
