// SPDX-License-Identifier: Apache-2.0
#include "stop_flag.hpp"

#include <signal.h>
#include <time.h>

#include <algorithm>

#include "clock.hpp"

namespace ndtel::cli {
namespace {

volatile sig_atomic_t g_asked = 0;

void ask(int) { g_asked = 1; }

}  // namespace

StopFlag::StopFlag() {
  struct sigaction action {};
  action.sa_handler = ask;  // without SA_RESTART: waits return early
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool StopFlag::asked() const { return g_asked != 0; }

Deadline::Deadline(std::optional<double> seconds) {
  if (seconds) when_ns_ = monotonic_ns() + static_cast<std::uint64_t>(*seconds * 1e9);
}

bool Deadline::passed() const { return when_ns_ && monotonic_ns() >= *when_ns_; }

int Deadline::left_ms(int most) const {
  if (!when_ns_) return most;
  const std::uint64_t now = monotonic_ns();
  if (now >= *when_ns_) return 0;
  return static_cast<int>(
      std::min<std::uint64_t>((*when_ns_ - now) / 1'000'000 + 1, static_cast<std::uint64_t>(most)));
}

bool sleep_unless_done(double seconds, const StopFlag& stop, const Deadline& deadline) {
  constexpr int kStepMs = 50;
  const Deadline nap(seconds);
  while (!stop.asked() && !deadline.passed()) {
    if (nap.passed()) return false;
    const int ms = std::min(nap.left_ms(kStepMs), deadline.left_ms(kStepMs));
    const timespec wait{0, static_cast<long>(ms) * 1'000'000};
    nanosleep(&wait, nullptr);
  }
  return true;
}

}  // namespace ndtel::cli
