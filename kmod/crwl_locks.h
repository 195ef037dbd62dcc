/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core locks and core initialisation of a device: the Linux side of core/crwl.h and core/cinit.h,
 * locking and waiting. Whose they are is in crwl_owner.h.
 */
#ifndef NDTEL_CRWL_LOCKS_H
#define NDTEL_CRWL_LOCKS_H

#include <linux/spinlock.h>
#include <linux/wait.h>

#include "core/cinit.h"
#include "core/crwl.h"

struct nd_device;
struct pid;

/**
 * struct nd_locks - core locks of one device
 * @lock: guards @crwl and @cinit
 * @crwl: core locks; owners are struct pid of processes that crwl_owner.c keeps
 * @cinit: core initialisation
 * @wait: woken when somebody who waits may have it now, and when the device goes
 */
struct nd_locks {
	spinlock_t lock; /* guards crwl and cinit */
	struct crwl crwl;
	struct cinit cinit;
	wait_queue_head_t wait;
};

/**
 * struct nd_lock_holder - whose model is on a core
 * @pid: process, in the caller's pid namespace
 * @uuid: the model
 */
struct nd_lock_holder {
	s32 pid;
	u8 uuid[CRWL_UUID_SIZE];
};

enum nd_crwl_side {
	ND_CRWL_READER,
	ND_CRWL_WRITER,
};

void nd_locks_init(struct nd_device *nd);
void nd_locks_gone(struct nd_device *nd);
void nd_locks_reset(struct nd_device *nd, u32 nc_map);
void nd_locks_drop(struct nd_device *nd, const struct pid *owner);
bool nd_locks_holder(struct nd_device *nd, u32 nc, struct nd_lock_holder *holder);

int nd_crwl_enter(struct nd_device *nd, u32 nc, const u8 *uuid, enum nd_crwl_side side);
int nd_crwl_exit(struct nd_device *nd, u32 nc, const u8 *uuid);
int nd_crwl_downgrade(struct nd_device *nd, u32 nc, const u8 *uuid);
int nd_cinit_set(struct nd_device *nd, u32 nc, u32 state, u32 *new_state);
int nd_cinit_models(struct nd_device *nd, u32 nc, u64 *count);

#endif /* NDTEL_CRWL_LOCKS_H */
