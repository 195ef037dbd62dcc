// SPDX-License-Identifier: Apache-2.0
#ifndef NDTEL_CLI_HEALTH_RULES_HPP
#define NDTEL_CLI_HEALTH_RULES_HPP

#include <string>
#include <string_view>
#include <vector>

#include "../failure.hpp"
#include "facts.hpp"
#include "ndtel/device.hpp"

namespace ndtel::cli {

enum class Severity {
  kNote,      ///< worth knowing, nothing is wrong now
  kUnknown,   ///< could not be looked at; not to be taken for healthy
  kWarning,   ///< something is wrong, or was and left damage
  kCritical,  ///< the device does not work
};

/// "note", "unknown", "warning", "critical".
std::string_view severity_name(Severity severity);

/// One thing about a device that is not as it should be.
struct Finding {
  Severity severity = Severity::kNote;
  std::string device;    ///< "ndtel0"
  std::string what;      ///< one sentence
  std::string evidence;  ///< file and what it says
  std::string advice;    ///< what to do

  bool operator==(const Finding&) const = default;
};

/// Everything the rules find about a device. What a driver does not offer is left out, what it
/// offers and cannot be read is found unknown.
std::vector<Finding> examine(const Node& node, const ReadFact& read);

/// kFailed when something is wrong; kMissing when nothing is, but not everything could be looked
/// at.
Exit verdict(const std::vector<Finding>& findings);

}  // namespace ndtel::cli

#endif  // NDTEL_CLI_HEALTH_RULES_HPP
