// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core locks and core initialisation: who has to wait sleeps until something changed.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "crwl_locks.h"
#include "device.h"

/* As long as the reference's polling lasts. */
#define ND_READER_PATIENCE	(HZ / 2)
#define ND_WRITER_PATIENCE	(2 * HZ)
#define ND_CINIT_PATIENCE	(5 * HZ)

/**
 * nd_locks_init() - locks of a new device
 * @nd: device, architecture set
 */
void nd_locks_init(struct nd_device *nd)
{
	struct nd_locks *locks = &nd->locks;

	spin_lock_init(&locks->lock);
	crwl_init(&locks->crwl, nd->arch->nc_count);
	cinit_init(&locks->cinit, nd->arch->nc_count);
	init_waitqueue_head(&locks->wait);
}

/**
 * nd_locks_gone() - nobody need wait any more
 * @nd: device, marked as gone
 */
void nd_locks_gone(struct nd_device *nd)
{
	wake_up_all(&nd->locks.wait);
}

/**
 * nd_locks_reset() - cores were reset: they want to be initialised, and no model is in place
 * @nd: device
 * @nc_map: bit per core
 */
void nd_locks_reset(struct nd_device *nd, u32 nc_map)
{
	struct nd_locks *locks = &nd->locks;

	spin_lock(&locks->lock);
	cinit_reset(&locks->cinit, nc_map);
	spin_unlock(&locks->lock);
	wake_up_all(&locks->wait);
}

/**
 * nd_locks_drop() - a process closed its last file of the device or died
 * @nd: device
 * @owner: process
 */
void nd_locks_drop(struct nd_device *nd, const struct pid *owner)
{
	struct nd_locks *locks = &nd->locks;
	bool any;

	spin_lock(&locks->lock);
	any = crwl_drop(&locks->crwl, owner);
	any |= cinit_drop(&locks->cinit, owner);
	spin_unlock(&locks->lock);
	if (any)
		wake_up_all(&locks->wait);
}

/**
 * nd_locks_holder() - whose model is on a core
 * @nd: device
 * @nc: core
 * @holder: filled when there is one
 *
 * Return: true when there is one that the caller's pid namespace has.
 */
bool nd_locks_holder(struct nd_device *nd, u32 nc, struct nd_lock_holder *holder)
{
	struct nd_locks *locks = &nd->locks;
	const struct crwl_core *core = &locks->crwl.core[nc];

	spin_lock(&locks->lock);
	/* The owner's record keeps the struct pid as long as the core remembers it. */
	holder->pid = core->owner ? pid_vnr((struct pid *)core->owner) : 0;
	memcpy(holder->uuid, core->uuid, sizeof(holder->uuid));
	spin_unlock(&locks->lock);
	return holder->pid;
}

static int nd_crwl_try(struct nd_locks *locks, u32 nc, const u8 *uuid, enum nd_crwl_side side)
{
	const struct pid *me = task_tgid(current);
	int ret;

	spin_lock(&locks->lock);
	ret = side == ND_CRWL_WRITER ? crwl_writer_enter(&locks->crwl, nc, me, uuid) :
				       crwl_reader_enter(&locks->crwl, nc, me, uuid);
	spin_unlock(&locks->lock);
	return ret;
}

/**
 * nd_crwl_enter() - enter a core, waiting for those who are in the way
 * @nd: device
 * @nc: core
 * @uuid: model
 * @side: reader or writer
 *
 * Context: the caller's process is registered with nd_owner_register().
 * Return: as crwl_reader_enter() or crwl_writer_enter(), -EBUSY when patience ended; -EINTR when
 * the caller was killed; -ENODEV when the device went.
 */
int nd_crwl_enter(struct nd_device *nd, u32 nc, const u8 *uuid, enum nd_crwl_side side)
{
	struct nd_locks *locks = &nd->locks;
	long patience = side == ND_CRWL_WRITER ? ND_WRITER_PATIENCE : ND_READER_PATIENCE;
	int ret = -EBUSY;
	long left;

	left = wait_event_killable_timeout(locks->wait,
					   READ_ONCE(nd->gone) ||
					   (ret = nd_crwl_try(locks, nc, uuid, side)) != -EBUSY,
					   patience);
	if (left < 0)
		return -EINTR;
	if (ret == -EBUSY && READ_ONCE(nd->gone))
		return -ENODEV;
	return ret;
}

/**
 * nd_crwl_exit() - a reader leaves a core
 * @nd: device
 * @nc: core
 * @uuid: model
 *
 * Return: as crwl_reader_exit().
 */
int nd_crwl_exit(struct nd_device *nd, u32 nc, const u8 *uuid)
{
	struct nd_locks *locks = &nd->locks;
	int ret;

	spin_lock(&locks->lock);
	ret = crwl_reader_exit(&locks->crwl, nc, task_tgid(current), uuid);
	spin_unlock(&locks->lock);
	if (!ret)
		wake_up_all(&locks->wait);
	return ret;
}

/**
 * nd_crwl_downgrade() - the writer's model is in place: it becomes a reader, and the model counts
 * as started
 * @nd: device
 * @nc: core
 * @uuid: model
 *
 * Return: as crwl_writer_downgrade().
 */
int nd_crwl_downgrade(struct nd_device *nd, u32 nc, const u8 *uuid)
{
	struct nd_locks *locks = &nd->locks;
	int ret;

	spin_lock(&locks->lock);
	ret = crwl_writer_downgrade(&locks->crwl, nc, task_tgid(current), uuid);
	if (!ret)
		cinit_model_started(&locks->cinit, nc);
	spin_unlock(&locks->lock);
	if (!ret)
		wake_up_all(&locks->wait);
	return ret;
}

static int nd_cinit_try(struct nd_locks *locks, u32 nc, u32 state, u32 *new_state)
{
	int ret;

	spin_lock(&locks->lock);
	ret = cinit_set(&locks->cinit, nc, task_tgid(current), state, new_state);
	spin_unlock(&locks->lock);
	return ret;
}

/**
 * nd_cinit_set() - say how far a core's initialisation is, waiting for who does it
 * @nd: device
 * @nc: core
 * @state: CINIT_STARTED or CINIT_COMPLETED
 * @new_state: resulting state
 *
 * Context: the caller's process is registered with nd_owner_register().
 * Return: 0, also when patience ended: then the state is CINIT_STARTED by another; as cinit_set();
 * -EINTR when the caller was killed; -ENODEV when the device went.
 */
int nd_cinit_set(struct nd_device *nd, u32 nc, u32 state, u32 *new_state)
{
	struct nd_locks *locks = &nd->locks;
	int ret = -EBUSY;
	long left;

	left = wait_event_killable_timeout(locks->wait,
					   READ_ONCE(nd->gone) ||
					   (ret = nd_cinit_try(locks, nc, state, new_state)) !=
					   -EBUSY,
					   ND_CINIT_PATIENCE);
	if (left < 0)
		return -EINTR;
	if (ret == -EBUSY)
		return READ_ONCE(nd->gone) ? -ENODEV : 0;
	if (!ret && state == CINIT_COMPLETED)
		wake_up_all(&locks->wait);
	return ret;
}

/**
 * nd_cinit_models() - models put in place on a core since its last reset
 * @nd: device
 * @nc: core
 * @count: out
 *
 * Return: as cinit_models().
 */
int nd_cinit_models(struct nd_device *nd, u32 nc, u64 *count)
{
	struct nd_locks *locks = &nd->locks;
	int ret;

	spin_lock(&locks->lock);
	ret = cinit_models(&locks->cinit, nc, count);
	spin_unlock(&locks->lock);
	return ret;
}
