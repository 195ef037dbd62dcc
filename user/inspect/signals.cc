// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "log.hpp"

namespace ndtel::inspect::signals {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGINT};

// What the thread is told of a signal.
struct Arrival {
  int signal;
  pid_t thread;  // that was interrupted
  siginfo_t info;
};
static_assert(sizeof(Arrival) <= PIPE_BUF, "arrivals are written whole");

// An arrival that the interrupted thread is to pass on, from the thread that ended the session.
struct Return {
  enum State { kNone, kThere, kBeingRead };
  std::atomic<int> state{kNone};
  siginfo_t info;
};

struct Watched {
  std::atomic<bool> handled{false};
  // What was there before; changes in `pass_on` only, of a handler that is for one signal.
  struct sigaction previous;
  std::atomic<bool> used_up{false};
  Return back;
};

Watched watched[std::size(kSignals)];
std::atomic<bool> armed{false};
std::atomic<int> wake{-1};      // write end of the pipe of the thread
std::atomic<pid_t> process{0};  // whose thread it is
std::atomic<std::int64_t> patience_ms{30'000};

Watched& of(int signal) noexcept { return watched[signal == SIGTERM ? 0 : 1]; }

bool is_default(const Watched& signal) noexcept {
  return ((signal.previous.sa_flags & SA_SIGINFO) == 0 && signal.previous.sa_handler == SIG_DFL) ||
         signal.used_up.load(std::memory_order_acquire);
}

// Calls the handler that was there before. Safe inside of a handler, if that one is.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  Watched& watched = of(signal);
  if ((watched.previous.sa_flags & static_cast<int>(SA_RESETHAND)) != 0)
    watched.used_up.store(true, std::memory_order_release);
  if ((watched.previous.sa_flags & SA_SIGINFO) != 0) {
    watched.previous.sa_sigaction(signal, info, context);
  } else if (watched.previous.sa_handler != SIG_IGN) {
    watched.previous.sa_handler(signal);
  }
}

// Leaves the signal to the default, and sends it.
void end_process(int signal) noexcept {
  struct sigaction none {};
  none.sa_handler = SIG_DFL;
  ::sigaction(signal, &none, nullptr);
  ::kill(::getpid(), signal);
}

bool hand_to_thread(int signal, const siginfo_t& info) noexcept {
  const int fd = wake.load(std::memory_order_acquire);
  if (!armed.load(std::memory_order_acquire) || fd < 0 || process.load() != ::getpid())
    return false;
  const Arrival arrival{signal, ::gettid(), info};
  ssize_t written = 0;
  do {
    written = ::write(fd, &arrival, sizeof arrival);
  } while (written < 0 && errno == EINTR);
  // With hundreds of them waiting, this one is not told from those, as with any pending signal.
  return written == sizeof arrival || errno == EAGAIN;
}

void handle(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  Watched& watched = of(signal);
  int there = Return::kThere;
  if (watched.back.state.compare_exchange_strong(there, Return::kBeingRead,
                                                 std::memory_order_acquire)) {
    siginfo_t first = watched.back.info;
    watched.back.state.store(Return::kNone, std::memory_order_release);
    pass_on(signal, &first, context);
  } else if (!hand_to_thread(signal, *info)) {
    if (is_default(watched)) {
      end_process(signal);
    } else {
      pass_on(signal, info, context);
    }
  }
  errno = saved;
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
}

// ---- the thread ----

// Calls `stop`, and waits for its end as long as patience allows.
void stop_in_time(void (*stop)() noexcept) {
  struct End {
    std::mutex lock;
    std::condition_variable changed;
    bool reached = false;
  };
  const auto end = std::make_shared<End>();
  try {
    std::thread([end, stop] {
      stop();
      const std::lock_guard guard(end->lock);
      end->reached = true;
      end->changed.notify_all();
    }).detach();
  } catch (const std::system_error&) {
    stop();  // without anybody to watch the time
    return;
  }
  std::unique_lock guard(end->lock);
  const std::chrono::milliseconds patience(patience_ms.load());
  if (!end->changed.wait_for(guard, patience, [&] { return end->reached; }))
    log::error("the session takes more than {} ms to end: going on without", patience.count());
}

// What the signal would have done without us.
void go_on(Arrival& arrival) {
  Watched& watched = of(arrival.signal);
  if (is_default(watched)) {
    end_process(arrival.signal);
    // Should every other thread block it, this one takes it.
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, arrival.signal);
    ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    return;
  }
  struct sigaction now {};
  ::sigaction(arrival.signal, nullptr, &now);
  if (!is_ours(now)) {
    // Whoever took our place called us, and would be called twice.
    pass_on(arrival.signal, &arrival.info, nullptr);
    return;
  }
  // In the interrupted thread, so that what it waits in is interrupted again: it may look for what
  // the handler does.
  int none = Return::kNone;
  if (!watched.back.state.compare_exchange_strong(none, Return::kBeingRead)) return;
  watched.back.info = arrival.info;
  watched.back.state.store(Return::kThere, std::memory_order_release);
  if (::syscall(SYS_tgkill, ::getpid(), arrival.thread, arrival.signal) != 0)
    ::kill(::getpid(), arrival.signal);  // that thread is gone
}

void serve(int fd, void (*stop)() noexcept) {
  for (;;) {
    Arrival arrival;
    const ssize_t got = ::read(fd, &arrival, sizeof arrival);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof arrival) return;  // not with a pipe of ours
    if (armed.load(std::memory_order_acquire)) {
      log::error("signal {}: ending the session", arrival.signal);
      stop_in_time(stop);
    }
    go_on(arrival);
  }
}

bool start_thread(void (*stop)() noexcept) noexcept {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread thread([fd = ends[0], stop] { serve(fd, stop); });
    ::pthread_setname_np(thread.native_handle(), "ndtel-inspect");
    thread.detach();
  } catch (const std::exception&) {
    started = false;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) {
    ::close(ends[0]);
    ::close(ends[1]);
    return false;
  }
  process.store(::getpid());
  wake.store(ends[1], std::memory_order_release);
  return true;
}

void handle_signal(int signal) noexcept {
  Watched& watched = of(signal);
  struct sigaction now {};
  if (watched.handled.load() || ::sigaction(signal, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_IGN) return;
  watched.previous = now;
  watched.handled.store(true);
  struct sigaction ours = now;
  ours.sa_sigaction = handle;
  // What is interrupted is interrupted as it would have been without us.
  const bool none = (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL;
  const int kept = now.sa_flags & (SA_RESTART | static_cast<int>(SA_NODEFER));
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (none ? SA_RESTART : kept);
  ::sigaction(signal, &ours, nullptr);
}

}  // namespace

void watch(void (*stop)() noexcept) noexcept {
  if (wake.load() < 0 && !start_thread(stop)) {
    log::warn("no thread to end the session on signals: they are left alone");
    return;
  }
  for (const int signal : kSignals) handle_signal(signal);
}

void set_armed(bool on) noexcept { armed.store(on, std::memory_order_release); }

void set_patience(std::chrono::milliseconds patience) noexcept {
  patience_ms.store(patience.count());
}

void start_over_in_child() noexcept {
  armed.store(false);
  // The read end stays open: nobody here knows it. The parent's end is not ours to write to.
  if (const int fd = wake.exchange(-1); fd >= 0) ::close(fd);
  for (Watched& signal : watched) signal.back.state.store(Return::kNone);
}

}  // namespace ndtel::inspect::signals
