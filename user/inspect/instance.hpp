// SPDX-License-Identifier: Apache-2.0
//
// Which machine this is, as far as trace files say.
#ifndef NDTEL_INSPECT_INSTANCE_HPP
#define NDTEL_INSPECT_INSTANCE_HPP

#include <sys/types.h>

#include <string>

namespace ndtel::inspect {

struct Instance {
  std::string id;        ///< of the cloud; `localhost` where there is none
  std::string type;      ///< of the cloud; empty: not known
  std::string hostname;  ///< empty: not known
};

/// Where Linux shows what the firmware says of the machine.
inline constexpr const char* kDmi = "/sys/devices/virtual/dmi/id";

/// @param dmi another directory than kDmi, for tests
Instance this_instance(const char* dmi = kDmi);

/// Name of the directory of a process: `<id>_pid_<pid>`.
std::string process_directory(const Instance& instance, pid_t pid);

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_INSTANCE_HPP
