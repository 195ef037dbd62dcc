// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_SYSTRACE_RWLOCK_HPP
#define NDTEL_SYSTRACE_RWLOCK_HPP

#include <pthread.h>

namespace ndtel::systrace {

/// A lock whose readers cannot starve its writer, as those of std::shared_mutex can. Not recursive:
/// a writer that waits would keep the second lock from its reader.
class RwLock {
 public:
  RwLock() noexcept {
    pthread_rwlockattr_t attributes;
    ::pthread_rwlockattr_init(&attributes);
    ::pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    ::pthread_rwlock_init(&lock_, &attributes);
    ::pthread_rwlockattr_destroy(&attributes);
  }
  ~RwLock() { ::pthread_rwlock_destroy(&lock_); }
  RwLock(const RwLock&) = delete;
  RwLock& operator=(const RwLock&) = delete;

  void lock() noexcept { ::pthread_rwlock_wrlock(&lock_); }
  void unlock() noexcept { ::pthread_rwlock_unlock(&lock_); }
  void lock_shared() noexcept { ::pthread_rwlock_rdlock(&lock_); }
  void unlock_shared() noexcept { ::pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
};

}  // namespace ndtel::systrace

#endif  // NDTEL_SYSTRACE_RWLOCK_HPP
