// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Core reader-writer locks.
 */
#include "crwl.h"

/* Return: the core's lock, or NULL when the call cannot be meant. */
static struct crwl_core *find(struct crwl *locks, u32 nc, const void *owner)
{
	return owner && nc < locks->nc_count ? &locks->core[nc] : NULL;
}

static bool same(const struct crwl_core *core, const void *owner, const u8 *uuid)
{
	return core->owner == owner && !memcmp(core->uuid, uuid, CRWL_UUID_SIZE);
}

/**
 * crwl_init() - locks of a new device, all free
 * @locks: locks
 * @nc_count: cores; more than ND_MAX_NC_PER_DEVICE cannot be locked
 */
void crwl_init(struct crwl *locks, u32 nc_count)
{
	memset(locks, 0, sizeof(*locks));
	locks->nc_count = nc_count < ND_MAX_NC_PER_DEVICE ? nc_count : ND_MAX_NC_PER_DEVICE;
}

/**
 * crwl_reader_enter() - use a core whose model is in place
 * @locks: locks
 * @nc: core
 * @owner: process
 * @uuid: its model, CRWL_UUID_SIZE bytes
 *
 * Return: 0; -EINVAL for a core that is none; -EBUSY while a writer is inside; -ENOENT when the
 * core has not this model of this process; -EOVERFLOW after 2^32 - 1 readers.
 */
int crwl_reader_enter(struct crwl *locks, u32 nc, const void *owner, const u8 *uuid)
{
	struct crwl_core *core = find(locks, nc, owner);

	if (!core)
		return -EINVAL;
	if (core->writer)
		return -EBUSY;
	if (!same(core, owner, uuid))
		return -ENOENT;
	if (core->readers == U32_MAX)
		return -EOVERFLOW;
	core->readers++;
	return 0;
}

/**
 * crwl_reader_exit() - a reader leaves
 * @locks: locks
 * @nc: core
 * @owner: process
 * @uuid: its model, CRWL_UUID_SIZE bytes
 *
 * Return: 0; -EINVAL for a core that is none or has no reader; -ENOENT when the core has not this
 * model of this process.
 */
int crwl_reader_exit(struct crwl *locks, u32 nc, const void *owner, const u8 *uuid)
{
	struct crwl_core *core = find(locks, nc, owner);

	if (!core)
		return -EINVAL;
	if (!same(core, owner, uuid))
		return -ENOENT;
	if (!core->readers)
		return -EINVAL;
	core->readers--;
	return 0;
}

/**
 * crwl_writer_enter() - take a core for loading a model
 * @locks: locks
 * @nc: core
 * @owner: process
 * @uuid: model to load, CRWL_UUID_SIZE bytes
 *
 * Return: 0, entered, the core's memory is now this process and model; -EALREADY, entered as well,
 * and the core's last model is this one of this process; -EINVAL for a core that is none; -EBUSY
 * while readers or a writer are inside, the caller's own too.
 */
int crwl_writer_enter(struct crwl *locks, u32 nc, const void *owner, const u8 *uuid)
{
	struct crwl_core *core = find(locks, nc, owner);

	if (!core)
		return -EINVAL;
	if (core->writer || core->readers)
		return -EBUSY;
	core->writer = true;
	if (same(core, owner, uuid))
		return -EALREADY;
	core->owner = owner;
	memcpy(core->uuid, uuid, CRWL_UUID_SIZE);
	return 0;
}

/**
 * crwl_writer_downgrade() - the model is in place: the writer becomes the only reader
 * @locks: locks
 * @nc: core
 * @owner: process
 * @uuid: its model, CRWL_UUID_SIZE bytes
 *
 * Return: 0; -EINVAL for a core that is none or has no writer inside; -ENOENT when the writer is
 * another process or loads another model.
 */
int crwl_writer_downgrade(struct crwl *locks, u32 nc, const void *owner, const u8 *uuid)
{
	struct crwl_core *core = find(locks, nc, owner);

	if (!core || !core->writer)
		return -EINVAL;
	if (!same(core, owner, uuid))
		return -ENOENT;
	core->writer = false;
	core->readers = 1;
	return 0;
}

/**
 * crwl_drop() - a process closed the device for the last time or died
 * @locks: locks
 * @owner: process; all it holds and all memory of it goes
 *
 * Return: true when it was inside any core, so that those who wait should ask again.
 */
bool crwl_drop(struct crwl *locks, const void *owner)
{
	bool inside = false;
	u32 nc;

	for (nc = 0; nc < locks->nc_count; nc++) {
		struct crwl_core *core = &locks->core[nc];

		if (!core->owner || core->owner != owner)
			continue;
		inside |= core->writer || core->readers;
		memset(core, 0, sizeof(*core));
	}
	return inside;
}

/**
 * crwl_map() - cores whose last writer is a process
 * @locks: locks
 * @owner: process
 *
 * The models are in @locks: core[nc].uuid.
 *
 * Return: bit per core.
 */
u32 crwl_map(const struct crwl *locks, const void *owner)
{
	u32 map = 0;
	u32 nc;

	for (nc = 0; nc < locks->nc_count; nc++) {
		if (owner && locks->core[nc].owner == owner)
			map |= 1U << nc;
	}
	return map;
}
