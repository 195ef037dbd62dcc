// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_CLOCK_HPP
#define NDTEL_CLI_CLOCK_HPP

#include <time.h>

#include <cstdint>

namespace ndtel::cli {

/// CLOCK_MONOTONIC in nanoseconds.
inline std::uint64_t monotonic_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_CLOCK_HPP
