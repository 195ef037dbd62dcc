/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Neuron DataStore (NDS): the 256 KiB slab that each process shares with the kernel per device.
 *
 * The process writes; the kernel only ever reads counter words. Counters are naturally aligned
 * 64-bit words updated with atomic read-modify-write; records carry an FNV-1a hash over
 * themselves with the hash word zeroed.
 *
 *   offset  size   region
 *        0     8   header: magic "nds\0" and version, one 8-byte store
 *        8   248   device (ND) counters, 31 words
 *      256   992   core (NC) counters 0..30 of cores 0..3
 *     1248    64   process info record
 *     1312     8   bitmap of used model slots
 *     1320 43008   64 model records
 *    44328   260   process info ext record
 *    55936  2048   core counters 31..94 of cores 0..3
 *    57984  9216   core counters 0..94 of cores 4..15 (stride 96 words)
 *    67200         end; the rest of the mapping is spare
 */
#ifndef NDTEL_UAPI_NDS_H
#define NDTEL_UAPI_NDS_H

#include "abi.h"

#define NDS_SLAB_SIZE		262144u	/* bytes; a mapping is exactly this long */
#define NDS_USED_SIZE		67200u	/* bytes with a meaning */
#define NDS_SLABS_PER_DEVICE	16	/* owners a device can have at once */

#define NDS_VERSION		100000
/* "nds\0" and NDS_VERSION as one little-endian word */
#define NDS_HEADER_WORD		0x000186A00073646EULL

#define NDS_MAX_NC		16
#define NDS_ND_COUNTER_COUNT	31
#define NDS_NC_COUNTER_BASE	31	/* ids 0..30 live in the original band */
#define NDS_NC_COUNTER_EXT	64	/* ids 31..94 in the extended band */
#define NDS_NC_COUNTER_COUNT	95
#define NDS_NC_COUNTER_NAMED	41	/* first id without a meaning yet */
#define NDS_ND_COUNTER_NAMED	14

#define NDS_ND_OFFSET		8
#define NDS_NC_OFFSET		256
#define NDS_PROCESS_INFO_OFFSET	1248
#define NDS_MODEL_BITMAP_OFFSET	1312
#define NDS_MODEL_OFFSET	1320
#define NDS_MODEL_SLOTS		64
#define NDS_PROCESS_EXT_OFFSET	44328
#define NDS_EXT_OFFSET		55936
#define NDS_WIDE_OFFSET		57984

/*
 * How a counter word is written: added to (and subtracted from), set to the last value, or or-ed.
 */
enum nds_counter_kind {
	NDS_KIND_ADD,	/* only grows: differences are posted */
	NDS_KIND_GAUGE,	/* current amount, added to and subtracted from */
	NDS_KIND_SET,	/* last value wins */
	NDS_KIND_OR,	/* bits are or-ed in */
};

/*
 * Device counters: X(id, NAME, kind, unit). New ones are appended; the layout never moves.
 */
#define NDS_ND_COUNTERS(X) \
	X(0, RUNTIME_VERSION, SET, "version") \
	X(1, FRAMEWORK_VERSION, SET, "version") \
	X(2, FAL_VERSION, SET, "version") \
	X(3, FEATURE_BITMAP, OR, "bits") \
	X(4, MIN_NEFF_VERSION, SET, "version") \
	X(5, MAX_NEFF_VERSION, SET, "version") \
	X(6, MEM_USAGE_CODE_HOST, GAUGE, "bytes") \
	X(7, MEM_USAGE_TENSORS_HOST, GAUGE, "bytes") \
	X(8, MEM_USAGE_CONSTANTS_HOST, GAUGE, "bytes") \
	X(9, MEM_USAGE_SCRATCHPAD_HOST, GAUGE, "bytes") \
	X(10, MEM_USAGE_MISC_HOST, GAUGE, "bytes") \
	X(11, DYNAMIC_SYSFS_METRIC_BITMAP, OR, "bits") \
	X(12, DEVICE_CLUSTER_ID, SET, "id") \
	X(13, AGG_NEFF_ID, GAUGE, "id")

