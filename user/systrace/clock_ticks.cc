// SPDX-License-Identifier: Apache-2.0
#include "clock_ticks.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ndtel::systrace {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::int64_t read_clock(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * kNanosecondsPerSecond + now.tv_nsec;
}

#if defined(__x86_64__)
constexpr TickSource kCounter = TickSource::kTsc;
// The kernel builds its clock on the counter, directly or through the hypervisor's page, only where
// all processors' counters agree; it stops doing so when they drift apart.
constexpr std::array<std::string_view, 3> kClockSources{"tsc", "kvm-clock",
                                                        "hyperv_clocksource_tsc_page"};

bool counter_is_usable() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kPowerManagement = 0x80000007, kInvariantTsc = 1u << 8;
  if (__get_cpuid(kPowerManagement, &a, &b, &c, &d) == 0 || (d & kInvariantTsc) == 0) return false;
  // A sandbox may have forbidden the instruction.
  int access = PR_TSC_SIGSEGV;
  return ::prctl(PR_GET_TSC, &access, 0, 0, 0) == 0 && access == PR_TSC_ENABLE;
}
#elif defined(__aarch64__)
constexpr TickSource kCounter = TickSource::kCntvct;
constexpr std::array<std::string_view, 1> kClockSources{"arch_sys_counter"};

bool counter_is_usable() noexcept { return true; }
#else
constexpr TickSource kCounter = TickSource::kMonotonic;
constexpr std::array<std::string_view, 0> kClockSources{};

bool counter_is_usable() noexcept { return false; }
#endif

bool kernel_trusts_counter() noexcept {
  const int file = ::open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                          O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 64> text;
  const ssize_t length = ::read(file, text.data(), text.size());
  ::close(file);
  if (length <= 0) return false;
  std::string_view name(text.data(), static_cast<std::size_t>(length));
  if (name.back() == '\n') name.remove_suffix(1);
  return std::find(kClockSources.begin(), kClockSources.end(), name) != kClockSources.end();
}

}  // namespace

std::uint64_t detail::monotonic_ns() noexcept {
  return static_cast<std::uint64_t>(read_clock(CLOCK_MONOTONIC));
}

std::int64_t realtime_ns() noexcept { return read_clock(CLOCK_REALTIME); }

TickSource best_tick_source() noexcept {
  return counter_is_usable() && kernel_trusts_counter() ? kCounter : TickSource::kMonotonic;
}

bool use_tick_source(TickSource source) noexcept {
  if (source != kCounter && source != TickSource::kMonotonic) return false;
  detail::hardware_ticks = source != TickSource::kMonotonic;
  return true;
}

TickSource tick_source() noexcept {
  return detail::hardware_ticks ? kCounter : TickSource::kMonotonic;
}

}  // namespace ndtel::systrace
