/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Neuron DataStore: slabs that processes write and the kernel reads.
 *
 * A slab's life: free -> owned(process, files) -> released (the place is free at once; pages live
 * while mapped) -> gone. The engine collects at every exit from owned, and again when a mapping
 * that could be written goes after that.
 */
#ifndef NDTEL_NDS_H
#define NDTEL_NDS_H

#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/ncounter.h"
#include "core/nmetric.h"

struct nd_device;
struct page;
struct pid;
struct vm_area_struct;

#define NDS_SLAB_PAGES (NDS_SLAB_SIZE / PAGE_SIZE)

/* What the pool lock was taken for; hold times are kept apart. */
enum nds_lock_use {
	NDS_LOCK_OWNERSHIP,	/* acquire, release, close, exit */
	NDS_LOCK_MAPPING,	/* mmap, split, unmap */
	NDS_LOCK_TICK,		/* collect and pack */
	NDS_LOCK_EVENT,		/* a reset, an ECC reading, a profile: something to post */
	NDS_LOCK_READ,		/* somebody looks: ioctl, sysfs, debugfs */
	NDS_LOCK_USES
};

/**
 * struct nds_lock_stats - how long the pool lock was held for one use
 * @count: times
 * @total_ns: sum
 * @max_ns: longest
 */
struct nds_lock_stats {
	u64 count;
	u64 total_ns;
	u64 max_ns;
};

/**
 * struct nds_slab - one process's slab
 * @ref: held by its place, by each mapping and by queued exit work
 * @nd: the device, one reference
 * @pages: NDS_SLAB_SIZE bytes, zeroed, charged to the owner, shared with user space
 * @mem: the kernel's view of @pages
 * @cookie: what acquire hands out for mmap; never reused
 * @owner: thread group that acquired it
 * @place: index in the pool, -1 once released
 * @acquires: acquires not yet released, over all files
 * @holds: those acquires, by file
 * @mappings: address ranges that map it
 * @engine: what the metrics engine remembers of it
 * @counted: what the totals of the sysfs tree remember of it
 * @exit_wait: on the owner's exit
 * @exit_work: releases the slab after the owner's exit
 * @lingering: in the pool's list of released slabs that are still mapped
 *
 * Everything from @place down is guarded by the pool lock, except @exit_work.
 */
struct nds_slab {
	struct kref ref;
	struct nd_device *nd;
	struct page *pages[NDS_SLAB_PAGES];
	void *mem;
	u64 cookie;
	struct pid *owner;
	int place;
	unsigned int acquires;
	struct list_head holds;
	unsigned int mappings;
	struct nmetric_slab engine;
	struct ncounter_slab counted;
	wait_queue_entry_t exit_wait;
	struct work_struct exit_work;
	struct list_head lingering;
};

/**
 * struct nds_pool - slabs of one device
 * @lock: guards @place, @lingering, @totals, the statistics, every slab's fields named there, the
 *	holds of the device's files, and
 *	the device's metrics engine. Taken inside mmap_lock, so nothing under it may touch user
 *	memory.
 * @place: owned slabs
 * @lingering: released slabs that are still mapped
 * @totals: what the sysfs tree shows of all slabs
 * @lock_use: what the holder took @lock for
 * @lock_since: when
 * @lock_stats: hold times by use
 */
struct nds_pool {
	struct mutex lock; /* guards the pool, its slabs, holds and engine; see above */
	struct nds_slab *place[NDS_SLABS_PER_DEVICE];
	struct list_head lingering;
	struct ncounter_set totals;
	enum nds_lock_use lock_use;
	u64 lock_since;
	struct nds_lock_stats lock_stats[NDS_LOCK_USES];
};

int nds_init(void);
void nds_exit(void);
unsigned int nds_slabs_alive(void);

void nds_pool_init(struct nds_pool *pool);
void nds_pool_release_all(struct nd_device *nd);
void nds_lock(struct nds_pool *pool, enum nds_lock_use use);
void nds_unlock(struct nds_pool *pool);
unsigned int nds_live(struct nds_pool *pool, struct nmetric_slab *live[NDS_SLABS_PER_DEVICE]);

struct nds_slab *nds_slab_alloc(struct nd_device *nd);
void nds_slab_put(struct nds_slab *slab);
struct nds_slab *nds_slab_of(struct nds_pool *pool, const struct pid *owner);
int nds_slab_own(struct nds_slab *slab, struct pid *owner);
void nds_slab_disown(struct nds_slab *slab);
bool nds_may_read(const struct nds_slab *slab);

bool nds_owner_gone(struct pid *owner);
void nds_owner_exits(struct nd_device *nd);
int nds_mmap(struct nd_device *nd, struct vm_area_struct *vma);

#endif /* NDTEL_NDS_H */
