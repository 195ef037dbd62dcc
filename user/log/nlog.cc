// SPDX-License-Identifier: Apache-2.0
#include "nlog.hpp"

#include <pthread.h>
#include <strings.h>

#include <cstdlib>
#include <new>

namespace ndtel::nlog {
namespace {

alignas(ProcessLog) char memory[sizeof(ProcessLog)];

bool is_on(const char* text) noexcept {
  for (const char* word : {"1", "true", "yes", "on"})
    if (text != nullptr && ::strcasecmp(text, word) == 0) return true;
  return false;
}

const char* environment(const char* name) { return std::getenv(name); }

// A child of fork() has only the thread that called it: no other may hold the lock meanwhile.
void before_fork() { process_log().errors.lock(); }
void after_fork() { process_log().errors.unlock(); }

ProcessLog* create() noexcept {
  auto* log = new (memory) ProcessLog;
  log->levels.read_environment(environment);
  log->coalescing = is_on(environment("NEURON_RT_LOG_COALESCING_ENABLED"));
  ::pthread_atfork(before_fork, after_fork, after_fork);
  return log;
}

}  // namespace

ProcessLog& process_log() noexcept {
  static ProcessLog* const log = create();
  return *log;
}

}  // namespace ndtel::nlog
