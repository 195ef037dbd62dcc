// SPDX-License-Identifier: Apache-2.0
//
// One inspect session, from begin to the files.
#ifndef NDTEL_INSPECT_SESSION_HPP
#define NDTEL_INSPECT_SESSION_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../sysmon/sysmon.hpp"
#include "config.hpp"
#include "device_sessions.hpp"
#include "event_files.hpp"
#include "instance.hpp"
#include "output_directory.hpp"

namespace ndtel::inspect {

/// What sessions of this process have in common.
struct Surroundings {
  const char* dmi = kDmi;
  sysmon::Options sampler;
  DeviceSessions* devices = nullptr;  ///< null: nobody profiles devices
  std::string framework;              ///< what nrt_init() was told; empty: nothing
};

/// Not safe for threads: its owner keeps others out.
class Session {
 public:
  /// Begins recording. After a failure everything is as it was before.
  /// @param of_its_own whether its directory is one of its own beneath that of the process
  /// @return NRT_SUCCESS, and then `session`; the statuses of nrt_inspect_begin()
  static NRT_STATUS begin(const Config& config, const Surroundings& surroundings, bool of_its_own,
                          std::unique_ptr<Session>& session);
  /// Whatever is not written is given up.
  ~Session();

  /// Ends recording and writes the files. After a failure call it again: the session keeps what
  /// was recorded. @return NRT_SUCCESS, NRT_FAILURE
  NRT_STATUS stop();

  /// Writes files of what was recorded so far.
  /// @return NRT_SUCCESS; NRT_INVALID it records none of the activities, or nothing any more;
  /// NRT_FAILURE
  NRT_STATUS export_files(std::uint32_t activities);

  const std::string& directory() const noexcept { return directory_.path(); }
  /// As resolve_base() returned it.
  const std::string& base() const noexcept { return base_; }

 private:
  // The capture of the engine, from start to close.
  class Capture {
   public:
    NRT_STATUS start(const nrt_sys_trace_config_t& config);
    /// Ends recording; false when somebody else has ended the capture.
    bool finish() noexcept;
    void close_written() noexcept;
    ~Capture();

   private:
    bool started_ = false;
  };

  Session(const Config& config, OutputDirectory directory, std::string base, Instance instance,
          const Surroundings& surroundings, std::uint64_t time_ns);

  NRT_STATUS start_recording(const Surroundings& surroundings, std::uint32_t visible);
  Result<void> write_series(std::uint32_t activities);
  Result<void> write_info();
  NRT_STATUS failed(const Error& error) const;
  bool records(std::uint32_t activity) const noexcept {
    return (config_.activities & activity) != 0;
  }

  const Config config_;
  const std::string base_;
  const Instance instance_;
  const std::string framework_;
  const std::uint64_t start_ns_;
  std::uint64_t stop_ns_ = 0;  // 0: still recording

  // In the order of beginning: what is destroyed, when a begin fails, goes from the last to the
  // first.
  OutputDirectory directory_;
  Capture capture_;
  std::optional<EventFiles> events_;  // none: no events are recorded
  std::unique_ptr<sysmon::Monitor> monitor_;
  RecordedCores cores_;

  std::optional<ntff::HostSeries> series_;  // of the last write
  std::optional<ntff::DataFile> cpu_util_;  // once it is written
  std::optional<ntff::DataFile> host_mem_;  // likewise
  std::vector<std::string> warnings_;
};

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_SESSION_HPP
