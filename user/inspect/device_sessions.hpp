// SPDX-License-Identifier: Apache-2.0
//
// Profiles of devices from the begin of a session to its end: the place where whoever reads the
// notification queues of a device takes part.
#ifndef NDTEL_INSPECT_DEVICE_SESSIONS_HPP
#define NDTEL_INSPECT_DEVICE_SESSIONS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "config.hpp"
#include "nrt/nrt_status.h"

namespace ndtel::inspect {

/// Records one core each. Called with the lock of the inspect session held.
class DeviceSessions {
 public:
  virtual ~DeviceSessions() = default;

  virtual NRT_STATUS start(std::uint32_t vnc) noexcept = 0;
  /// Ends recording. @param id of what was recorded, for the functions below
  virtual NRT_STATUS stop(std::uint32_t vnc, std::uint64_t& id) noexcept = 0;
  /// Writes what was recorded to a file, and forgets it.
  virtual NRT_STATUS serialize(std::uint64_t id, const std::string& path) noexcept = 0;
  /// Forgets it.
  virtual NRT_STATUS drop(std::uint64_t id) noexcept = 0;
};

/// The cores of one session. When it is destroyed, those still recording are stopped and what they
/// recorded is dropped.
class RecordedCores {
 public:
  RecordedCores() = default;
  RecordedCores(const RecordedCores&) = delete;
  RecordedCores& operator=(const RecordedCores&) = delete;
  ~RecordedCores();

  /// Starts the chosen cores among the visible ones, in rising order. After a failure those that
  /// were started go on until this object goes.
  NRT_STATUS start(DeviceSessions& sessions, const CoreSet& chosen, std::uint32_t visible);

  /// Stops them one by one and writes each before the next is stopped. Failures are logged, and the
  /// next core has its turn.
  void stop_and_write(const std::string& directory);

 private:
  DeviceSessions* sessions_ = nullptr;
  std::vector<std::uint32_t> cores_;
};

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_DEVICE_SESSIONS_HPP
