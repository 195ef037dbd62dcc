/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of attributes below /sys/class/<namespace>_device/<namespace>N.
 *
 * A directory is a kobject made from a table; what its files show is computed when they are read.
 * The tree is whole before the device's uevent, and gone, its readers drained, before the device
 * stops working.
 */
#ifndef NDTEL_SYSFS_H
#define NDTEL_SYSFS_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "core/ncounter.h"
#include "mem.h"

struct attribute_group;
struct nd_device;
struct nd_sysfs_dir;
struct nds_slab;

/*
 * Directories whose numbers change, so that pollers want to know: on each core the counters, the
 * resets and the memory, then the memory of the device.
 */
enum nd_sysfs_slot {
	ND_SLOT_COUNTERS = 0,
	ND_SLOT_RESET_REQUESTED = NCOUNTER_COUNT,
	ND_SLOT_RESET_FAILED,
	ND_SLOT_MEMORY,
	ND_SLOTS_PER_CORE = ND_SLOT_MEMORY + ND_MEM_CORE_CELLS,
	ND_SLOT_HOST_MEMORY = ND_MAX_NC_PER_DEVICE * ND_SLOTS_PER_CORE,
	ND_SLOTS = ND_SLOT_HOST_MEMORY + ND_MEM_HOST_CELLS
};

/**
 * struct nd_sysfs_resets - what was written to the files of one reset tally of one core
 * @total_base: tally when total was last written
 * @present_base: tally when present was last written
 */
struct nd_sysfs_resets {
	u64 total_base;
	u64 present_base;
};

/**
 * struct nd_sysfs - tree of one device
 * @nd: the device
 * @dirs: all directories, children before their parents. Touched while the tree is built, by
 *	@update, and by removal after that has ended
 * @slot: directories by enum nd_sysfs_slot, NULL while there is none; as @dirs
 * @other_info: by core, parent of the directories that come on demand; as @dirs
 * @lock: guards what follows up to @wanted
 * @open: the tree is there: work may be queued
 * @notify: pollers are woken (info/notify_delay)
 * @changed: by slot, total and present changed
 * @grown: by slot, peak did
 * @wanted: NDS core counters whose directories processes asked for
 * @resets: by core and tally, requested and failed; guarded by the lock of nd_resets
 * @update: makes wanted directories and wakes pollers
 * @look: with @notify, looks for growth that nobody reads
 * @made: directories on demand that are there, as @wanted; touched by @update
 */
struct nd_sysfs {
	struct nd_device *nd;
	struct list_head dirs;
	struct nd_sysfs_dir *slot[ND_SLOTS];
	struct nd_sysfs_dir *other_info[ND_MAX_NC_PER_DEVICE];
	spinlock_t lock; /* guards open to wanted; see above */
	bool open;
	bool notify;
	DECLARE_BITMAP(changed, ND_SLOTS);
	DECLARE_BITMAP(grown, ND_SLOTS);
	u64 wanted;
	struct nd_sysfs_resets resets[ND_MAX_NC_PER_DEVICE][2];
	struct work_struct update;
	struct delayed_work look;
	u64 made;
};

extern const struct attribute_group *nd_sysfs_device_groups[];
extern const struct attribute_group *nd_sysfs_class_groups[];

void nd_sysfs_init(struct nd_device *nd);
int nd_sysfs_add(struct nd_device *nd);
void nd_sysfs_remove(struct nd_device *nd);

void nd_sysfs_slab_gone(struct nds_slab *slab);
void nd_sysfs_slab_late(struct nds_slab *slab);
void nd_sysfs_mem_changed(struct nd_device *nd, int nc, unsigned int cell, bool peak);
void nd_sysfs_resets_changed(struct nd_device *nd, u32 map, bool failed);

#endif /* NDTEL_SYSFS_H */
