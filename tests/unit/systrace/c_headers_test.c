// SPDX-License-Identifier: Apache-2.0
//
// The trace headers as a C program meets them: it configures, captures, reads and stops.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nrt/nrt.h"
#include "nrt/nrt_sys_trace.h"
#include "nrt/nrt_sys_trace_internal.h"

static int failures;

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  failures++;
}

static NRT_STATUS two_cores(void* context, uint32_t* count) {
  (void)context;
  *count = 2;
  return NRT_SUCCESS;
}

static void capture(const nrt_sys_trace_event_data_t* data) {
  const struct nrt_sys_trace_host host = {.visible_vnc_count = two_cores};
  nrt_sys_trace_set_host(&host);
  nrt_sys_trace_config_t* config = NULL;
  expect(nrt_sys_trace_config_allocate(&config) == NRT_SUCCESS, "a second config");
  expect(nrt_sys_trace_start(config) == NRT_SUCCESS, "start");
  expect(nrt_sys_trace_start(config) == NRT_FAILURE, "a second start");
  nrt_sys_trace_config_free(config);
  expect(nrt_sys_trace_ring_size() == NRT_SYS_TRACE_DEFAULT_EVENTS_PER_NC, "the default capacity");

  const uint64_t id = nrt_sys_trace_new_event(NRT_SYS_TRACE_EVENT_PHASE_START,
                                              NRT_SYS_TRACE_EVENT_TYPE_EXEC_PRE, data, 0, 1);
  expect(id != 0, "an event");
  expect(nrt_sys_trace_new_event_with_seq(NRT_SYS_TRACE_EVENT_PHASE_STOP,
                                          NRT_SYS_TRACE_EVENT_TYPE_EXEC_PRE, NULL, id, 1, 3) == id,
         "its end");
  expect(nrt_sys_trace_total_event_count() == 2, "two events");

  nrt_sys_trace_event_t event;
  uint64_t drained = 0;
  expect(nrt_sys_trace_capture_drain_events(1, &event, 1, &drained) == NRT_SUCCESS, "a drain");
  expect(drained == 1 && event.tracking_id == id && event.data.exec_pre.model_id == 6,
         "the event that was drained");

  char* text = NULL;
  size_t size = 0;
  expect(nrt_sys_trace_fetch_events(&text, &size, NULL) == NRT_SUCCESS, "a fetch");
  expect(text && strlen(text) == size && strstr(text, "\"nrta_seq_id\":3"), "the end as JSON");
  nrt_sys_trace_buffer_free(text);
  expect(nrt_sys_trace_stop() == NRT_SUCCESS, "stop");
  expect(nrt_sys_trace_stop() == NRT_FAILURE, "a second stop");
  expect(nrt_sys_trace_capture_close() == NRT_SUCCESS, "close");
  nrt_sys_trace_set_host(NULL);
}

static void strings(void) {
  nrt_interned_string_db_shard_t* shard = nrt_interned_string_db_shard_alloc();
  nrt_interned_string_db_shard_t* other = nrt_interned_string_db_shard_alloc();
  expect(shard && other, "shards");
  const uint64_t id = nrt_interned_string_db_get_id("model");
  expect(id == 402710577667408, "the id of a string");
  expect(nrt_interned_string_db_register_entry("model", id, other) == NRT_SUCCESS, "a name");
  expect(nrt_interned_string_db_combine_shards(shard, other) == NRT_SUCCESS, "a merge");
  uint64_t* ids = NULL;
  char** names = NULL;
  size_t count = 0;
  expect(nrt_interned_string_db_get_entries(shard, &ids, &names, &count) == NRT_SUCCESS, "entries");
  expect(count == 1 && ids[0] == id && strcmp(names[0], "model") == 0, "the entry");
  nrt_interned_string_db_free_entries(ids, names, count);
  nrt_interned_string_db_shard_free(other);
  nrt_interned_string_db_shard_free(shard);
}

int main(void) {
  nrt_sys_trace_config_t* config = NULL;
  expect(nrt_sys_trace_config_allocate(&config) == NRT_SUCCESS, "a config");
  nrt_sys_trace_config_set_defaults(config);
  nrt_sys_trace_config_set_max_events_per_nc(config, 4096);
  nrt_sys_trace_config_set_capture_enabled_for_nc(config, 1, false);
  expect(nrt_sys_trace_config_set_capture_enabled_for_event_type(config, "hw_notify", false) ==
             NRT_SUCCESS,
         "a type switched off");
  expect(nrt_sys_trace_config_set_capture_enabled_for_event_type(config, "nothing", false) ==
             NRT_INVALID,
         "a type that does not exist");

  const char** names = NULL;
  size_t count = 0;
  expect(nrt_sys_trace_get_event_types(&names, &count) == NRT_SUCCESS, "names");
  expect(count == NRT_SYS_TRACE_EVENT_TYPE_COUNT, "as many names as types");
  expect(names && strcmp(names[NRT_SYS_TRACE_EVENT_TYPE_DEVICE_EXEC], "nc_exec_running") == 0,
         "names by number");
  nrt_sys_trace_free_event_types(names, count);

  names = NULL;
  expect(nrt_sys_trace_config_get_enabled_event_types(config, &names, &count) == NRT_SUCCESS,
         "enabled names");
  expect(count == NRT_SYS_TRACE_EVENT_TYPE_COUNT - 1, "one name less");
  for (size_t i = 0; i < count; i++) {
    expect(strcmp(names[i], "hw_notify") != 0, "a name that is switched off");
    free((void*)names[i]);
  }
  free((void*)names);
  nrt_sys_trace_config_free(config);

  nrt_sys_trace_fetch_options_t* options = NULL;
  expect(nrt_sys_trace_fetch_options_allocate(&options) == NRT_SUCCESS, "options");
  nrt_sys_trace_fetch_options_set_defaults(options);
  nrt_sys_trace_fetch_options_set_max_events_per_nc(options, 10);
  nrt_sys_trace_fetch_options_set_nc_idx(options, 0);
  nrt_sys_trace_fetch_options_free(options);
  strings();

  // Zeroes reach the whole payload, whichever member is used next.
  nrt_sys_trace_event_data_t data = {{0}};
  data.exec_pre.exec_id = 5;
  data.exec_pre.model_id = 6;
  expect(data.words[0] == 5 && data.words[1] == 6 && data.words[4] == 0, "words of a payload");

  capture(&data);
  return failures != 0;
}
