/* SPDX-License-Identifier: Apache-2.0 */
/* The cheapest function that a shared library can offer with the arguments of an event. */
#ifndef NDTEL_TESTS_BENCH_TRACE_EMPTY_CALL_H
#define NDTEL_TESTS_BENCH_TRACE_EMPTY_CALL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint64_t bench_empty_call(uint32_t phase, uint32_t type, const void* data, uint64_t tracking_id,
                          uint32_t nc_idx);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_TESTS_BENCH_TRACE_EMPTY_CALL_H */
