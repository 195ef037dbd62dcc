// SPDX-License-Identifier: Apache-2.0
//
// Keeps what a caller can provoke from filling a log.
#ifndef NDTEL_LOG_RATE_LIMIT_HPP
#define NDTEL_LOG_RATE_LIMIT_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ndtel::nlog {

/// A place in the source.
struct Place {
  const char* file;
  unsigned line;
};

/// One line per second and place. Any number of threads may ask.
class RateLimit {
 public:
  /// Whether `place` may speak at `now_ns`, and then how many times it was refused since it last
  /// did. Places beyond kPlaces share one turn.
  bool admit(Place place, std::uint64_t now_ns, std::uint64_t* suppressed) noexcept;

  /// The time for admit(): it need not be precise.
  static std::uint64_t now_ns() noexcept;

  /// Lets every place speak again; no other thread may use this object meanwhile.
  void forget() noexcept;

  static constexpr std::size_t kPlaces = 128;
  static constexpr std::uint64_t kInterval = 1'000'000'000;

 private:
  struct Turn {
    std::atomic<std::uint64_t> place{0};    // 0: nobody's
    std::atomic<std::uint64_t> next_ns{0};  // may speak from then on
    std::atomic<std::uint64_t> suppressed{0};
  };

  Turn& turn_of(std::uint64_t key) noexcept;

  Turn turns_[kPlaces + 1];  // the last one is shared
};

}  // namespace ndtel::nlog

#endif  // NDTEL_LOG_RATE_LIMIT_HPP
