/* SPDX-License-Identifier: Apache-2.0 */
/* A module of its own: it has to be loaded after its session daemon was started. The tracepoint is
 * inlined into the loop, as it would be in a traced program. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_tracepoint.h"

__attribute__((visibility("default"))) void peer_lttng_emit(uint64_t first, uint64_t count) {
  uint64_t words[14] = {0, 1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11, 12, 13};
  for (uint64_t i = first; i < first + count; ++i) {
    words[0] = words[6] = i;
    lttng_ust_tracepoint(ndtel_bench, record, (const uint8_t*)words);
  }
}

__attribute__((visibility("default"))) int peer_lttng_enabled(void) {
  return lttng_ust_tracepoint_enabled(ndtel_bench, record) != 0;
}
