/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * CloudWatch (CW) posts: what the per-device metrics thread hands to its sinks. A post is at most
 * 128 bytes of records { u8 id; u8 len; u8 text[len]; }, back to back, ASCII without a
 * terminator.
 */
#ifndef NDTEL_UAPI_CW_H
#define NDTEL_UAPI_CW_H

#include "abi.h"

#define NMETRIC_POST_MAX	128	/* bytes of one post */
#define NMETRIC_RECORD_HEADER	2	/* id and length */
#define NMETRIC_TEXT_MAX	63	/* longest text of a record we write */

struct nmetric_record {
	__u8 id;		/* enum nmetric_cw_id */
	__u8 len;
	__u8 text[];
};

/*
 * Metric ids, X(id, NAME). 203, 210 and 211 were never assigned. Ids n+1 of version metrics carry
 * the second most used version; 191 and 193 the framework type.
 */
#define NMETRIC_CW_IDS(X) \
	X(0, UNUSED) \
	X(11, FW_IO_ERROR_COUNT) \
	X(12, INSTANCE_ID) \
	X(13, DRIVER_VERSION) \
	X(50, MAX_DEVICE_RESET_TIME_MS) \
	X(51, MAX_TPB_RESET_TIME_MS) \
	X(52, AVG_DEVICE_RESET_TIME_MS) \
	X(53, AVG_TPB_RESET_TIME_MS) \
	X(54, DEVICE_RESET_FAILURE_COUNT) \
	X(55, TPB_RESET_FAILURE_COUNT) \
	X(56, PERFORMANCE_PROFILE_ID) \
	X(57, ULTRASERVER_MODES_SUPPORTED) \
	X(58, ULTRASERVER_MODE) \
	X(80, AGG_NEFF_ID) \
	X(90, NC_UTILIZATION) \
	X(180, RT_VERSION_0) \
	X(181, RT_VERSION_1) \
	X(190, FW_VERSION_0) \
	X(191, FW_TYPE_0) \
	X(192, FW_VERSION_1) \
	X(193, FW_TYPE_1) \
	X(195, FAL_VERSION_0) \
	X(196, FAL_VERSION_1) \
	X(200, NERR_OK) \
	X(201, NERR_FAIL) \
	X(202, NERR_INVALID) \
	X(204, NERR_RESOURCE) \
	X(205, NERR_TIMEOUT) \
	X(206, NERR_HW_ERROR) \
	X(207, NERR_QUEUE_FULL) \
	X(208, NERR_RESOURCE_NC) \
	X(209, NERR_UNSUPPORTED_VERSION) \
	X(212, NERR_INFER_BAD_INPUT) \
	X(213, NERR_INFER_COMPLETED_WITH_NUM_ERR) \
	X(214, NERR_INFER_COMPLETED_WITH_ERR) \
	X(215, NERR_NUMERICAL_ERR) \
	X(216, NERR_MODEL_ERR) \
	X(217, NERR_TRANSIENT_ERR) \
	X(218, NERR_RT_ERR) \
	X(219, NERR_GENERIC_TPB_ERR) \
	X(220, NERR_OOB) \
	X(221, NERR_HW_ERR_COLLECTIVES) \
	X(222, NERR_HW_ERR_HBM_UE) \
	X(223, NERR_HW_ERR_NC_UE) \
	X(224, NERR_HW_ERR_DMA_ABORT) \
	X(225, NERR_SW_SEMAPHORE_ERROR) \
	X(226, NERR_SW_EVENT_ERROR) \
	X(227, NERR_SW_PSUM_COLLISION) \
	X(228, NERR_SW_SEQUENCER_FATAL) \
	X(229, NERR_HW_ERR_REPAIRABLE_HBM_UE) \
	X(250, FEATURE_BITMAP) \
	X(251, SYSFS_METRIC_BITMAP) \
	X(252, DEVICE_CLUSTER_ID) \
	X(253, NERR_SW_NQ_OVERFLOW)

#define NMETRIC_X_CW(id, name) NMETRIC_CW_ID_##name = (id),
enum nmetric_cw_id { NMETRIC_CW_IDS(NMETRIC_X_CW) };
#undef NMETRIC_X_CW

/* Where posts go; bit n of the module parameter nmetric_log_posts switches sink n on. */
enum nmetric_sink {
	NMETRIC_SINK_FWIO = 0,	/* firmware mailbox */
	NMETRIC_SINK_TRACE = 1,	/* trace events metrics_post and metrics_post_nd */
	NMETRIC_SINK_RELAY = 2,	/* agent of a companion device */
	NMETRIC_SINK_COUNT
};

/* What became of a post. */
enum nmetric_result {
	NMETRIC_ACCEPTED = 0,	/* delivered: leaves pending */
	NMETRIC_REFUSED = 1,	/* certainly not delivered: stays pending */
	NMETRIC_UNKNOWN = 2,	/* may have been delivered: stays pending, tallied as unknown */
};

#endif /* NDTEL_UAPI_CW_H */
