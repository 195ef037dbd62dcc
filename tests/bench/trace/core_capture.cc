// SPDX-License-Identifier: Apache-2.0
#include "core_capture.hpp"

#include "ndtel/trace.hpp"

namespace ndtel::bench {

Capture::Capture(std::uint64_t slots) {
  nrt_sys_trace_set_visible_vnc_count(1);
  nrt_sys_trace_config_t* config = nullptr;
  if (nrt_sys_trace_config_allocate(&config) != NRT_SUCCESS) return;
  nrt_sys_trace_config_set_max_events_per_nc(config, slots);
  nrt_sys_trace_config_set_capture_enabled_for_event_type(config, "kbl_exec_post", false);
  running_ = nrt_sys_trace_start(config) == NRT_SUCCESS;
  nrt_sys_trace_config_free(config);
}

Capture::~Capture() {
  if (running_) nrt_sys_trace_stop();
}

void emit_through_c(std::uint32_t type, std::uint64_t first, std::uint64_t count) {
  nrt_sys_trace_event_data_t data{};
  data.exec_pre.model_id = 77;
  for (std::uint64_t i = first; i < first + count; ++i) {
    data.exec_pre.exec_id = i;
    nrt_sys_trace_new_event(NRT_SYS_TRACE_EVENT_PHASE_START, type, &data, 0, 0);
  }
}

void emit_inlined(std::uint32_t nc, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i)
    trace::start<trace::event::ExecPre>(nc, {.exec_id = i, .model_id = 77});
}

}  // namespace ndtel::bench
