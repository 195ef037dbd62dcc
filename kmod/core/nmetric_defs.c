// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The registry itself.
 */
#include "nmetric_defs.h"
#include "../uapi/ndtel/nds.h"

#define A	NMETRIC_TICK_ALWAYS
#define T0	NMETRIC_TICK_0
#define T1	NMETRIC_TICK_1
#define NONE	NMETRIC_NO_DS
#define CW(name)  NMETRIC_CW_ID_##name
#define ND(name)  NDS_ND_COUNTER_##name
#define NC(name)  NDS_NC_COUNTER_##name
#define EXT(name) NDS_EXT_NC_COUNTER_##name

const struct nmetric_def nmetric_defs[NMETRIC_ROWS] = {
	/* index, type, count, tick, cw_id, ds_id, flags */
	{ 0, NMETRIC_CONSTANT, 1, A, CW(INSTANCE_ID), NONE, 0 },
	{ 1, NMETRIC_CONSTANT, 1, A, CW(DRIVER_VERSION), NONE, 0 },
	{ 2, NMETRIC_CONSTANT, 1, T0, CW(PERFORMANCE_PROFILE_ID), NONE, 0 },
	{ 0, NMETRIC_VERSION, 2, A, CW(RT_VERSION_0), ND(RUNTIME_VERSION), 0 },
	{ 1, NMETRIC_VERSION, 2, T1, CW(FW_VERSION_0), ND(FRAMEWORK_VERSION),
	  NMETRIC_F_VERSION_TYPE },
	{ 2, NMETRIC_VERSION, 2, T1, CW(FAL_VERSION_0), ND(FAL_VERSION), 0 },
	{ 0, NMETRIC_COUNTER, 1, T0, CW(NERR_OK), NC(INFER_COMPLETED), 0 },
	{ 1, NMETRIC_COUNTER, 1, T0, CW(NERR_FAIL), NC(GENERIC_FAIL), 0 },
	{ 2, NMETRIC_COUNTER, 1, T0, CW(NERR_TIMEOUT), NC(INFER_TIMED_OUT), 0 },
	{ 3, NMETRIC_COUNTER, 1, T0, CW(NERR_INFER_BAD_INPUT), NC(INFER_INCORRECT_INPUT), 0 },
	{ 4, NMETRIC_COUNTER, 1, T0, CW(NERR_NUMERICAL_ERR), NC(ERR_NUMERICAL), 0 },
	{ 5, NMETRIC_COUNTER, 1, T0, CW(NERR_MODEL_ERR), NC(ERR_MODEL), 0 },
	{ 6, NMETRIC_COUNTER, 1, T0, CW(NERR_TRANSIENT_ERR), NC(ERR_TRANSIENT), 0 },
	{ 7, NMETRIC_COUNTER, 1, T0, CW(NERR_HW_ERROR), NC(ERR_HW), 0 },
	{ 8, NMETRIC_COUNTER, 1, T0, CW(NERR_RT_ERR), NC(ERR_RT), 0 },
	{ 9, NMETRIC_COUNTER, 1, T0, CW(NERR_INFER_COMPLETED_WITH_ERR),
	  NC(INFER_COMPLETED_WITH_ERR), 0 },
	{ 10, NMETRIC_COUNTER, 1, T0, CW(NERR_INFER_COMPLETED_WITH_NUM_ERR),
	  NC(INFER_COMPLETED_WITH_NUM_ERR), 0 },
	{ 11, NMETRIC_COUNTER, 1, T0, CW(NERR_GENERIC_TPB_ERR), NC(ERR_GENERIC), 0 },
	{ 12, NMETRIC_COUNTER, 1, T0, CW(NERR_RESOURCE), NC(ERR_RESOURCE), 0 },
	{ 13, NMETRIC_COUNTER, 1, T0, CW(NERR_RESOURCE_NC), NC(ERR_RESOURCE_NC), 0 },
	{ 14, NMETRIC_COUNTER, 1, T0, CW(NERR_QUEUE_FULL), NC(INFER_FAILED_TO_QUEUE), 0 },
	{ 15, NMETRIC_COUNTER, 1, T0, CW(NERR_INVALID), NC(ERR_INVALID), 0 },
	{ 16, NMETRIC_COUNTER, 1, T0, CW(NERR_UNSUPPORTED_VERSION),
	  NC(ERR_UNSUPPORTED_NEFF_VERSION), 0 },
	{ 17, NMETRIC_FW_IO_ERR, 1, T0, CW(FW_IO_ERROR_COUNT), NONE, 0 },
	{ 18, NMETRIC_COUNTER, 1, T0, CW(NERR_OOB), NC(OOB), 0 },
	{ 19, NMETRIC_COUNTER, 1, T1, CW(NERR_HW_ERR_COLLECTIVES), EXT(HW_ERR_COLLECTIVES), 0 },
	{ 21, NMETRIC_COUNTER, 1, T1, CW(NERR_HW_ERR_NC_UE), EXT(HW_ERR_NC_UE), 0 },
	{ 22, NMETRIC_COUNTER, 1, T1, CW(NERR_HW_ERR_DMA_ABORT), EXT(HW_ERR_DMA_ABORT), 0 },
	{ 23, NMETRIC_COUNTER, 1, T1, CW(NERR_SW_NQ_OVERFLOW), EXT(ERR_SW_NQ_OVERFLOW), 0 },
	{ 24, NMETRIC_COUNTER, 1, T1, CW(NERR_SW_SEMAPHORE_ERROR),
	  EXT(ERR_SW_SEMAPHORE_ERROR), 0 },
	{ 25, NMETRIC_COUNTER, 1, T1, CW(NERR_SW_EVENT_ERROR), EXT(ERR_SW_EVENT_ERROR), 0 },
	{ 26, NMETRIC_COUNTER, 1, T1, CW(NERR_SW_PSUM_COLLISION), EXT(ERR_SW_PSUM_COLLISION), 0 },
	{ 27, NMETRIC_COUNTER, 1, T1, CW(NERR_SW_SEQUENCER_FATAL),
	  EXT(ERR_SW_SEQUENCER_FATAL), 0 },
	{ 29, NMETRIC_UTILIZATION, 1, A, CW(NC_UTILIZATION), NC(TIME_IN_USE), 0 },
	{ 0, NMETRIC_ECC, 1, T1, CW(NERR_HW_ERR_HBM_UE), NONE, 0 },
	{ 1, NMETRIC_ECC, 1, T1, CW(NERR_HW_ERR_REPAIRABLE_HBM_UE), NONE, 0 },
	{ 0, NMETRIC_BITMAP, 1, T1, CW(FEATURE_BITMAP), ND(FEATURE_BITMAP), 0 },
	{ 0, NMETRIC_BITMAP, 1, T1, CW(UNUSED), ND(DYNAMIC_SYSFS_METRIC_BITMAP), 0 },
	{ 0, NMETRIC_CONST_U64, 1, T1, CW(DEVICE_CLUSTER_ID), ND(DEVICE_CLUSTER_ID),
	  NMETRIC_F_SKIP_ZERO },
	{ 1, NMETRIC_CONST_U64, 1, T1, CW(AGG_NEFF_ID), ND(AGG_NEFF_ID), NMETRIC_F_SKIP_ZERO },
	{ 0, NMETRIC_DRIVER_RESET, 1, T1, CW(MAX_DEVICE_RESET_TIME_MS), NONE, 0 },
	{ 1, NMETRIC_DRIVER_RESET, 1, T1, CW(MAX_TPB_RESET_TIME_MS), NONE, 0 },
	{ 2, NMETRIC_DRIVER_RESET, 1, T1, CW(AVG_DEVICE_RESET_TIME_MS), NONE, 0 },
	{ 3, NMETRIC_DRIVER_RESET, 1, T1, CW(AVG_TPB_RESET_TIME_MS), NONE, 0 },
	{ 4, NMETRIC_DRIVER_RESET, 1, T1, CW(DEVICE_RESET_FAILURE_COUNT), NONE, 0 },
	{ 5, NMETRIC_DRIVER_RESET, 1, T1, CW(TPB_RESET_FAILURE_COUNT), NONE, 0 },
	{ 0, NMETRIC_USERVER, 1, T0, CW(ULTRASERVER_MODES_SUPPORTED), NONE, 0 },
	{ 1, NMETRIC_USERVER, 1, T0, CW(ULTRASERVER_MODE), NONE, 0 },
};

