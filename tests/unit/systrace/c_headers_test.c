// SPDX-License-Identifier: Apache-2.0
//
// The trace headers as a C program meets them: everything it needs to fill a config compiles, links
// and works.
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

  // Zeroes reach the whole payload, whichever member is used next.
  nrt_sys_trace_event_data_t data = {{0}};
  data.exec_pre.exec_id = 5;
  data.exec_pre.model_id = 6;
  expect(data.words[0] == 5 && data.words[1] == 6 && data.words[4] == 0, "words of a payload");

  const struct nrt_sys_trace_host host = {.visible_vnc_count = two_cores};
  nrt_sys_trace_set_host(&host);
  nrt_sys_trace_set_host(NULL);
  return failures != 0;
}
