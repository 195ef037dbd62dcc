// SPDX-License-Identifier: Apache-2.0
//
// The threads that emit, and what each of them has for itself.
#ifndef NDTEL_SYSTRACE_THREADS_HPP
#define NDTEL_SYSTRACE_THREADS_HPP

#include <pthread.h>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "ndtel/trace_emit.hpp"

namespace ndtel::systrace {

using trace::detail::current_thread;

/// All threads that emit.
class Threads {
 public:
  /// `part` is called for each thread that ends, before its place goes.
  explicit Threads(void (*part)(Thread&) noexcept) noexcept;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// Makes a place for the calling thread; null without memory.
  Thread* join() noexcept;

  /// Calls `visit` with all threads, while none comes or goes.
  template <typename Visit>
  void with_all(Visit&& visit) noexcept {
    std::lock_guard guard(lock_);
    visit(std::as_const(threads_));
  }

  /// In a forked child: forgets all threads, the calling one included.
  void start_over_in_child() noexcept;

 private:
  static void ended(void* thread) noexcept;

  void (*const part_)(Thread&) noexcept;
  bool has_key_ = false;
  pthread_key_t key_{};  // its destructor is how the end of a thread is noticed
  std::mutex lock_;      // guards threads_
  std::vector<Thread*> threads_;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_THREADS_HPP