const struct nmetric_counter_def nmetric_counters[NMETRIC_COUNTERS] = {
	{ NC(TIME_IN_USE), 33 },
	{ NC(INFER_COMPLETED), 6 },
	{ NC(INFER_COMPLETED_WITH_ERR), 15 },
	{ NC(INFER_COMPLETED_WITH_NUM_ERR), 16 },
	{ NC(INFER_TIMED_OUT), 8 },
	{ NC(INFER_INCORRECT_INPUT), 9 },
	{ NC(INFER_FAILED_TO_QUEUE), 20 },
	{ NC(ERR_GENERIC), 17 },
	{ NC(ERR_NUMERICAL), 10 },
	{ NC(ERR_MODEL), 11 },
	{ NC(ERR_TRANSIENT), 12 },
	{ NC(ERR_HW), 13 },
	{ NC(ERR_RT), 14 },
	{ NC(GENERIC_FAIL), 7 },
	{ NC(ERR_RESOURCE), 18 },
	{ NC(ERR_RESOURCE_NC), 19 },
	{ NC(ERR_INVALID), 21 },
	{ NC(ERR_UNSUPPORTED_NEFF_VERSION), 22 },
	{ NC(OOB), 24 },
	{ EXT(HW_ERR_COLLECTIVES), 25 },
	{ EXT(HW_ERR_NC_UE), 26 },
	{ EXT(HW_ERR_DMA_ABORT), 27 },
	{ EXT(ERR_SW_NQ_OVERFLOW), 28 },
	{ EXT(ERR_SW_SEMAPHORE_ERROR), 29 },
	{ EXT(ERR_SW_EVENT_ERROR), 30 },
	{ EXT(ERR_SW_PSUM_COLLISION), 31 },
	{ EXT(ERR_SW_SEQUENCER_FATAL), 32 },
};

