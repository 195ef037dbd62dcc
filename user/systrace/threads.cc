// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "emit.hpp"
#include "engine.hpp"

namespace ndtel {

[[gnu::tls_model(
    "initial-exec")]] constinit thread_local systrace::Thread* trace::detail::current_thread =
    nullptr;

namespace systrace {

Threads::Threads(void (*part)(Thread&) noexcept) noexcept : part_(part) {
  // Without a key, places of threads that end are not returned, and nothing else is lost.
  has_key_ = ::pthread_key_create(&key_, [](void* thread) { ended(thread); }) == 0;
}

Thread* Threads::join() noexcept {
  void* const memory =
      ::mmap(nullptr, sizeof(Thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const thread = static_cast<Thread*>(memory);
  ::madvise(memory, sizeof(Thread), MADV_WIPEONFORK);
  new (&thread->line) Line;
  thread->engine = &entrance;
  thread->tag = EventTag::of_thread(static_cast<std::uint32_t>(::gettid()));
  {
    std::lock_guard guard(lock_);
    try {
      threads_.push_back(thread);
    } catch (const std::bad_alloc&) {
      ::munmap(memory, sizeof(Thread));
      return nullptr;
    }
  }
  if (has_key_) ::pthread_setspecific(key_, thread);
  current_thread = thread;
  return thread;
}

void Threads::start_over_in_child() noexcept {
  new (&lock_) std::mutex;
  threads_.clear();
  current_thread = nullptr;
  if (has_key_) ::pthread_setspecific(key_, nullptr);
}

void Threads::ended(void* memory) noexcept {
  // A destructor of thread-local data that runs after this one may emit again, and join again.
  current_thread = nullptr;
  Threads& threads = Engine::get().threads();
  auto* const thread = static_cast<Thread*>(memory);
  threads.part_(*thread);
  {
    std::lock_guard guard(threads.lock_);
    std::erase(threads.threads_, thread);
  }
  ::munmap(memory, sizeof(Thread));
}

}  // namespace systrace

}  // namespace ndtel
