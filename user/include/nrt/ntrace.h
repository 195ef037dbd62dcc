/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the components of a runtime record into the ntrace ring. Programs that only start and stop it
 * need nrt/nrt_experimental.h alone.
 */
#ifndef NRT_NTRACE_H
#define NRT_NTRACE_H

#include <stdint.h>

#include "nrt/nrt_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Types of records. They have nothing to do with the event types of system tracing. */
typedef enum ntrace_event_type {
  NTRACE_INVALID = 0,
  NTRACE_EXEC_START = 1,
  NTRACE_EXEC_END = 2,
  NTRACE_CC_EXEC_START = 3,
  NTRACE_CC_EXEC_END = 4,
  NTRACE_IO_COPY_START = 5,
  NTRACE_IO_COPY_END = 6,
  NTRACE_MEM_ALLOC = 7, /* data: bytes; hint: what for */
  NTRACE_MEM_FREE = 8,
  NTRACE_CPU_TIMESTAMP_SYNC = 9,
  NTRACE_NC_TIMESTAMP_SYNC = 10, /* data: time of the device */
  NTRACE_TENSOR_OP = 11,
  NTRACE_MODEL_LOAD = 12,
  NTRACE_MODEL_UNLOAD = 13,
  NTRACE_ERROR = 14,
  NTRACE_COUNT = 15, /* how many there are; no type */
} ntrace_event_type_t;

/**
 * Records something that happens now; nothing while nobody traces. From any thread, from no signal
 * handler. A type that is none, from NTRACE_COUNT on, is refused with a line in the log.
 *
 * @param type   ntrace_event_type
 * @param data   what the type says
 * @param nd_idx device
 * @param nc_idx core
 * @param hint   text that is copied; NULL for none
 */
void ntrace_record_event(uint32_t type, uint64_t data, uint32_t nd_idx, uint32_t nc_idx,
                         const char* hint) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NTRACE_H */
