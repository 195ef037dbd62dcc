// SPDX-License-Identifier: Apache-2.0
//
// The inspect session of a process: there is one at a time, between nrt_init() and nrt_close(), and
// it ends with its files however the process ends, as long as anything of it still runs.
#ifndef NDTEL_INSPECT_INSPECTOR_HPP
#define NDTEL_INSPECT_INSPECTOR_HPP

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "ndtel/result.hpp"
#include "nrt/nrt.h"
#include "session.hpp"

namespace ndtel::inspect {

/// A mutex that knows whether the caller has it. Code that runs on top of any other, as functions
/// of atexit() do inside of signal handlers, asks before it waits for itself.
class OwnedMutex {
 public:
  void lock() noexcept;
  void unlock() noexcept;
  bool is_mine() const noexcept;

 private:
  std::mutex mutex_;
  std::atomic<pid_t> owner_{0};  // a thread
};

/// The single one of a process. Its functions may be called from any thread and have the statuses
/// of the C functions.
class Inspector {
 public:
  static Inspector& get() noexcept;

  NRT_STATUS init(nrt_framework_type_t framework, const char* fw_version) noexcept;
  void close() noexcept;

  /// As the environment says.
  NRT_STATUS begin() noexcept;
  /// As `config` says; null is NRT_INVALID.
  NRT_STATUS begin(const Config* config) noexcept;
  NRT_STATUS stop() noexcept;
  NRT_STATUS export_files(std::uint32_t activities) noexcept;

  /// Ends a session, wherever the process is in its life. Returns at once when this very thread is
  /// busy with the session: it was interrupted there.
  void stop_at_end() noexcept;

  /// Where files go, see nrt_inspect_get_instance_output_dir(). Throws std::bad_alloc.
  Result<std::string> directory(const std::string& base);

  /// Changes what sessions that begin later find around them: for tests, and for who profiles
  /// devices.
  template <typename Change>
  void surround(Change change) noexcept {
    know_process();
    const std::lock_guard guard(lock_);
    change(surroundings_);
  }

 private:
  Inspector() noexcept;

  NRT_STATUS begin_from_environment();
  NRT_STATUS begin_session(const Config& config, bool of_its_own);
  NRT_STATUS stop_session();
  void know_process() noexcept;
  void start_over_in_child() noexcept;

  OwnedMutex lock_;  // guards all below
  Surroundings surroundings_;
  std::unique_ptr<Session> session_;
  Session* inherited_ = nullptr;  // of a parent process: not to be touched
  bool log_begun_ = false;
  bool at_exit_ = false;
  std::atomic<pid_t> process_;  // all this belongs to
};

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_INSPECTOR_HPP