/* Core counters of the original band. */
#define NDS_NC_COUNTERS_BASE(X) \
	X(0, TIME_IN_USE, ADD, "ps") \
	X(1, INFER_COMPLETED, ADD, "count") \
	X(2, INFER_COMPLETED_WITH_ERR, ADD, "count") \
	X(3, INFER_COMPLETED_WITH_NUM_ERR, ADD, "count") \
	X(4, INFER_TIMED_OUT, ADD, "count") \
	X(5, INFER_INCORRECT_INPUT, ADD, "count") \
	X(6, INFER_FAILED_TO_QUEUE, ADD, "count") \
	X(7, ERR_GENERIC, ADD, "count") \
	X(8, ERR_NUMERICAL, ADD, "count") \
	X(9, ERR_MODEL, ADD, "count") \
	X(10, ERR_TRANSIENT, ADD, "count") \
	X(11, ERR_HW, ADD, "count") \
	X(12, ERR_RT, ADD, "count") \
	X(13, LATENCY_DEVICE, SET, "us") \
	X(14, LATENCY_TOTAL, SET, "us") \
	X(15, NC_TIME, SET, "us") \
	X(16, GENERIC_FAIL, ADD, "count") \
	X(17, ERR_RESOURCE, ADD, "count") \
	X(18, ERR_RESOURCE_NC, ADD, "count") \
	X(19, ERR_INVALID, ADD, "count") \
	X(20, ERR_UNSUPPORTED_NEFF_VERSION, ADD, "count") \
	X(21, CC_TIME, SET, "us") \
	X(22, MEM_USAGE_CODE_DEVICE, GAUGE, "bytes") \
	X(23, MEM_USAGE_TENSORS_DEVICE, GAUGE, "bytes") \
	X(24, MEM_USAGE_CONSTANTS_DEVICE, GAUGE, "bytes") \
	X(25, MEM_USAGE_SCRATCHPAD_DEVICE, GAUGE, "bytes") \
	X(26, MEM_USAGE_MISC_DEVICE, GAUGE, "bytes") \
	X(27, MODEL_LOAD_COUNT, ADD, "count") \
	X(28, INFERENCE_COUNT, ADD, "count") \
	X(29, MAC_COUNT, ADD, "macs") \
	X(30, OOB, ADD, "count")

/* Core counters of the extended band. */
#define NDS_NC_COUNTERS_EXT(X) \
	X(31, HW_ERR_COLLECTIVES, ADD, "count") \
	X(32, HW_ERR_HBM_UE, ADD, "count") \
	X(33, HW_ERR_NC_UE, ADD, "count") \
	X(34, HW_ERR_DMA_ABORT, ADD, "count") \
	X(35, ERR_SW_NQ_OVERFLOW, ADD, "count") \
	X(36, ERR_SW_SEMAPHORE_ERROR, ADD, "count") \
	X(37, ERR_SW_EVENT_ERROR, ADD, "count") \
	X(38, ERR_SW_PSUM_COLLISION, ADD, "count") \
	X(39, ERR_SW_SEQUENCER_FATAL, ADD, "count") \
	X(40, HW_ERR_REPAIRABLE_HBM_UE, ADD, "count")

#define NDS_X_ND(id, name, kind, unit) NDS_ND_COUNTER_##name = (id),
#define NDS_X_NC(id, name, kind, unit) NDS_NC_COUNTER_##name = (id),
#define NDS_X_EXT(id, name, kind, unit) NDS_EXT_NC_COUNTER_##name = (id),

enum nds_nd_counter { NDS_ND_COUNTERS(NDS_X_ND) };
enum nds_nc_counter { NDS_NC_COUNTERS_BASE(NDS_X_NC) };
enum nds_ext_nc_counter { NDS_NC_COUNTERS_EXT(NDS_X_EXT) };

#undef NDS_X_ND
#undef NDS_X_NC
#undef NDS_X_EXT

/* Bits of ND counter FEATURE_BITMAP; nds_or_nd_counter() takes the bit's index. */
#define NDS_FEATURE_TEST	0
#define NDS_FEATURE_MULTICORE	1

/**
 * nds_nd_word() - word index of a device counter
 * @ctr: counter id
 *
 * Return: index of the 64-bit word in the slab, or -1 when @ctr is out of range.
 */
static inline int nds_nd_word(__u32 ctr)
{
	return ctr < NDS_ND_COUNTER_COUNT ? (int)(NDS_ND_OFFSET / 8 + ctr) : -1;
}

