/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ntrace ring: what the runtime did, of all cores of the process, from start to stop.
 */
#ifndef NRT_NRT_EXPERIMENTAL_H
#define NRT_NRT_EXPERIMENTAL_H

#include <stdbool.h>

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Starts recording. The ring keeps the newest NEURON_RT_TRACE_NUM_ENTRIES records, 1048576 by
 * default; their memory is used as they come. What a stop that failed left unwritten is given up,
 * with a line in the log.
 *
 * @param trace_mem whether allocations and frees of memory are recorded
 * @return NRT_SUCCESS; NRT_UNINITIALIZED before nrt_init(), NRT_CLOSED after nrt_close();
 *         NRT_INVALID while it records, in implicit-async execution, or when
 *         NEURON_RT_TRACE_NUM_ENTRIES is not a positive number; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_trace_start(bool trace_mem) NRT_NOEXCEPT;

/**
 * Ends recording and writes the ring to a file, oldest records first. The file appears whole or not
 * at all. When it cannot be written, nothing is lost: the ring is kept as it is, without further
 * records, and another stop may write it elsewhere.
 *
 * @param filename where to; a file that is there is replaced
 * @return NRT_SUCCESS; NRT_UNINITIALIZED and NRT_CLOSED as above; NRT_INVALID when filename is
 *         NULL or empty, when nothing was started, or in implicit-async execution; NRT_FAILURE the
 *         file could not be written; NRT_RESOURCE no memory
 */
NRT_STATUS nrt_trace_stop(const char* filename) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NRT_EXPERIMENTAL_H */
