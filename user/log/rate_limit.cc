// SPDX-License-Identifier: Apache-2.0
#include "rate_limit.hpp"

#include <time.h>

namespace ndtel::nlog {
namespace {

// Where the address of the file's name and the line number meet in a number that is never 0.
std::uint64_t key_of(Place place) noexcept {
  const auto file = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(place.file));
  return ((file << 20) + place.line) << 1 | 1;
}

}  // namespace

RateLimit::Turn& RateLimit::turn_of(std::uint64_t key) noexcept {
  const std::size_t home = (key * 0x9E3779B97F4A7C15 >> 32) % kPlaces;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    Turn& turn = turns_[(home + i) % kPlaces];
    std::uint64_t owner = turn.place.load(std::memory_order_relaxed);
    if (owner == 0 && turn.place.compare_exchange_strong(owner, key, std::memory_order_relaxed))
      return turn;
    if (owner == key) return turn;
  }
  return turns_[kPlaces];
}

bool RateLimit::admit(Place place, std::uint64_t now_ns, std::uint64_t* suppressed) noexcept {
  Turn& turn = turn_of(key_of(place));
  std::uint64_t next = turn.next_ns.load(std::memory_order_relaxed);
  if (now_ns < next ||
      !turn.next_ns.compare_exchange_strong(next, now_ns + kInterval, std::memory_order_relaxed)) {
    turn.suppressed.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  *suppressed = turn.suppressed.exchange(0, std::memory_order_relaxed);
  return true;
}

std::uint64_t RateLimit::now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void RateLimit::forget() noexcept {
  for (Turn& turn : turns_) {
    turn.place.store(0, std::memory_order_relaxed);
    turn.next_ns.store(0, std::memory_order_relaxed);
    turn.suppressed.store(0, std::memory_order_relaxed);
  }
}

}  // namespace ndtel::nlog
