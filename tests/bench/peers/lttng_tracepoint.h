/* SPDX-License-Identifier: Apache-2.0 */
/* The tracepoint that LTTng-UST is measured with: 112 bytes as one array. LTTng's macros read this
 * file several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ndtel_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_tracepoint.h"

#if !defined(NDTEL_BENCH_LTTNG_TRACEPOINT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define NDTEL_BENCH_LTTNG_TRACEPOINT_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(ndtel_bench, record, LTTNG_UST_TP_ARGS(const uint8_t*, bytes),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_array(uint8_t, bytes, bytes, 112)))

#endif

#include <lttng/tracepoint-event.h>
