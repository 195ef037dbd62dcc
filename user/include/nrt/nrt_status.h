/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NRT_STATUS: the result codes of the Neuron runtime, their names and their priorities.
 */
#ifndef NRT_NRT_STATUS_H
#define NRT_NRT_STATUS_H

#include "nrt/nrt_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * X(code, NAME, priority). Priorities: 0 none, 1 medium, 2 high, 3 critical. Codes 8 and 12 are
 * reserved; the bands are the subsystems: below 101 general, 1000 execution, 1100 collectives, 1200
 * hardware and transport.
 */
#define NRT_STATUS_TABLE(X)                     \
  X(0, NRT_SUCCESS, 0)                          \
  X(1, NRT_FAILURE, 1)                          \
  X(2, NRT_INVALID, 1)                          \
  X(3, NRT_INVALID_HANDLE, 1)                   \
  X(4, NRT_RESOURCE, 1)                         \
  X(5, NRT_TIMEOUT, 2)                          \
  X(6, NRT_HW_ERROR, 2)                         \
  X(7, NRT_QUEUE_FULL, 1)                       \
  X(9, NRT_LOAD_NOT_ENOUGH_NC, 1)               \
  X(10, NRT_UNSUPPORTED_NEFF_VERSION, 1)        \
  X(11, NRT_FAIL_HOST_MEM_ALLOC, 1)             \
  X(13, NRT_UNINITIALIZED, 1)                   \
  X(14, NRT_CLOSED, 1)                          \
  X(15, NRT_QUEUE_EMPTY, 1)                     \
  X(101, NRT_EXEC_UNIT_UNRECOVERABLE, 1)        \
  X(1002, NRT_EXEC_BAD_INPUT, 1)                \
  X(1003, NRT_EXEC_COMPLETED_WITH_NUM_ERR, 1)   \
  X(1004, NRT_EXEC_COMPLETED_WITH_ERR, 3)       \
  X(1005, NRT_EXEC_NC_BUSY, 1)                  \
  X(1006, NRT_EXEC_OOB, 1)                      \
  X(1100, NRT_COLL_PENDING, 1)                  \
  X(1200, NRT_EXEC_HW_ERR_COLLECTIVES, 3)       \
  X(1201, NRT_EXEC_HW_ERR_HBM_UE, 3)            \
  X(1202, NRT_EXEC_HW_ERR_NC_UE, 3)             \
  X(1203, NRT_EXEC_HW_ERR_DMA_ABORT, 3)         \
  X(1204, NRT_EXEC_SW_NQ_OVERFLOW, 2)           \
  X(1205, NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE, 3) \
  X(1206, NRT_NETWORK_PROXY_FAILURE, 2)

/* Unsigned and 4 bytes in both languages. C++ needs to be told, so that values outside the table
 * may be passed. */
#ifdef __cplusplus
#define NRT_STATUS_ENUM enum : unsigned int
#else
#define NRT_STATUS_ENUM enum
#endif

#define NRT_STATUS_X(code, name, priority) name = (code),
typedef NRT_STATUS_ENUM{NRT_STATUS_TABLE(NRT_STATUS_X)} NRT_STATUS;
#undef NRT_STATUS_X
#undef NRT_STATUS_ENUM

/** Priority classes: when cores of one request disagree, the larger wins and ties keep the first
 * seen. */
enum {
  NRT_PRIORITY_NONE = 0,
  NRT_PRIORITY_MEDIUM = 1,
  NRT_PRIORITY_HIGH = 2,
  NRT_PRIORITY_CRITICAL = 3,
};

/**
 * The bare enumerator name of a status.
 *
 * @return a static string, "UNKNOWN" for a value outside the table, never NULL.
 */
const char* nrt_get_status_as_str(NRT_STATUS status) NRT_NOEXCEPT;

/** @return the priority class of a status; NRT_PRIORITY_MEDIUM for a value outside the table. */
int nrt_get_status_priority(NRT_STATUS status) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NRT_STATUS_H */
