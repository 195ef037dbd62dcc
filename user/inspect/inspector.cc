// SPDX-License-Identifier: Apache-2.0
#include "inspector.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "../ntrace/recorder.hpp"
#include "../status/runtime_state.hpp"
#include "../systrace/host.hpp"
#include "environment.hpp"
#include "log.hpp"
#include "signals.hpp"

namespace ndtel::inspect {
namespace {

const char* framework_name(nrt_framework_type_t framework) noexcept {
  switch (framework) {
    case NRT_FRAMEWORK_TYPE_TENSORFLOW:
      return "TensorFlow";
    case NRT_FRAMEWORK_TYPE_PYTORCH:
      return "PyTorch";
    case NRT_FRAMEWORK_TYPE_MXNET:
      return "MXNet";
    case NRT_FRAMEWORK_TYPE_PRECHECK:
      return "precheck";
    case NRT_FRAMEWORK_TYPE_INVALID:
    case NRT_FRAMEWORK_TYPE_NO_FW:
      break;
  }
  return "";
}

// Runs something that may find no memory.
template <typename Run>
NRT_STATUS with_memory(const char* what, Run run) noexcept {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    log::error("{}: no memory", what);
    return NRT_RESOURCE;
  }
}

Environment current_environment() {
  return read_environment([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace

void OwnedMutex::lock() noexcept {
  mutex_.lock();
  owner_.store(::gettid(), std::memory_order_relaxed);
}

void OwnedMutex::unlock() noexcept {
  owner_.store(0, std::memory_order_relaxed);
  mutex_.unlock();
}

bool OwnedMutex::is_mine() const noexcept {
  return owner_.load(std::memory_order_relaxed) == ::gettid();
}

Inspector& Inspector::get() noexcept {
  // Never destroyed: sessions end when the process does.
  alignas(Inspector) static std::byte memory[sizeof(Inspector)];
  static Inspector* const inspector = new (memory) Inspector;
  return *inspector;
}

Inspector::Inspector() noexcept : process_(::getpid()) {
  ::pthread_atfork(nullptr, nullptr, [] { get().start_over_in_child(); });
}

// The child has none of the threads that record, write or hold the lock. What they work on is left
// alone: it belongs to the parent. Nothing here allocates.
void Inspector::start_over_in_child() noexcept {
  inherited_ = session_.release();
  new (&session_) std::unique_ptr<Session>;
  new (&lock_) OwnedMutex;
  signals::start_over_in_child();
  runtime::set_phase(runtime::Phase::kBeforeInit);
  process_.store(::getpid(), std::memory_order_relaxed);
}

// A child that was not made by fork() did not run the handler above.
void Inspector::know_process() noexcept {
  if (process_.load(std::memory_order_relaxed) != ::getpid()) start_over_in_child();
}

NRT_STATUS Inspector::init(nrt_framework_type_t framework, const char* fw_version) noexcept {
  know_process();
  const std::lock_guard guard(lock_);
  if (!std::exchange(log_begun_, true)) nlog_init();
  if (framework <= NRT_FRAMEWORK_TYPE_INVALID || framework > NRT_FRAMEWORK_TYPE_PRECHECK) {
    log::error("there is no framework {}", static_cast<int>(framework));
    return NRT_INVALID;
  }
  if (runtime::phase() == runtime::Phase::kOpen) {
    log::warn("the runtime is initialised already");
    return NRT_SUCCESS;
  }
  const NRT_STATUS status = with_memory("initialising", [&] {
    surroundings_.framework = framework_name(framework);
    if (fw_version != nullptr && *fw_version != '\0' && !surroundings_.framework.empty())
      surroundings_.framework += fmt::format(" {}", fw_version);
    return current_environment().enabled == false ? NRT_SUCCESS : begin_from_environment();
  });
  // What the user asked for can never be: better said now than after the run.
  if (status == NRT_INVALID) return status;
  runtime::set_phase(runtime::Phase::kOpen);
  return NRT_SUCCESS;
}

void Inspector::close() noexcept {
  know_process();
  const std::lock_guard guard(lock_);
  if (runtime::phase() != runtime::Phase::kOpen) return;
  if (session_ && stop_session() != NRT_SUCCESS) {
    log::error("{}: what could not be written is given up", session_->directory());
    session_.reset();
    signals::set_armed(false);
  }
  if (const std::size_t records = ntrace::Recorder::get().discard(); records > 0)
    log::warn("{} records are given up: nrt_trace_stop() was not called", records);
  runtime::set_phase(runtime::Phase::kClosed);
}

NRT_STATUS Inspector::begin() noexcept {
  know_process();
  const std::lock_guard guard(lock_);
  if (const NRT_STATUS state = runtime::guard(); state != NRT_SUCCESS) return state;
  return with_memory("no session", [&] { return begin_from_environment(); });
}

NRT_STATUS Inspector::begin(const Config* config) noexcept {
  know_process();
  const std::lock_guard guard(lock_);
  if (const NRT_STATUS state = runtime::guard(); state != NRT_SUCCESS) return state;
  if (config == nullptr) {
    log::error("no session: there are no options");
    return NRT_INVALID;
  }
  return with_memory("no session", [&] { return begin_session(*config, /*of_its_own=*/true); });
}

NRT_STATUS Inspector::begin_from_environment() {
  const Environment environment = current_environment();
  if (!environment.complaints.empty()) {
    log::error("no session: {}", fmt::join(environment.complaints, "; "));
    return NRT_INVALID;
  }
  for (const std::string& name : environment.ignored) log::warn("{} has no effect", name);
  if (environment.named_cores.any()) {
    const std::uint32_t visible = systrace::host::visible_cores();
    for (std::uint32_t core = visible; core < environment.named_cores.size(); ++core) {
      if (!environment.named_cores.test(core)) continue;
      log::error("no session: NEURON_RT_INSPECT_EVENT_FILTER_NC names core {}, of {} visible ones",
                 core, visible);
      return NRT_INVALID;
    }
  }
  return begin_session(environment.config, /*of_its_own=*/false);
}

NRT_STATUS Inspector::begin_session(const Config& config, bool of_its_own) {
  if (session_) {
    log::error("no session: there is one already, in {}", session_->directory());
    return NRT_INVALID;
  }
  if (const NRT_STATUS status = Session::begin(config, surroundings_, of_its_own, session_);
      status != NRT_SUCCESS)
    return status;
  if (!std::exchange(at_exit_, true)) std::atexit([] { get().stop_at_end(); });
  signals::watch([]() noexcept { get().stop_at_end(); });
  signals::set_armed(true);
  return NRT_SUCCESS;
}

NRT_STATUS Inspector::stop_session() {
  const NRT_STATUS status = with_memory("what was recorded is kept: stop again to write it",
                                        [&] { return session_->stop(); });
  if (status == NRT_SUCCESS) {
    session_.reset();
    signals::set_armed(false);
  }
  return status;
}

NRT_STATUS Inspector::stop() noexcept {
  know_process();
  const std::lock_guard guard(lock_);
  if (const NRT_STATUS state = runtime::guard(); state != NRT_SUCCESS) return state;
  return session_ ? stop_session() : NRT_SUCCESS;
}

void Inspector::stop_at_end() noexcept {
  know_process();
  if (lock_.is_mine()) return;
  const std::lock_guard guard(lock_);
  if (session_) stop_session();
}

NRT_STATUS Inspector::export_files(std::uint32_t activities) noexcept {
  know_process();
  const std::lock_guard guard(lock_);
  if (const NRT_STATUS state = runtime::guard(); state != NRT_SUCCESS) return state;
  if (!session_) {
    log::error("nothing to export: no session records");
    return NRT_INVALID;
  }
  return with_memory("export", [&] {
    const NRT_STATUS status = session_->export_files(activities);
    if (status == NRT_INVALID)
      log::error("nothing to export: the session records none of the activities {:#x}", activities);
    return status;
  });
}

Result<std::string> Inspector::directory(const std::string& base) {
  know_process();
  const std::lock_guard guard(lock_);
  if (base.empty() && session_) return session_->directory();
  Result<std::string> resolved = resolve_base(base);
  if (!resolved) return resolved;
  return fmt::format("{}/{}", *resolved,
                     process_directory(this_instance(surroundings_.dmi), ::getpid()));
}

}  // namespace ndtel::inspect
