/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * FW-IO: exchanges with the management firmware over its two mailboxes, and the reset handshake, as
 * state machines with time passed in. Waiting, locking and memory are the caller's.
 *
 * One exchange or one reset at a time: they share the doorbell. A doorbell without a valid reply is
 * "unknown": the firmware may or may not have done what was asked. Late replies are told apart by
 * sequence number, by place (each legacy request has buffers of its own until it was answered) and,
 * in the new mailbox, by CRC.
 */
#ifndef NDTEL_CORE_FWIO_H
#define NDTEL_CORE_FWIO_H

#include "port.h"
#include "../uapi/ndtel/miscram.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FWIO_READ_MAX		100	/* addresses in one READ */
#define FWIO_SLOTS		8	/* legacy request and response places in turn */
#define FWIO_SLOT_SIZE		4096	/* bytes of each */

/**
 * struct fwio_port - how a mailbox reaches its device
 * @ctx: passed to the functions
 * @read32: load of a register
 * @write32: store to a register, ordered after all earlier stores to @request
 * @request: FWIO_SLOTS * FWIO_SLOT_SIZE bytes the firmware reads
 * @request_addr: their address as the firmware knows it
 * @response: FWIO_SLOTS * FWIO_SLOT_SIZE bytes the firmware writes, untrusted; a place is cleared
 *	before it is handed out
 * @response_addr: their address as the firmware knows it
 */
struct fwio_port {
	void *ctx;
	u32 (*read32)(void *ctx, u32 offset);
	void (*write32)(void *ctx, u32 offset, u32 value);
	u8 *request;
	u64 request_addr;
	u8 *response;
	u64 response_addr;
};

/**
 * struct fwio_limits - how long one kind of call may take
 * @attempt_ns: wait for the answer to one doorbell
 * @total_ns: wait for the whole call, retries, delays and draining included
 * @attempts: doorbells at most
 */
struct fwio_limits {
	u64 attempt_ns;
	u64 total_ns;
	u32 attempts;
};

/**
 * struct fwio_stats - tallies of a mailbox since it was made
 * @calls: calls that began
 * @doorbells: attempts over all calls
 * @failed: calls that ended with an error the firmware reported; this is cw 11
 * @timeouts: calls that ended without an answer
 * @bad_replies: calls that ended with an answer that was none (size, CRC, sequence)
 * @refusals: attempts the firmware refused, final or not
 * @silences: attempts without an answer
 * @malformed: attempts answered with a wrong size, CRC or error code
 * @stale: answers to earlier requests that were found and not taken
 * @resets: reset handshakes that began
 */
struct fwio_stats {
	u64 calls;
	u64 doorbells;
	u64 failed;
	u64 timeouts;
	u64 bad_replies;
	u64 refusals;
	u64 silences;
	u64 malformed;
	u64 stale;
	u64 resets;
};

/* What the mailbox is used for right now. */
enum fwio_use {
	FWIO_IDLE = 0,
	FWIO_EXCHANGE,
	FWIO_RESET,
};

/**
 * struct fwio - one device's mailbox; the caller serialises all calls
 * @seq: last sequence number on the wire; the first request gets 2
 * @use: enum fwio_use
 * @slot: legacy place of the last request
 * @abandoned: by place, sequence number of a request that was never answered, 0 = none
 * @dirty: a doorbell of the last exchange was not answered, so the firmware may still be at it
 * @unanswered: bitmap of the sequence numbers that were never answered; they are not used again
 *	until they are, or until there are too many of them
 * @limits: by enum nd_fwio_cmd
 * @stats: tallies
 */
struct fwio {
	u8 seq;
	u8 use;
	u8 slot;
	u8 abandoned[FWIO_SLOTS];
	bool dirty;
	u64 unanswered[4];
	struct fwio_limits limits[ND_FWIO_SET_FEATURE + 1];
	struct fwio_stats stats;
};

/**
 * struct fwio_call - one exchange
 * @result: once done: 0; -EREMOTEIO the firmware refused; -EOPNOTSUPP it does not know the command;
 *	-ETIMEDOUT no answer; -EBADMSG an answer that is none; -ECANCELED aborted
 * @reply_len: bytes written to the caller's reply
 * @unknown: doorbells without a valid reply
 *
 * The rest is private.
 */
struct fwio_call {
	int result;
	u32 reply_len;
	u32 unknown;

	u8 cmd;
	u8 phase;
	u8 seq;
	u8 slot;
	u8 stale_seq;
	u32 attempt;
	const u8 *payload;
	u32 size;
	u8 *reply;
	u32 reply_max;
	struct nd_fwio_request header;
	int last;
	u64 poll_ns;
	u64 total_deadline;
	u64 deadline;
	u64 not_before;
};

u32 fwio_crc32c(u32 crc, const void *data, size_t n);
u32 fwio_frame_crc(const struct nd_fwio_request *header, const void *payload, size_t n);
u32 fwio_reply_crc(const struct nd_fwio_response *header, const void *payload, size_t n);

void fwio_init(struct fwio *f);
void fwio_scale_limits(struct fwio *f, u64 total_ns);

int fwio_begin(struct fwio *f, struct fwio_call *c, enum nd_fwio_cmd cmd, const void *payload,
	       u32 size, void *reply, u32 reply_max, u64 now_ns);
bool fwio_step(struct fwio *f, struct fwio_call *c, const struct fwio_port *port, u64 now_ns,
	       u64 *next_ns);
void fwio_abort(struct fwio *f, struct fwio_call *c);

/**
 * struct fwio_reset_limits - how long a reset may take
 * @accept_ns: until the firmware accepts, retries included
 * @retry_ns: the request is repeated after this
 * @complete_ns: from acceptance until FW_STATUS says done
 */
struct fwio_reset_limits {
	u64 accept_ns;
	u64 retry_ns;
	u64 complete_ns;
};

/**
 * struct fwio_reset - one reset handshake
 * @result: once done: 0; -ETIMEDOUT not accepted, or not completed in time; -ECANCELED aborted
 * @accepted: the firmware accepted it
 * @accept_ms: milliseconds from the first doorbell to acceptance
 *
 * The rest is private.
 */
struct fwio_reset {
	int result;
	bool accepted;
	u64 accept_ms;

	u8 type;
	u8 phase;
	u32 map_hi;
	u32 map_lo;
	struct fwio_reset_limits limits;
	u64 start_ns;
	u64 rung_ns;
	u64 deadline;
	u64 poll_ns;
};

int fwio_reset_begin(struct fwio *f, struct fwio_reset *r, enum nd_reset_type type, u32 map_hi,
		     u32 map_lo, const struct fwio_reset_limits *limits, u64 now_ns);
bool fwio_reset_step(struct fwio *f, struct fwio_reset *r, const struct fwio_port *port, u64 now_ns,
		     u64 *next_ns);
void fwio_reset_abort(struct fwio *f, struct fwio_reset *r);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_FWIO_H */
