// SPDX-License-Identifier: Apache-2.0
//
// Waiting for what happens on its own: never a fixed sleep, always a condition and a limit that is
// only met when something is broken. The limit allows for a debug kernel under emulation.
#ifndef NDTEL_TESTS_VM_SUPPORT_EVENTUALLY_HPP
#define NDTEL_TESTS_VM_SUPPORT_EVENTUALLY_HPP

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace ndtel::vm {

/// NDTEL_VM_PATIENCE in the environment sets other seconds.
inline const std::chrono::seconds kPatience{[] {
  const char* seconds = std::getenv("NDTEL_VM_PATIENCE");
  return seconds != nullptr ? std::atoi(seconds) : 60;
}()};

/// Asks until the condition holds. False when it still does not after `timeout`.
template <typename Condition>
bool eventually(Condition condition, std::chrono::milliseconds timeout = kPatience) {
  const auto limit = std::chrono::steady_clock::now() + timeout;
  // Most waits are short; those that are not must not keep a processor busy.
  std::chrono::microseconds pause(50);
  for (;;) {
    if (condition()) return true;
    if (std::chrono::steady_clock::now() >= limit) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(5000));
  }
}

}  // namespace ndtel::vm

#endif  // NDTEL_TESTS_VM_SUPPORT_EVENTUALLY_HPP
