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

#include "region_layout.hpp"

namespace ndtel::systrace {

using Line = ThreadLine<NativePolicy>;
using Cursor = BlockEngineRing::Cursor;

/// One thread that emits. Zeroed memory, touched as it is used.
struct Thread {
  Line line;
  EventTag tag;  ///< its id in the kernel
  Cursor cursors[NRT_SYS_TRACE_MAX_NC];
};

/// The calling thread's place; null until it emits for the first time. A plain word at a fixed
/// offset: no call to find it, and no constructor.
[[gnu::visibility("hidden"),
  gnu::tls_model("initial-exec")]] extern constinit thread_local Thread* current_thread;

/// All of them.
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
  pthread_key_t key_{};  // its destructor is how the end of a thread is noticed
  std::mutex lock_;      // guards threads_
  std::vector<Thread*> threads_;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_THREADS_HPP