/**
 * nds_nc_word() - word index of a core counter
 * @nc: core, 0..15
 * @ctr: counter id, 0..94
 *
 * Return: index of the 64-bit word in the slab, or -1 when either is out of range.
 */
static inline int nds_nc_word(__u32 nc, __u32 ctr)
{
	if (nc >= NDS_MAX_NC || ctr >= NDS_NC_COUNTER_COUNT)
		return -1;
	if (nc >= 4)
		return (int)(NDS_WIDE_OFFSET / 8 + (nc - 4) * 96 + ctr);
	if (ctr < NDS_NC_COUNTER_BASE)
		return (int)(NDS_NC_OFFSET / 8 + nc * NDS_NC_COUNTER_BASE + ctr);
	return (int)(NDS_EXT_OFFSET / 8 + nc * NDS_NC_COUNTER_EXT + (ctr - NDS_NC_COUNTER_BASE));
}

/* Version word (u64) of ND counters 0..2: build | minor << 32 | major << 40 | reserved << 48. */
#define NDS_VERSION_BUILD(w)	((__u32)(w))
#define NDS_VERSION_MINOR(w)	((__u8)((w) >> 32))
#define NDS_VERSION_MAJOR(w)	((__u8)((w) >> 40))
#define NDS_VERSION_RESERVED(w)	((__u16)((w) >> 48))

/* FNV-1a, 32 bits, over a whole record with its hash word zeroed. */
#define NDS_FNV_BASIS		0x811C9DC5u
#define NDS_FNV_PRIME		0x01000193u

struct nds_version {
	__u8 major;
	__u8 minor;
	__u8 pad[2];
	__u32 build;
};

struct nds_mem_usage {
	__u64 total_size;	/* bytes */
	__u32 chunk_count;
	__u32 pad;
};

#define NDS_MEM_LOCATIONS	2	/* host, device */
#define NDS_MEM_SLOTS		12	/* code, tensors, constants, scratchpad, misc; then 0 */

struct nds_model_record {
	__u32 hash;
	__u32 model_id;
	__u32 model_node_id;
	char name[256];
	__u8 uuid[16];
	__u8 nc_index;
	__u8 sg_index;
	__u8 pad[2];
	struct nds_mem_usage mem[NDS_MEM_LOCATIONS][NDS_MEM_SLOTS];
};

struct nds_process_info_record {
	__u32 hash;
	__s8 framework_type;
	char tag[32];
	__u8 pad[3];
	struct nds_version framework;
	struct nds_version fal;
	struct nds_version runtime;
};

struct nds_process_info_ext_record {
	__u32 hash;
	char tag[256];
};

ND_ABI_SIZE(struct nds_version, 8);
ND_ABI_SIZE(struct nds_mem_usage, 16);
ND_ABI_SIZE(struct nds_model_record, 672);
ND_ABI_OFFSET(struct nds_model_record, name, 12);
ND_ABI_OFFSET(struct nds_model_record, uuid, 268);
ND_ABI_OFFSET(struct nds_model_record, nc_index, 284);
ND_ABI_OFFSET(struct nds_model_record, mem, 288);
ND_ABI_SIZE(struct nds_process_info_record, 64);
ND_ABI_OFFSET(struct nds_process_info_record, framework_type, 4);
ND_ABI_OFFSET(struct nds_process_info_record, tag, 5);
ND_ABI_OFFSET(struct nds_process_info_record, framework, 40);
ND_ABI_OFFSET(struct nds_process_info_record, runtime, 56);
ND_ABI_SIZE(struct nds_process_info_ext_record, 260);
ND_ABI_EQUAL(NDS_NC_OFFSET, NDS_ND_OFFSET + 8 * NDS_ND_COUNTER_COUNT);
ND_ABI_EQUAL(NDS_PROCESS_INFO_OFFSET, NDS_NC_OFFSET + 8 * 4 * NDS_NC_COUNTER_BASE);
ND_ABI_EQUAL(NDS_PROCESS_EXT_OFFSET, NDS_MODEL_OFFSET + NDS_MODEL_SLOTS * 672);
ND_ABI_EQUAL(NDS_WIDE_OFFSET, NDS_EXT_OFFSET + 8 * 4 * NDS_NC_COUNTER_EXT);
ND_ABI_EQUAL(NDS_USED_SIZE, NDS_WIDE_OFFSET + 8 * 12 * 96);

#endif /* NDTEL_UAPI_NDS_H */
