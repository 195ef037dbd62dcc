// SPDX-License-Identifier: Apache-2.0
#include "device_sessions.hpp"

#include <utility>

#include "log.hpp"
#include "ndtel/status.hpp"

namespace ndtel::inspect {

NRT_STATUS RecordedCores::start(DeviceSessions& sessions, const CoreSet& chosen,
                                std::uint32_t visible) {
  sessions_ = &sessions;
  cores_.reserve(visible);
  for (std::uint32_t vnc = 0; vnc < visible && vnc < chosen.size(); ++vnc) {
    if (!chosen.test(vnc)) continue;
    if (const NRT_STATUS status = sessions.start(vnc); status != NRT_SUCCESS) {
      log::error("core {}: its device profile does not start: {}", vnc,
                 status_name(static_cast<std::uint32_t>(status)));
      return status;
    }
    cores_.push_back(vnc);
  }
  return NRT_SUCCESS;
}

RecordedCores::~RecordedCores() {
  for (const std::uint32_t vnc : cores_) {
    std::uint64_t id = 0;
    NRT_STATUS status = sessions_->stop(vnc, id);
    if (status == NRT_SUCCESS) status = sessions_->drop(id);
    if (status != NRT_SUCCESS)
      log::error("core {}: its device profile cannot be undone: {}", vnc,
                 status_name(static_cast<std::uint32_t>(status)));
  }
}

void RecordedCores::stop_and_write(const std::string& directory) {
  for (const std::uint32_t vnc : std::exchange(cores_, {})) {
    std::uint64_t id = 0;
    NRT_STATUS status = sessions_->stop(vnc, id);
    if (status == NRT_SUCCESS)
      // The number of the session is the lower half of the id; the upper one is the core.
      status = sessions_->serialize(id, fmt::format("{}/profile_nc_{}_session_{}.ntff", directory,
                                                    vnc, static_cast<std::uint32_t>(id)));
    if (status != NRT_SUCCESS)
      log::error("core {}: its device profile is lost: {}", vnc,
                 status_name(static_cast<std::uint32_t>(status)));
  }
}

}  // namespace ndtel::inspect
