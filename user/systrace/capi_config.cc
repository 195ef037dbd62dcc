// SPDX-License-Identifier: Apache-2.0
//
// The C functions on configs, fetch options and the names of event types.
#include <cstdlib>
#include <cstring>
#include <new>

#include "catalogue.hpp"
#include "config.hpp"
#include "log.hpp"

namespace systrace = ndtel::systrace;

namespace {

void warn_null(const char* function, const char* argument) noexcept {
  systrace::log::write(systrace::log::Level::kWarn, "{}: {} is NULL", function, argument);
}

NRT_STATUS no_memory(const char* function) noexcept {
  systrace::log::write(systrace::log::Level::kWarn, "{}: no memory", function);
  return NRT_RESOURCE;
}

template <typename T>
NRT_STATUS allocate(T** object, const T& value, const char* function) noexcept {
  if (object == nullptr) {
    warn_null(function, "options");
    return NRT_INVALID;
  }
  T* const made = new (std::nothrow) T(value);
  if (made == nullptr) return no_memory(function);
  *object = made;
  return NRT_SUCCESS;
}

// Names of the types that `wanted` accepts, each a block of its own.
template <typename Wanted>
NRT_STATUS list_types(const char*** names, std::size_t* count, const char* function,
                      Wanted wanted) noexcept {
  const auto types = systrace::event_types();
  auto** list = static_cast<const char**>(std::malloc(types.size() * sizeof(char*)));
  if (list == nullptr) return no_memory(function);
  std::size_t n = 0;
  for (const systrace::EventType& type : types) {
    if (!wanted(type)) continue;
    list[n] = ::strdup(type.name);
    if (list[n] == nullptr) {
      nrt_sys_trace_free_event_types(list, n);
      return no_memory(function);
    }
    ++n;
  }
  *names = list;
  *count = n;
  return NRT_SUCCESS;
}

}  // namespace

NRT_STATUS nrt_sys_trace_config_allocate(nrt_sys_trace_config_t** options) noexcept {
  return allocate(options, systrace::default_config(), __func__);
}

void nrt_sys_trace_config_set_defaults(nrt_sys_trace_config_t* options) noexcept {
  if (options != nullptr) *options = systrace::default_config();
}

void nrt_sys_trace_config_free(nrt_sys_trace_config_t* options) noexcept { delete options; }

void nrt_sys_trace_config_set_max_events_per_nc(nrt_sys_trace_config_t* options,
                                                std::uint64_t max_events_per_nc) noexcept {
  if (options == nullptr) return warn_null(__func__, "options");
  options->max_events_per_nc = max_events_per_nc;
}

void nrt_sys_trace_config_set_capture_enabled_for_nc(nrt_sys_trace_config_t* options,
                                                     std::uint32_t nc_idx, bool enabled) noexcept {
  if (options == nullptr) return warn_null(__func__, "options");
  if (nc_idx >= NRT_SYS_TRACE_MAX_NC) {
    systrace::log::write(systrace::log::Level::kWarn, "{}: there is no core {}", __func__, nc_idx);
    return;
  }
  options->capture_enabled_for_nc[nc_idx] = enabled;
}

NRT_STATUS nrt_sys_trace_config_set_capture_enabled_for_event_type(nrt_sys_trace_config_t* options,
                                                                   const char* event_type,
                                                                   bool enabled) noexcept {
  if (options == nullptr || event_type == nullptr) {
    warn_null(__func__, options == nullptr ? "options" : "event_type");
    return NRT_INVALID;
  }
  const auto type = systrace::find_event_type(event_type);
  if (!type) {
    // Cut: it may be anything.
    systrace::log::write(systrace::log::Level::kWarn, "{}: there is no event type '{:.64}'",
                         __func__, event_type);
    return NRT_INVALID;
  }
  options->capture_enabled_for_event_type[*type] = enabled;
  return NRT_SUCCESS;
}

NRT_STATUS nrt_sys_trace_get_event_types(const char*** event_types, std::size_t* count) noexcept {
  if (event_types == nullptr || count == nullptr) {
    warn_null(__func__, event_types == nullptr ? "event_types" : "count");
    return NRT_INVALID;
  }
  return list_types(event_types, count, __func__, [](const systrace::EventType&) { return true; });
}

void nrt_sys_trace_free_event_types(const char** event_types, std::size_t count) noexcept {
  if (event_types == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) std::free(const_cast<char*>(event_types[i]));
  std::free(event_types);
}

NRT_STATUS nrt_sys_trace_config_get_enabled_event_types(nrt_sys_trace_config_t* options,
                                                        const char*** event_types,
                                                        std::size_t* count) noexcept {
  if (options == nullptr || event_types == nullptr || count == nullptr) {
    warn_null(__func__, options == nullptr       ? "options"
                        : event_types == nullptr ? "event_types"
                                                 : "count");
    return NRT_INVALID;
  }
  return list_types(event_types, count, __func__, [options](const systrace::EventType& type) {
    return options->capture_enabled_for_event_type[type.type];
  });
}

NRT_STATUS nrt_sys_trace_fetch_options_allocate(nrt_sys_trace_fetch_options_t** options) noexcept {
  return allocate(options, systrace::default_fetch_options(), __func__);
}

void nrt_sys_trace_fetch_options_set_defaults(nrt_sys_trace_fetch_options_t* options) noexcept {
  if (options != nullptr) *options = systrace::default_fetch_options();
}

void nrt_sys_trace_fetch_options_free(nrt_sys_trace_fetch_options_t* options) noexcept {
  delete options;
}

void nrt_sys_trace_fetch_options_set_max_events_per_nc(nrt_sys_trace_fetch_options_t* options,
                                                       std::uint64_t max_events_per_nc) noexcept {
  if (options == nullptr) return warn_null(__func__, "options");
  options->max_events_per_nc = max_events_per_nc;
}

void nrt_sys_trace_fetch_options_set_nc_idx(nrt_sys_trace_fetch_options_t* options,
                                            std::uint64_t nc_idx) noexcept {
  if (options == nullptr) return warn_null(__func__, "options");
  options->nc_idx = static_cast<std::int64_t>(nc_idx);
}
