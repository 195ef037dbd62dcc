/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Live totals of core counters, as the sysfs tree shows them: sums of each slab's growth since the
 * device was made, dead owners included. A word that fell adds nothing. Writing a total sets a base
 * and never touches a process's memory.
 *
 * The caller serialises all calls of one set; in the module that is the datastore lock.
 */
#ifndef NDTEL_CORE_NCOUNTER_H
#define NDTEL_CORE_NCOUNTER_H

#include "port.h"
#include "../uapi/ndtel/nds.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The counters that have files, in the order the tree shows them: X(index name, NDS core counter,
 * directory, multiplier). First the statuses, then other_info, then those that come on demand.
 */
#define NCOUNTER_STATUS(X) \
	X(SUCCESS, NDS_NC_COUNTER_INFER_COMPLETED, "success", 1) \
	X(FAILURE, NDS_NC_COUNTER_GENERIC_FAIL, "failure", 1) \
	X(TIMEOUT, NDS_NC_COUNTER_INFER_TIMED_OUT, "timeout", 1) \
	X(EXEC_BAD_INPUT, NDS_NC_COUNTER_INFER_INCORRECT_INPUT, "exec_bad_input", 1) \
	X(HW_ERROR, NDS_NC_COUNTER_ERR_HW, "hw_error", 1) \
	X(WITH_ERROR, NDS_NC_COUNTER_INFER_COMPLETED_WITH_ERR, "execute_completed_with_error", 1) \
	X(WITH_NUM_ERROR, NDS_NC_COUNTER_INFER_COMPLETED_WITH_NUM_ERR, \
	  "execute_completed_with_num_error", 1) \
	X(GENERIC_ERROR, NDS_NC_COUNTER_ERR_GENERIC, "generic_error", 1) \
	X(RESOURCE_ERROR, NDS_NC_COUNTER_ERR_RESOURCE, "resource_error", 1) \
	X(RESOURCE_NC_ERROR, NDS_NC_COUNTER_ERR_RESOURCE_NC, "resource_nc_error", 1) \
	X(FAILED_TO_QUEUE, NDS_NC_COUNTER_INFER_FAILED_TO_QUEUE, "execute_failed_to_queue", 1) \
	X(INVALID_ERROR, NDS_NC_COUNTER_ERR_INVALID, "invalid_error", 1) \
	X(UNSUPPORTED_NEFF_VERSION, NDS_NC_COUNTER_ERR_UNSUPPORTED_NEFF_VERSION, \
	  "unsupported_neff_version", 1) \
	X(OOB_ERROR, NDS_NC_COUNTER_OOB, "oob_error", 1) \
	X(HW_COLLECTIVES_ERROR, NDS_EXT_NC_COUNTER_HW_ERR_COLLECTIVES, "hw_collectives_error", 1) \
	X(HW_HBM_UE_ERROR, NDS_EXT_NC_COUNTER_HW_ERR_HBM_UE, "hw_hbm_ue_error", 1) \
	X(HW_NC_UE_ERROR, NDS_EXT_NC_COUNTER_HW_ERR_NC_UE, "hw_nc_ue_error", 1) \
	X(HW_DMA_ABORT_ERROR, NDS_EXT_NC_COUNTER_HW_ERR_DMA_ABORT, "hw_dma_abort_error", 1) \
	X(SW_NQ_OVERFLOW, NDS_EXT_NC_COUNTER_ERR_SW_NQ_OVERFLOW, "execute_sw_nq_overflow", 1) \
	X(SW_SEMAPHORE_ERROR, NDS_EXT_NC_COUNTER_ERR_SW_SEMAPHORE_ERROR, \
	  "execute_sw_semaphore_error", 1) \
	X(SW_EVENT_ERROR, NDS_EXT_NC_COUNTER_ERR_SW_EVENT_ERROR, "execute_sw_event_error", 1) \
	X(SW_PSUM_COLLISION, NDS_EXT_NC_COUNTER_ERR_SW_PSUM_COLLISION, \
	  "execute_sw_psum_collision", 1) \
	X(SW_SEQUENCER_FATAL, NDS_EXT_NC_COUNTER_ERR_SW_SEQUENCER_FATAL, \
	  "execute_sw_sequencer_fatal", 1) \
	X(HW_REPAIRABLE_HBM_UE_ERROR, NDS_EXT_NC_COUNTER_HW_ERR_REPAIRABLE_HBM_UE, \
	  "hw_repairable_hbm_ue_error", 1)

