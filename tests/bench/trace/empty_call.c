/* SPDX-License-Identifier: Apache-2.0 */
#include "empty_call.h"

uint64_t bench_empty_call(uint32_t phase, uint32_t type, const void* data, uint64_t tracking_id,
                          uint32_t nc_idx) {
  (void)phase;
  (void)type;
  (void)data;
  (void)tracking_id;
  (void)nc_idx;
  return 0;
}
