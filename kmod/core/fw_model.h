/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The firmware's side: a model of the management firmware behind a MiscRAM register file, with
 * every fault it can be told to make. It is the other end of a simulated device in the module, and
 * of the mailbox tests in user space. Time is passed in; the caller serialises all calls.
 *
 * A post counts as received exactly when the model decides to answer it with success, whether or
 * not that answer ever arrives.
 */
#ifndef NDTEL_CORE_FW_MODEL_H
#define NDTEL_CORE_FW_MODEL_H

#include "port.h"
#include "../uapi/ndtel/miscram.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FW_MODEL_DICE		2
#define FW_MODEL_CW_IDS		256
#define FW_MODEL_OVERRIDES	16
#define FW_MODEL_LATE		16	/* replies that can be on their way at once */
#define FW_MODEL_REQUEST_MAX	800	/* payload of the longest request, a READ */
#define FW_MODEL_REPLY_MAX	400	/* payload of the longest reply */

/*
 * Fault knobs: X(name, initial value, meaning). 0 is no fault unless the text says otherwise. A
 * knob that counts is decremented each time it strikes; 0xFFFFFFFF strikes for ever.
 */
#define FW_MODEL_KNOBS(X) \
	X(drop_replies, 0, "that many requests are carried out and never answered") \
	X(ignore_requests, 0, "that many requests are neither carried out nor answered") \
	X(delay_ms, 0, "answers take that long") \
	X(late_replies, 0, "that many answers come late_ms after the doorbell") \
	X(late_ms, 1500, "how late") \
	X(wrong_seq, 0, "that many answers carry another sequence number") \
	X(replay, 0, "that many requests are answered with the answer before") \
	X(fail, 0, "that many requests are refused with FAIL") \
	X(unknown_command, 0, "that many requests are refused with UNKNOWN_COMMAND") \
	X(bad_size, 0, "that many answers have size reply_size") \
	X(reply_size, 0, "see bad_size") \
	X(bad_crc, 0, "that many answers of the new mailbox have a wrong CRC") \
	X(crc_fail_answers, 0, "1: requests with a wrong CRC are answered with FAIL, not ignored") \
	X(random_permille, 0, "each request suffers one of the faults above with this chance") \
	X(random_seed, 1, "of random_permille") \
	X(reset_accept_ms, 0, "a reset is accepted after that") \
	X(reset_complete_ms, 0, "and completed after that") \
	X(reset_ignored, 0, "that many reset requests are never accepted") \
	X(reset_stuck, 0, "that many resets never complete") \
	X(reset_busy, 0, "1: all registers read busy while a reset runs") \
	X(power_util_d0, 0, "basis points of die 0") \
	X(power_util_d1, 0, "basis points of die 1") \
	X(power_period_ms, 100, "time between power samples; 0: the sample number stands still") \
	X(power_frozen, 0, "bit per die: its sample number stands still") \
	X(profiles, 3, "performance profiles there are, 0..count-1") \
	X(hbm_7200, 0, "bitmap of the first 32 profiles that have the feature")

/**
 * struct fw_model_knobs - see FW_MODEL_KNOBS
 */
struct fw_model_knobs {
#define FW_MODEL_KNOB(name, initial, meaning) u32 name;
	FW_MODEL_KNOBS(FW_MODEL_KNOB)
#undef FW_MODEL_KNOB
};

/**
 * struct fw_model_post - a post the firmware took
 * @index: from 0, no gaps
 * @at_ns: when
 * @size: bytes of @data
 * @data: records
 */
struct fw_model_post {
	u64 index;
	u64 at_ns;
	u32 size;
	u8 data[ND_FWIO_DATA_MAX];
};

/**
 * struct fw_model_host - the host's memory as the firmware reaches it
 * @ctx: passed to the functions
 * @read: copy from host memory; non-zero when the address is not the firmware's to read
 * @write: copy to host memory; likewise
 * @post: a post was taken; may be NULL
 */
