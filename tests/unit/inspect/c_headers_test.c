// SPDX-License-Identifier: Apache-2.0
//
// The headers of the inspect session as a C program meets them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nrt/nrt.h"
#include "nrt/nrt_inspect_internal.h"
#include "nrt/nrt_profile.h"
#include "nrt/nrt_sys_trace_internal.h"

static int failures;

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  failures++;
}

static int is_there(const char* directory, const char* name) {
  char path[4200];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  const int there = stat(path, &status) == 0 && status.st_size > 0;
  unlink(path);
  return there;
}

int main(void) {
  char base[] = "/tmp/ndtel_inspect_c_XXXXXX";
  char directory[4096];
  expect(mkdtemp(base) != NULL, "a directory");
  nrt_sys_trace_set_visible_vnc_count(1);
  expect(nrt_inspect_begin() == NRT_UNINITIALIZED, "a begin before init");
  expect(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS, "init");

  nrt_inspect_config_t* options = NULL;
  expect(nrt_inspect_config_allocate(&options) == NRT_SUCCESS, "options");
  expect(nrt_inspect_config_set_output_dir(options, base) == NRT_SUCCESS, "a base");
  expect(nrt_inspect_config_set_activity(options, "all", true) == NRT_SUCCESS, "activities");
  expect(nrt_inspect_config_set_inspect_device_profile_mode(
             options, NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED) == NRT_SUCCESS,
         "a mode");
  const char** names = NULL;
  size_t count = 0;
  expect(nrt_inspect_config_get_enabled_activity_types(options, &names, &count) == NRT_SUCCESS,
         "names");
  expect(count == 4 && strcmp(names[3], "cpu_util") == 0, "four activities");
  nrt_inspect_config_free_activity_types(names, count);

  expect(nrt_inspect_begin_with_options(options) == NRT_SUCCESS, "begin");
  nrt_inspect_config_free(options);
  expect(nrt_inspect_get_instance_output_dir(NULL, directory, sizeof directory) == NRT_SUCCESS,
         "the directory");
  expect(nrt_sys_trace_new_event(NRT_SYS_TRACE_EVENT_PHASE_INSTANT,
                                 NRT_SYS_TRACE_EVENT_TYPE_GENERIC, NULL, 0, 0) != 0,
         "an event");
  expect(nrt_inspect_export(NRT_INSPECT_ACTIVITY_SYSTEM_PROFILE) == NRT_SUCCESS, "export");
  expect(nrt_inspect_stop() == NRT_SUCCESS, "stop");
  expect(is_there(directory, "ntrace.pb"), "ntrace.pb");
  expect(is_there(directory, "cpu_util.pb"), "cpu_util.pb");
  expect(is_there(directory, "host_mem.pb"), "host_mem.pb");
  expect(is_there(directory, "trace_info.pb"), "trace_info.pb");
  nrt_close();
  expect(nrt_inspect_stop() == NRT_CLOSED, "a stop after close");

  // Of its own, of the process, and the base.
  for (int level = 0; level < 3; level++) {
    expect(rmdir(directory) == 0, "nothing else is there");
    *strrchr(directory, '/') = '\0';
  }
  return failures != 0;
}
