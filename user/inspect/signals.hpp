// SPDX-License-Identifier: Apache-2.0
//
// SIGTERM and SIGINT end a session, with its files, before whatever handled them so far goes on.
//
// The handler only wakes a thread: what it interrupted may hold any lock. That thread ends the
// session, and then has the interrupted one run the handler that was there before, with what the
// signal came with; or, where there was none, it restores the default and sends the signal again,
// so that the process ends as it would have. A signal that was ignored stays ignored. While nothing
// is recorded, the handler passes every signal on at once.
#ifndef NDTEL_INSPECT_SIGNALS_HPP
#define NDTEL_INSPECT_SIGNALS_HPP

#include <chrono>

namespace ndtel::inspect::signals {

/// Handles the signals from now on, with `stop` to end a session, and starts the thread that calls
/// it; that is done once in a process. Without a thread the signals are left alone, with a warning.
void watch(void (*stop)() noexcept) noexcept;

/// Whether there is a session to be ended.
void set_armed(bool armed) noexcept;

/// How long a signal waits for a session to end; 30 s at first.
void set_patience(std::chrono::milliseconds patience) noexcept;

/// In a child that fork() made: it has no such thread. Allocates nothing.
void start_over_in_child() noexcept;

}  // namespace ndtel::inspect::signals

#endif  // NDTEL_INSPECT_SIGNALS_HPP
