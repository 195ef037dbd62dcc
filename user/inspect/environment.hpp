// SPDX-License-Identifier: Apache-2.0
//
// The environment variables of the inspect session.
#ifndef NDTEL_INSPECT_ENVIRONMENT_HPP
#define NDTEL_INSPECT_ENVIRONMENT_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config.hpp"

namespace ndtel::inspect {

/// The value of a variable; null when it is not set. Like getenv().
using Lookup = std::function<const char*(const char* name)>;

/// Kinds of records whose device queue has a size of its own, NEURON_RT_PROFILE_BUF_<KIND>_MB.
inline constexpr std::array<const char*, 7> kProfileBuffers = {
    "INSTRUCTION",         "EVENT",         "DMA",         "THROTTLE",
    "CC_CORE_INSTRUCTION", "CC_CORE_EVENT", "INFER_STATUS"};

/// What the environment asks of device profiles.
struct DeviceProfileSettings {
  bool precache = false;           ///< metadata of a program is prepared before it runs
  bool dge_notifications = false;  ///< records of descriptor generation
  /// MiB of the queues, in the order of kProfileBuffers; nothing: the default.
  std::array<std::optional<std::uint32_t>, kProfileBuffers.size()> buffer_mib;
};

struct Environment {
  /// NEURON_RT_INSPECT_ENABLE: whether a session begins with the runtime; nothing when that cannot
  /// be understood. No other variable counts when it is false.
  std::optional<bool> enabled;
  Config config;
  /// Cores that a filter names; they have to be visible. None without a filter.
  CoreSet named_cores;
  DeviceProfileSettings device;
  std::vector<std::string> complaints;  ///< variables that cannot be understood
  std::vector<std::string> ignored;     ///< variables that have no effect
};

/// Reads all variables. What cannot be understood keeps its default, with a complaint that names
/// the variable, and of a list the word and its place. A variable that is empty counts as not set.
Environment read_environment(const Lookup& lookup);

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_ENVIRONMENT_HPP
