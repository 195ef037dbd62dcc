/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The parts of the firmware model: registers and resets (fw_model.c), requests and answers
 * (fw_model_mailbox.c), what it does when asked (fw_model_command.c).
 */
#ifndef NDTEL_CORE_FW_MODEL_MAILBOX_H
#define NDTEL_CORE_FW_MODEL_MAILBOX_H

#include "fw_model.h"

#define FW_MODEL_MS	(1000ULL * 1000)
#define FW_MODEL_ALWAYS	0xFFFFFFFFU	/* value of a counting knob */

/**
 * struct fw_model_request - a request that arrived whole
 * @legacy: through host memory; else through the registers
 * @seq: sequence number
 * @cmd: enum nd_fwio_cmd, or a command that is unknown
 * @payload: what follows the header
 * @n: bytes of @payload
 */
struct fw_model_request {
	bool legacy;
	u8 seq;
	u8 cmd;
	const u8 *payload;
	u32 n;
};

/* A register's content as it is now, without overrides. */
u32 fw_model_peek(struct fw_model *m, u32 offset, u64 now_ns);

/* True when a counting knob strikes; it is then one less. */
bool fw_model_strike(u32 *knob);

/* A doorbell that asks for no reset. */
void fw_model_mailbox_doorbell(struct fw_model *m, u64 now_ns);

/* Hands over the answers that are due; time of the next one, U64_MAX for none. */
void fw_model_mailbox_run(struct fw_model *m, u64 now_ns);
u64 fw_model_mailbox_next(const struct fw_model *m);

/*
 * Carries a request out. The answer's payload goes to @out, FW_MODEL_REPLY_MAX bytes, and its
 * length to @len. Returns enum nd_fwio_error.
 */
u8 fw_model_command(struct fw_model *m, const struct fw_model_request *request, u8 *out, u32 *len,
		    u64 now_ns);

#endif /* NDTEL_CORE_FW_MODEL_MAILBOX_H */