struct fw_model_host {
	void *ctx;
	int (*read)(void *ctx, u64 addr, void *to, u32 n);
	int (*write)(void *ctx, u64 addr, const void *from, u32 n);
	void (*post)(void *ctx, const struct fw_model_post *post);
};

/* What a register answers instead of its content. */
enum fw_model_answer {
	FW_MODEL_NORMAL = 0,
	FW_MODEL_BUSY,			/* 0xDEADBEEF */
	FW_MODEL_GONE,			/* all ones */
};

/**
 * struct fw_model_override - one register answers wrongly
 * @used: this entry is set
 * @offset: register, or ND_MISCRAM_SIZE for all
 * @answer: enum fw_model_answer
 * @until_ns: end, U64_MAX never
 */
struct fw_model_override {
	bool used;
	u32 offset;
	u32 answer;
	u64 until_ns;
};

/**
 * struct fw_model_reply - an answer on its way
 * @used: this entry is set
 * @legacy: answered in host memory at @addr; else in the registers
 * @due_ns: when it arrives
 * @order: of those due at the same time the lowest arrives first
 * @addr: legacy: response address
 * @header: response header
 * @len: bytes of @payload
 * @payload: what @len says
 */
struct fw_model_reply {
	bool used;
	bool legacy;
	u64 due_ns;
	u64 order;
	u64 addr;
	struct nd_fwio_response header;
	u32 len;
	u8 payload[FW_MODEL_REPLY_MAX];
};

/**
 * struct fw_model - firmware of one device
 * @knobs: faults; may be changed at any time
 * @reg: register file by offset / 4
 * @host: the host's memory
 * @host_bit: set in host addresses the driver hands out; masked before use
 * @miscram_addr: device address of the register file, for READ
 * @profile: performance profile
 * @feature: bitmap of SET_FEATURE
 * @received: by CloudWatch id, sum of the decimal texts of all posts taken
 * @posts: posts taken
 * @mismatched: posts whose copy in DATA differed from the request
 * @rejected: requests with a wrong CRC, size or address
 * @ignored_accesses: accesses that were not aligned or outside
 * @requests: by command, whole requests that arrived; unknown commands at 0
 *
 * The rest is private.
 */
struct fw_model {
	struct fw_model_knobs knobs;
	u32 reg[ND_MISCRAM_SIZE / 4];
	struct fw_model_host host;
	u64 host_bit;
	u64 miscram_addr;
	u8 profile;
	u8 feature;
	u64 received[FW_MODEL_CW_IDS];
	u64 posts;
	u64 mismatched;
	u64 rejected;
	u64 ignored_accesses;
	u64 requests[ND_FWIO_SET_FEATURE + 1];

	bool reset_written;
	u8 reset_phase;
	u64 reset_due_ns;
	u64 start_ns;
	u64 replies;
	u32 random;
	u32 random_seed;
	u32 power_sample[FW_MODEL_DICE];
	u8 request[ND_FWIO_REQUEST_HEADER + FW_MODEL_REQUEST_MAX];
	struct fw_model_override override[FW_MODEL_OVERRIDES];
	struct fw_model_reply late[FW_MODEL_LATE];
	struct fw_model_reply last;
	struct fw_model_reply sending;
};

void fw_model_init(struct fw_model *m, const struct fw_model_host *host, u64 host_bit,
		   u64 miscram_addr, u64 serial, u32 device_id, u64 now_ns);
u32 fw_model_read(struct fw_model *m, u32 offset, u64 now_ns);
void fw_model_write(struct fw_model *m, u32 offset, u32 value, u64 now_ns);
int fw_model_override(struct fw_model *m, u32 offset, enum fw_model_answer answer, u64 until_ns);
u64 fw_model_next(const struct fw_model *m);
void fw_model_run(struct fw_model *m, u64 now_ns);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_FW_MODEL_H */
