/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kmetric bridge: what the runtime writes into the calling process's datastore when models
 * load, run and unload.
 *
 * Functions returning void ignore failures of the datastore (a missing instance, a reader, a core
 * that does not exist): metrics never disturb an execution.
 */
#ifndef NRT_KMETRIC_H
#define NRT_KMETRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nds.h"
#include "nrt/nrt_defs.h"
#include "nrt/nrt_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Length of the error flags: one boolean per infer-error subtype 0..8. */
#define KMETRIC_ERROR_FLAGS 9

/**
 * What memory is used for: X(usage, NAME, host category, device category, NDS slot). Category 20
 * means that the usage does not exist at that location.
 */
#define NDS_MEM_USAGES(X)                          \
  X(0, GENERIC, 4, 12, MISC)                       \
  X(1, INSTR_PE, 1, 8, CODE)                       \
  X(2, INSTR_ACT, 1, 8, CODE)                      \
  X(3, INSTR_POOL, 4, 12, MISC)                    \
  X(4, IO, 1, 8, CODE)                             \
  X(5, DRAM_SPILL, 4, 12, MISC)                    \
  X(6, WEIGHT, 3, 10, CONSTANTS)                   \
  X(7, NOTIFICATION, 6, 16, MISC)                  \
  X(8, ACT_TABLE, 4, 12, MISC)                     \
  X(9, INSTR_DVE, 1, 8, CODE)                      \
  X(10, INSTR_SP, 1, 8, CODE)                      \
  X(11, SCRATCHPAD, 20, 11, SCRATCHPAD)            \
  X(12, TENSOR, 2, 9, TENSORS)                     \
  X(13, UCODE_LIB, 1, 8, CODE)                     \
  X(14, POOL_STDIO, 4, 12, MISC)                   \
  X(15, CC, 20, 14, MISC)                          \
  X(16, SCRATCHPAD_NOT_SHARED, 20, 15, SCRATCHPAD) \
  X(17, XT_CC, 4, 12, MISC)                        \
  X(18, DMA_RING, 17, 18, MISC)                    \
  X(19, DMA_RING_SPILL, 17, 18, MISC)              \
  X(20, DMA_RING_IO, 17, 18, MISC)                 \
  X(21, DMA_RING_COLLECTIVES, 17, 18, MISC)

#define NDS_MEM_CATEGORY_INVALID 20

#define NDS_MEM_USAGE_X(usage, name, host, device, slot) TDRV_MEM_USAGE_##name = (usage),
typedef enum { NDS_MEM_USAGES(NDS_MEM_USAGE_X) TDRV_MEM_USAGE_MAX = 22 } tdrv_mem_usage_t;
#undef NDS_MEM_USAGE_X

typedef enum {
  TDRV_MEM_LOCATION_HOST = 0,
  TDRV_MEM_LOCATION_DEVICE = 1,
} tdrv_mem_location_t;

/** Framework types of the process record and of the framework version word. */
enum {
  NDS_FRAMEWORK_INVALID = 0,
  NDS_FRAMEWORK_NONE = 1,
  NDS_FRAMEWORK_TENSORFLOW = 2,
  NDS_FRAMEWORK_PYTORCH = 3,
  NDS_FRAMEWORK_MXNET = 4,
  NDS_FRAMEWORK_PRECHECK = 5,
};

/** Load path: statuses 1, 2, 4, 9 and 10 add one to their counter, all others write nothing. */
void kmetric_update_nds_generic_status(nds_instance_t* instance, int nc,
                                       NRT_STATUS status) NRT_NOEXCEPT;

/** Execution path: adds one to the counter of the status, if it has one. */
void kmetric_update_nds_exec_stats(nds_instance_t* instance, int nc,
                                   NRT_STATUS status) NRT_NOEXCEPT;

/** Execution path: adds one to counters 36..39 for the software error subtypes 5..8 that are set.
 */
void kmetric_update_nds_error_stats(nds_instance_t* instance, int nc,
                                    const bool flags[KMETRIC_ERROR_FLAGS]) NRT_NOEXCEPT;

/** Sets the four latency words, in microseconds, truncated; negative and not-a-number become 0. */
void kmetric_update_nds_exec_latencies(nds_instance_t* instance, int nc, double total_us,
                                       double device_us, double nc_time_us,
                                       double cc_time_us) NRT_NOEXCEPT;

/**
 * Finalise of one execution on one core: time in use and multiply-accumulates always, the inference
 * count on success.
 *
 * @param busy_ps device time from start to end, picoseconds
 * @param macs    multiply-accumulates of the model
 */
void kmetric_finalise_exec(nds_instance_t* instance, int nc, NRT_STATUS status, uint64_t busy_ps,
                           uint64_t macs) NRT_NOEXCEPT;

/** Counts one model load on a core. */
void kmetric_count_model_load(nds_instance_t* instance, int nc) NRT_NOEXCEPT;

/** @return the 64-bit workload id of a NEFF: low half xor high half of its UUID, little-endian; 0
 * for NULL. */
uint64_t kmetric_fold_neff_uuid(const uint8_t uuid[16]) NRT_NOEXCEPT;

/** Adds (load) or subtracts (unload) a folded NEFF id, modulo 2^64. */
void kmetric_load_model_update_agg_neff_id(nds_instance_t* instance, uint64_t neff_id) NRT_NOEXCEPT;
void kmetric_unload_model_update_agg_neff_id(nds_instance_t* instance,
                                             uint64_t neff_id) NRT_NOEXCEPT;

/**
 * Registers memory: host bytes go to device counters 6..10, device bytes to core counters 22..26.
 *
 * @return NRT_SUCCESS; NRT_INVALID no instance, unknown usage, location or core, or a usage that
 * does not exist at this location; NRT_FAILURE the datastore refused (reader, no mapping)
 */
NRT_STATUS tdrv_nds_register_mem_alloc(nds_instance_t* instance, int nc, int usage, int location,
                                       size_t bytes) NRT_NOEXCEPT;
/** Undoes tdrv_nds_register_mem_alloc() with the same arguments. */
NRT_STATUS tdrv_nds_register_mem_free(nds_instance_t* instance, int nc, int usage, int location,
                                      size_t bytes) NRT_NOEXCEPT;

/** What a process says about itself. */
typedef struct kmetric_process_versions {
  int8_t framework_type; /* NDS_FRAMEWORK_*; 0: no framework, ND counters 1 and 2 stay unset */
  struct nds_version framework;
  struct nds_version fal;
  const char* runtime; /* "major.minor.build", more parts are ignored */
} kmetric_process_versions_t;

/**
 * Publishes process info and its extension: tag = NEURON_PROCESS_TAG or the decimal pid, cut to 31
 * and 255 characters; sets ND counter 0 from the runtime version, and 1 and 2 when a framework type
 * is given.
 *
 * @return NRT_SUCCESS; NRT_INVALID no instance or a runtime version that is no version; NRT_FAILURE
 */
NRT_STATUS kmetric_save_process_info(nds_instance_t* instance,
                                     const kmetric_process_versions_t* versions) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_KMETRIC_H */
