// SPDX-License-Identifier: Apache-2.0
//
// What a session is to record and where to: plain data, the object behind nrt_inspect_config_t.
#ifndef NDTEL_INSPECT_CONFIG_HPP
#define NDTEL_INSPECT_CONFIG_HPP

#include <bitset>
#include <cstdint>
#include <string>

#include "../systrace/config.hpp"
#include "activity.hpp"
#include "nrt/nrt_inspect_internal.h"

namespace ndtel::inspect {

using CoreSet = std::bitset<NRT_SYS_TRACE_MAX_NC>;

}  // namespace ndtel::inspect

struct nrt_inspect_config {
  int session_id = 1;
  std::string output_dir;  ///< empty: the default
  std::uint32_t activities = ndtel::inspect::kAllActivities;
  nrt_sys_trace_config_t sys_trace = ndtel::systrace::default_config();
  ndtel::inspect::CoreSet cores = ndtel::inspect::CoreSet().set();  ///< whose devices are profiled
  bool enable_inspect = false;  ///< profile every execution on its device
  bool enable_inspect_on_fail = false;
  nrt_inspect_device_profile_mode_t mode = NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED;
};

namespace ndtel::inspect {

using Config = nrt_inspect_config;

}  // namespace ndtel::inspect

#endif  // NDTEL_INSPECT_CONFIG_HPP
