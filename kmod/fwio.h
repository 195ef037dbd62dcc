/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Linux side of FW-IO: registers, mailbox memory, locking and waiting. The protocol is in
 * core/fwio.h.
 *
 * Every function may be called for every device: without hardware it gives -EOPNOTSUPP.
 */
#ifndef NDTEL_FWIO_H
#define NDTEL_FWIO_H

#include <linux/mutex.h>
#include <linux/wait.h>

#include "core/fwio.h"

struct nd_device;

/**
 * struct nd_fwio - mailbox of one device
 * @lock: guards everything here but @idle and what @feature_lock guards. Held for one step of an
 *	exchange, never while waiting: the mailbox is owned through @core's use
 * @core: protocol state
 * @port: registers and memory
 * @idle: woken when the mailbox is free
 * @interrupt: a reset or removal wants the mailbox: exchanges end early, none begins
 * @api: cached API version, 0 = not known; forgotten by a reset
 * @feature_lock: guards @features; taken outside @lock
 * @features: last bitmap of SET_FEATURE
 */
struct nd_fwio {
	struct mutex lock; /* guards the mailbox; see above */
	struct fwio core;
	struct fwio_port port;
	wait_queue_head_t idle;
	bool interrupt;
	u32 api;
	struct mutex feature_lock; /* guards features */
	u8 features;
};

/**
 * struct nd_fwio_outcome - what became of a post
 * @result: 0 or a negative error
 * @unknown: doorbells without a valid reply
 */
struct nd_fwio_outcome {
	int result;
	u32 unknown;
};

int nd_fwio_init(struct nd_device *nd);
void nd_fwio_exit(struct nd_device *nd);
void nd_fwio_interrupt(struct nd_device *nd, bool on);

bool nd_has_firmware(const struct nd_device *nd);
int nd_reg_read(struct nd_device *nd, u32 offset, u32 *value);
int nd_reg_read_pair(struct nd_device *nd, u32 offset_hi, u32 offset_lo, u64 *value);
int nd_fw_api_version(struct nd_device *nd, u32 *version);

struct nd_fwio_outcome nd_fwio_post(struct nd_device *nd, const u8 *data, u32 size);
int nd_fwio_read(struct nd_device *nd, const u64 *addr, u32 *value, u32 n);
int nd_fwio_set_profile(struct nd_device *nd, u8 profile);
int nd_fwio_get_profile(struct nd_device *nd, u8 *profile);
int nd_fwio_get_profiles(struct nd_device *nd, u16 feature, struct nd_fwio_profiles *profiles);
int nd_fwio_set_feature(struct nd_device *nd, u8 mask, u8 value);
int nd_fwio_reset(struct nd_device *nd, u32 map, u64 *accept_ms, const bool *stop);
void nd_fwio_stats(struct nd_device *nd, struct fwio_stats *stats);

#endif /* NDTEL_FWIO_H */
