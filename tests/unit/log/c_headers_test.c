// SPDX-License-Identifier: Apache-2.0
//
// nlog from a program in C.
#include <stdio.h>
#include <string.h>

#include "nrt/nlog.h"

static int failures;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  ++failures;
}

static void say(const char* format, ...) {
  va_list args;
  va_start(args, format);
  nlog_vwrite("HAL", "say", NRT_LOG_LEVEL_ERROR, false, false, format, args);
  va_end(args);
}

int main(void) {
  char errors[4096];
  size_t length = 0;
  uint64_t wrapped = 1;
  nrt_log_level_t level = NRT_LOG_LEVEL_DISABLED;

  expect(nlog_init() == NRT_SUCCESS, "initialising");
  expect(nlog_set_log_level(NLOG_ALL_SUBMODULES, "CONSOLE", "INFO") == NRT_SUCCESS, "setting");
  expect(nlog_get_log_level("TDRV", &level) == NRT_SUCCESS && level == NRT_LOG_LEVEL_INFO,
         "getting");
  nlog_api_begin("nrt_load");
  nlog_set_cause(NRT_RESOURCE);
  nlog_set_thread_core(3);
  nlog_write("TDRV", "main", NRT_LOG_LEVEL_ERROR, true, false, "core %d", 3);
  say("%s", "said");
  nlog_api_end();
  expect(nlog_error_ring_dump(3, errors, sizeof errors, &length, &wrapped) == NRT_SUCCESS,
         "dumping");
  expect(length == strlen(errors) && wrapped == 0, "the length of a dump");
  expect(strstr(errors, "core 3\n") != NULL && strstr(errors, "said\n") != NULL, "both errors");
  return failures != 0;
}