#define NMETRIC_X_NAME(id, name) { (id), #name },
static const struct {
	u8 id;
	const char *name;
} cw_names[] = { NMETRIC_CW_IDS(NMETRIC_X_NAME) };
#undef NMETRIC_X_NAME

/**
 * nmetric_cw_name() - name of a CloudWatch id
 * @cw_id: enum nmetric_cw_id
 *
 * Return: static text without a prefix, for instance "NERR_OK", or NULL for an unknown id.
 */
const char *nmetric_cw_name(u8 cw_id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cw_names); i++) {
		if (cw_names[i].id == cw_id)
			return cw_names[i].name;
	}
	return NULL;
}

/* How many consecutive ids a row owns. */
static unsigned int cw_span(const struct nmetric_def *def)
{
	bool typed = def->type == NMETRIC_VERSION && (def->flags & NMETRIC_F_VERSION_TYPE);

	return def->count * (typed ? 2U : 1U);
}

/**
 * nmetric_row_of_cw() - registry row that posts an id
 * @cw_id: enum nmetric_cw_id; a version row owns several consecutive ids
 *
 * Return: row, or -1 for an id without one; 0 (UNUSED) is never posted and has none.
 */
int nmetric_row_of_cw(u8 cw_id)
{
	unsigned int row;

	if (cw_id == NMETRIC_CW_ID_UNUSED)
		return -1;
	for (row = 0; row < NMETRIC_ROWS; row++) {
		const struct nmetric_def *def = &nmetric_defs[row];

		if (def->cw_id && cw_id >= def->cw_id && cw_id - def->cw_id < (int)cw_span(def))
			return (int)row;
	}
	return -1;
}

/**
 * nmetric_row_of() - registry row by type and index
 * @type: enum nmetric_type
 * @index: position within the rows of its type
 *
 * Rows are looked up, never written down as numbers, because a stale number feeds a wrong row.
 *
 * Return: the first such row, or -1.
 */
int nmetric_row_of(enum nmetric_type type, u8 index)
{
	unsigned int row;

	for (row = 0; row < NMETRIC_ROWS; row++) {
		if (nmetric_defs[row].type == type && nmetric_defs[row].index == index)
			return (int)row;
	}
	return -1;
}
