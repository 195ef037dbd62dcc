// SPDX-License-Identifier: Apache-2.0
#include "sysmon.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>
#include <utility>

#include "nrt/nlog.h"
#include "sampler.hpp"

namespace ndtel::sysmon {

using SteadyClock = std::chrono::steady_clock;

struct Monitor::Impl {
  explicit Impl(const Options& options)
      : period(options.period),
        sampler(options.proc, options.max_samples,
                std::chrono::duration<float>(options.period).count()) {}
  ~Impl() {
    if (stop_fd >= 0) ::close(stop_fd);
  }

  static void* run(void* self) {
    static_cast<Impl*>(self)->sample_until_stopped();
    return nullptr;
  }
  void sample_until_stopped() noexcept;
  bool stopped_before(SteadyClock::time_point deadline) noexcept;

  const std::chrono::milliseconds period;
  const pid_t owner = ::getpid();
  // Not a condition variable: a forked child could never destroy one that has a waiter.
  const int stop_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  mutable std::mutex lock;  // guards `sampler`
  Sampler sampler;

  pthread_t thread{};
  bool running = false;  // `thread` is to be joined
};

bool Monitor::Impl::stopped_before(SteadyClock::time_point deadline) noexcept {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(1);
  pollfd stop{stop_fd, POLLIN, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
    const auto wait = std::clamp(left, std::chrono::milliseconds(0), kLongest);
    if (::poll(&stop, 1, static_cast<int>(wait.count())) > 0) return true;
    if (SteadyClock::now() >= deadline) return false;
  }
}

void Monitor::Impl::sample_until_stopped() noexcept {
  auto next = SteadyClock::now();
  while (true) {
    // On a grid, so that reading takes nothing from the period; a tick that is missed is not made
    // up for.
    next = std::max(next + period, SteadyClock::now());
    if (stopped_before(next)) return;
    try {
      const std::lock_guard hold(lock);
      if (!sampler.tick()) return;
    } catch (const std::bad_alloc&) {
      nlog_write("INSP", "sysmon", NRT_LOG_LEVEL_WARN, false, false,
                 "there is no memory for more samples: sampling ends");
      return;
    }
  }
}

Monitor::Monitor(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

Monitor::~Monitor() { stop(); }

Result<std::unique_ptr<Monitor>> Monitor::start(const Options& options) {
  if (options.period.count() <= 0)
    return Error{EINVAL, "host sampler: the period has to be positive"};
  try {
    auto impl = std::make_unique<Impl>(options);
    if (impl->stop_fd < 0) return Error{errno, "host sampler: there is no descriptor for it"};
    // The thread inherits what is blocked here: signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&impl->thread, nullptr, &Impl::run, impl.get());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error != 0) return Error{error, "host sampler: there is no room for its thread"};
    impl->running = true;
    return std::unique_ptr<Monitor>(new Monitor(std::move(impl)));
  } catch (const std::bad_alloc&) {
    return Error{ENOMEM, "host sampler: there is no memory for it"};
  }
}

ntff::HostSeries Monitor::series() const {
  const std::lock_guard hold(impl_->lock);
  return impl_->sampler.series();
}

void Monitor::stop() noexcept {
  if (!impl_ || !std::exchange(impl_->running, false)) return;
  // A child of fork() has no such thread.
  if (impl_->owner != ::getpid()) return;
  const std::uint64_t one = 1;
  // It cannot fail: the count is far from full.
  [[maybe_unused]] const ssize_t written = ::write(impl_->stop_fd, &one, sizeof one);
  pthread_join(impl_->thread, nullptr);
}

}  // namespace ndtel::sysmon