#define NCOUNTER_OTHER(X) \
	X(MODEL_LOAD_COUNT, NDS_NC_COUNTER_MODEL_LOAD_COUNT, "model_load_count", 1) \
	X(INFERENCE_COUNT, NDS_NC_COUNTER_INFERENCE_COUNT, "inference_count", 1) \
	X(FLOP_COUNT, NDS_NC_COUNTER_MAC_COUNT, "flop_count", 2) \
	X(NC_TIME_IN_USE, NDS_NC_COUNTER_TIME_IN_USE, "nc_time_in_use", 1)

/*
 * Named counters without a directory of their own, which a process can ask to see. They are
 * followed from the beginning. Those that are set, not added to, show how much they rose.
 */
#define NCOUNTER_DYNAMIC(X) \
	X(METRIC_8, NDS_NC_COUNTER_ERR_NUMERICAL, "new_metric_8", 1) \
	X(METRIC_9, NDS_NC_COUNTER_ERR_MODEL, "new_metric_9", 1) \
	X(METRIC_10, NDS_NC_COUNTER_ERR_TRANSIENT, "new_metric_10", 1) \
	X(METRIC_12, NDS_NC_COUNTER_ERR_RT, "new_metric_12", 1) \
	X(METRIC_13, NDS_NC_COUNTER_LATENCY_DEVICE, "new_metric_13", 1) \
	X(METRIC_14, NDS_NC_COUNTER_LATENCY_TOTAL, "new_metric_14", 1) \
	X(METRIC_15, NDS_NC_COUNTER_NC_TIME, "new_metric_15", 1) \
	X(METRIC_21, NDS_NC_COUNTER_CC_TIME, "new_metric_21", 1) \
	X(METRIC_22, NDS_NC_COUNTER_MEM_USAGE_CODE_DEVICE, "new_metric_22", 1) \
	X(METRIC_23, NDS_NC_COUNTER_MEM_USAGE_TENSORS_DEVICE, "new_metric_23", 1) \
	X(METRIC_24, NDS_NC_COUNTER_MEM_USAGE_CONSTANTS_DEVICE, "new_metric_24", 1) \
	X(METRIC_25, NDS_NC_COUNTER_MEM_USAGE_SCRATCHPAD_DEVICE, "new_metric_25", 1) \
	X(METRIC_26, NDS_NC_COUNTER_MEM_USAGE_MISC_DEVICE, "new_metric_26", 1)

enum ncounter_index {
#define NCOUNTER_INDEX(name, id, dir, times) NCOUNTER_##name,
	NCOUNTER_STATUS(NCOUNTER_INDEX)
	NCOUNTER_OTHER(NCOUNTER_INDEX)
	NCOUNTER_DYNAMIC(NCOUNTER_INDEX)
#undef NCOUNTER_INDEX
	NCOUNTER_COUNT,
	NCOUNTER_DYNAMIC_FIRST = NCOUNTER_METRIC_8
};

/**
 * struct ncounter_def - a counter that has files
 * @id: NDS core counter
 * @times: value shown per count: 2 for FLOPs, which are counted as multiply-accumulates
 * @dir: directory below stats/status or stats/other_info
 */
struct ncounter_def {
	u8 id;
	u8 times;
	const char *dir;
};

extern const struct ncounter_def ncounter_defs[NCOUNTER_COUNT];

/**
 * struct ncounter_slab - what the totals remember of one slab
 * @words: the slab, untrusted: each word is read once per look
 * @last: its value at the last look
 */
struct ncounter_slab {
	const u64 *words;
	u64 last[ND_MAX_NC_PER_DEVICE][NCOUNTER_COUNT];
};

/**
 * struct ncounter_set - totals of one device
 * @nc_count: cores
 * @sum: growth of all slabs ever, counts
 * @base: @sum when the total was last written
 * @present: last change of any slab, counts
 * @odd: looks that found a word that fell or leapt; those changed nothing
 */
struct ncounter_set {
	u32 nc_count;
	u64 sum[ND_MAX_NC_PER_DEVICE][NCOUNTER_COUNT];
	u64 base[ND_MAX_NC_PER_DEVICE][NCOUNTER_COUNT];
	u64 present[ND_MAX_NC_PER_DEVICE][NCOUNTER_COUNT];
	u64 odd;
};

void ncounter_init(struct ncounter_set *set, u32 nc_count);
void ncounter_slab_init(struct ncounter_slab *slab, const u64 *words);
bool ncounter_look(struct ncounter_set *set, struct ncounter_slab *slab, u32 nc, u32 index);
u64 ncounter_total(const struct ncounter_set *set, u32 nc, u32 index);
u64 ncounter_present(const struct ncounter_set *set, u32 nc, u32 index);
void ncounter_reset_total(struct ncounter_set *set, u32 nc, u32 index);
void ncounter_reset_present(struct ncounter_set *set, u32 nc, u32 index);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NCOUNTER_H */
