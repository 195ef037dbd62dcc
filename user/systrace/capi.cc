// SPDX-License-Identifier: Apache-2.0
//
// The C functions that start, stop, emit and read. Those about configurations and strings are in
// capi_config.cc and capi_strings.cc.
#include <cstdlib>

#include "capi_strings.hpp"
#include "config.hpp"
#include "emit.hpp"
#include "engine.hpp"
#include "log.hpp"

using namespace ndtel;
using namespace ndtel::systrace;

namespace {

NRT_STATUS invalid(const char* what) noexcept {
  log::write(log::Level::kWarn, "{}", what);
  return NRT_INVALID;
}

NRT_STATUS fetch(char** buffer, std::size_t* size,
                 const nrt_sys_trace_fetch_options_t* options) noexcept {
  if (buffer == nullptr || size == nullptr) return invalid("fetch: nowhere to put the events");
  if (*buffer != nullptr) return invalid("fetch: there is a buffer already, free it first");
  JsonBuffer json;
  const NRT_STATUS status =
      Engine::get().fetch(options == nullptr ? default_fetch_options() : *options, json);
  if (status != NRT_SUCCESS) return status;
  *size = json.size;
  *buffer = json.text.release();
  return NRT_SUCCESS;
}

}  // namespace

NRT_STATUS nrt_sys_trace_capture_start(const nrt_sys_trace_config_t* options) noexcept {
  if (options == nullptr) return invalid("start: there is no configuration");
  return Engine::get().start(*options, CaptureOptions::from_environment());
}

NRT_STATUS nrt_sys_trace_start(nrt_sys_trace_config_t* options) noexcept {
  return nrt_sys_trace_capture_start(options);
}

NRT_STATUS nrt_sys_trace_capture_stop() noexcept { return Engine::get().stop(); }

NRT_STATUS nrt_sys_trace_stop() noexcept { return nrt_sys_trace_capture_stop(); }

NRT_STATUS nrt_sys_trace_capture_close() noexcept { return Engine::get().stop_if_any(); }

namespace {

[[gnu::always_inline]] inline std::uint64_t emit(const Emission& event) noexcept {
  const auto slowly = [&]() __attribute__((always_inline)) {
    return trace::detail::emit_slowly(event.tag, event.data, event.tracking_id, event.nc,
                                      event.nrta_seq_id);
  };
  if (event.nc >= kMaxCores) [[unlikely]]
    return slowly();
  if (!gate.open(event.nc, event.tag.type())) return 0;
  return trace::detail::emit_quickly(
      event.tag, event.tracking_id, event.nc,
      [&](Slot& slot) noexcept { write_payload(slot, event); }, slowly);
}

}  // namespace

uint64_t nrt_sys_trace_new_event(uint32_t phase, uint32_t type,
                                 const nrt_sys_trace_event_data_t* data, uint64_t tracking_id,
                                 uint32_t nc_idx) noexcept {
  if (type >= NRT_SYS_TRACE_EVENT_TYPE_COUNT) return 0;
  return emit({EventTag(phase, type, false), data, tracking_id, nc_idx, 0});
}

uint64_t nrt_sys_trace_new_event_with_seq(uint32_t phase, uint32_t type,
                                          const nrt_sys_trace_event_data_t* data,
                                          uint64_t tracking_id, uint32_t nc_idx,
                                          uint64_t nrta_seq_id) noexcept {
  if (type >= NRT_SYS_TRACE_EVENT_TYPE_COUNT) return 0;
  return emit({EventTag(phase, type, true), data, tracking_id, nc_idx, nrta_seq_id});
}

NRT_STATUS nrt_sys_trace_capture_drain_events(uint32_t nc_idx, nrt_sys_trace_event_t* out,
                                              uint64_t max, uint64_t* count) noexcept {
  if (out == nullptr || count == nullptr) return invalid("drain: nowhere to put the events");
  if (nc_idx >= kMaxCores) return invalid("drain: there is no such core");
  *count = Engine::get().drain(nc_idx, out, max);
  return NRT_SUCCESS;
}

NRT_STATUS nrt_sys_trace_fetch_events_internal(
    char** out, size_t* len, const nrt_sys_trace_fetch_options_t* options) noexcept {
  return fetch(out, len, options);
}

NRT_STATUS nrt_sys_trace_fetch_events(char** buffer, size_t* written_size,
                                      const nrt_sys_trace_fetch_options_t* options) noexcept {
  return fetch(buffer, written_size, options);
}

void nrt_sys_trace_buffer_free_internal(char* buffer) noexcept { std::free(buffer); }

void nrt_sys_trace_buffer_free(char* buffer) noexcept { std::free(buffer); }

uint64_t nrt_sys_trace_ring_size() noexcept { return Engine::get().capacity(); }

uint64_t nrt_sys_trace_total_event_count() noexcept { return Engine::get().total_created(); }

uint64_t nrt_sys_trace_capture_intern_string(const char* s, uint32_t nc_idx) noexcept {
  const auto text = checked_text(s);
  if (!text) return 0;
  const std::uint64_t id = string_id(*text);
  // An empty string has an id, and is no name.
  if (!text->empty()) Engine::get().intern(id, *text, nc_idx);
  return id;
}

NRT_STATUS nrt_sys_trace_get_combined_string_db(nrt_interned_string_db_shard_t* dst) noexcept {
  if (dst == nullptr) return invalid("strings: there is nothing to add them to");
  try {
    Engine::get().combine_strings(dst->names);
  } catch (const std::bad_alloc&) {
    return NRT_RESOURCE;
  }
  return NRT_SUCCESS;
}
