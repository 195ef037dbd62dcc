// SPDX-License-Identifier: Apache-2.0
//
// The C functions on configs of the inspect session and names of activities.
#include <cstdlib>
#include <cstring>
#include <new>

#include "config.hpp"
#include "log.hpp"

namespace inspect = ndtel::inspect;

namespace {

NRT_STATUS null(const char* function, const char* argument) noexcept {
  inspect::log::error("{}: {} is NULL", function, argument);
  return NRT_INVALID;
}

NRT_STATUS no_memory(const char* function) noexcept {
  inspect::log::error("{}: no memory", function);
  return NRT_RESOURCE;
}

NRT_STATUS set_bits(std::uint32_t& bits, std::uint32_t chosen, bool on) noexcept {
  bits = on ? bits | chosen : bits & ~chosen;
  return NRT_SUCCESS;
}

// Names of the activities among `bits`, each a block of its own.
NRT_STATUS list_activities(std::uint32_t bits, const char*** names, std::size_t* count,
                           const char* function) noexcept {
  const auto all = inspect::activities();
  auto** const list = static_cast<const char**>(std::malloc(all.size() * sizeof(char*)));
  if (list == nullptr) return no_memory(function);
  std::size_t n = 0;
  for (const inspect::Activity& activity : all) {
    if ((bits & activity.bit) == 0) continue;
    list[n] = ::strdup(activity.name);
    if (list[n] == nullptr) {
      nrt_inspect_config_free_activity_types(list, n);
      return no_memory(function);
    }
    ++n;
  }
  *names = list;
  *count = n;
  return NRT_SUCCESS;
}

}  // namespace

NRT_STATUS nrt_inspect_config_allocate(nrt_inspect_config_t** options) noexcept {
  if (options == nullptr) return null(__func__, "options");
  auto* const made = new (std::nothrow) inspect::Config;
  if (made == nullptr) return no_memory(__func__);
  *options = made;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_free(nrt_inspect_config_t* options) noexcept {
  delete options;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_defaults(nrt_inspect_config_t* options) noexcept {
  if (options == nullptr) return null(__func__, "options");
  *options = inspect::Config();
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_session_id(nrt_inspect_config_t* options,
                                             int session_id) noexcept {
  if (options == nullptr) return null(__func__, "options");
  if (session_id < 0) {
    inspect::log::error("{}: {} is negative", __func__, session_id);
    return NRT_INVALID;
  }
  options->session_id = session_id;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_output_dir(nrt_inspect_config_t* options,
                                             const char* output_dir) noexcept {
  if (options == nullptr) return null(__func__, "options");
  if (output_dir == nullptr || *output_dir == '\0') {
    inspect::log::warn("{}: no directory is given: it will be the default", __func__);
    options->output_dir.clear();
    return NRT_INVALID;
  }
  try {
    options->output_dir = output_dir;
  } catch (const std::bad_alloc&) {
    return no_memory(__func__);
  }
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_sys_trace_max_events_per_nc(
    nrt_inspect_config_t* options, std::uint64_t max_events_per_nc) noexcept {
  if (options == nullptr) return null(__func__, "options");
  if (max_events_per_nc > NRT_SYS_TRACE_MAX_EVENTS_PER_NC) {
    inspect::log::error("{}: {} are more than the {} that are possible", __func__,
                        max_events_per_nc, NRT_SYS_TRACE_MAX_EVENTS_PER_NC);
    return NRT_INVALID;
  }
  nrt_sys_trace_config_set_max_events_per_nc(&options->sys_trace, max_events_per_nc);
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_capture_enabled_for_nc(nrt_inspect_config_t* options,
                                                         std::uint32_t nc_idx,
                                                         bool enabled) noexcept {
  if (options == nullptr) return null(__func__, "options");
  if (nc_idx >= options->cores.size()) {
    inspect::log::error("{}: there is no core {}", __func__, nc_idx);
    return NRT_INVALID;
  }
  options->cores[nc_idx] = enabled;
  nrt_sys_trace_config_set_capture_enabled_for_nc(&options->sys_trace, nc_idx, enabled);
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_capture_enabled_for_event_type_string(
    nrt_inspect_config_t* options, const char* event_type, bool enabled) noexcept {
  if (options == nullptr) return null(__func__, "options");
  return nrt_sys_trace_config_set_capture_enabled_for_event_type(&options->sys_trace, event_type,
                                                                 enabled);
}

NRT_STATUS nrt_inspect_config_set_enable_inspect(nrt_inspect_config_t* options,
                                                 bool enable) noexcept {
  if (options == nullptr) return null(__func__, "options");
  options->enable_inspect = enable;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_enable_inspect_on_fail(nrt_inspect_config_t* options,
                                                         bool enable) noexcept {
  if (options == nullptr) return null(__func__, "options");
  options->enable_inspect_on_fail = enable;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_inspect_device_profile_mode(
    nrt_inspect_config_t* options, nrt_inspect_device_profile_mode_t mode) noexcept {
  if (options == nullptr) return null(__func__, "options");
  if (mode > NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION) {
    inspect::log::error("{}: there is no mode {}", __func__, static_cast<unsigned>(mode));
    return NRT_INVALID;
  }
  options->mode = mode;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_inspect_config_set_activity(nrt_inspect_config_t* options, const char* activity,
                                           bool enable) noexcept {
  if (options == nullptr || activity == nullptr)
    return null(__func__, options == nullptr ? "options" : "activity");
  const auto bits = inspect::find_activities(activity);
  if (!bits) {
    // Cut: it may be anything.
    inspect::log::error("{}: there is no activity '{:.64}'", __func__, activity);
    return NRT_INVALID;
  }
  return set_bits(options->activities, *bits, enable);
}

NRT_STATUS nrt_inspect_config_get_all_activity_types(const char*** activities,
                                                     std::size_t* count) noexcept {
  if (activities == nullptr || count == nullptr)
    return null(__func__, activities == nullptr ? "activities" : "count");
  return list_activities(inspect::kAllActivities, activities, count, __func__);
}

NRT_STATUS nrt_inspect_config_get_enabled_activity_types(nrt_inspect_config_t* options,
                                                         const char*** activities,
                                                         std::size_t* count) noexcept {
  if (options == nullptr || activities == nullptr || count == nullptr)
    return null(__func__, options == nullptr      ? "options"
                          : activities == nullptr ? "activities"
                                                  : "count");
  return list_activities(options->activities, activities, count, __func__);
}

void nrt_inspect_config_free_activity_types(const char** activities, std::size_t count) noexcept {
  if (activities == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) std::free(const_cast<char*>(activities[i]));
  std::free(activities);
}
