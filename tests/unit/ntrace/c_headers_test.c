// SPDX-License-Identifier: Apache-2.0
//
// The ntrace ring from a program in C, which did not initialise the runtime.
#include "nrt/nrt_experimental.h"
#include "nrt/ntrace.h"

int main(void) {
  ntrace_record_event(NTRACE_EXEC_START, 1, 2, 3, "nobody traces");
  if (nrt_trace_start(true) != NRT_UNINITIALIZED) return 1;
  if (nrt_trace_stop("never.pb") != NRT_UNINITIALIZED) return 2;
  return 0;
}
