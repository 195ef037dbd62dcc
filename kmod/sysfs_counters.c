// SPDX-License-Identifier: GPL-2.0-only
/*
 * total, present and peak: counters of processes, resets, memory.
 */
#include "device.h"
#include "nds.h"
#include "sysfs_tree.h"

static int nd_counter_slot(u32 nc, u32 index)
{
	return nc * ND_SLOTS_PER_CORE + ND_SLOT_COUNTERS + index;
}

/* Takes in what all owned slabs grew by in one counter. */
static void nd_counter_look(struct nd_device *nd, u32 nc, u32 index)
{
	struct nds_pool *pool = &nd->nds;
	bool changed = false;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++)
		if (pool->place[i])
			changed |= ncounter_look(&pool->totals, &pool->place[i]->counted, nc,
						 index);
	if (changed)
		nd_sysfs_changed(nd, nd_counter_slot(nc, index), false);
}

/**
 * nd_sysfs_look_all() - take in what all owned slabs grew by
 * @nd: device
 */
void nd_sysfs_look_all(struct nd_device *nd)
{
	u32 nc, index;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	for (nc = 0; nc < nd->arch->nc_count; nc++)
		for (index = 0; index < NCOUNTER_COUNT; index++)
			nd_counter_look(nd, nc, index);
	nds_unlock(&nd->nds);
}

/**
 * nd_sysfs_slab_late() - a mapping of a released slab goes: take in what was counted through it
 * @slab: slab
 *
 * Context: pool lock held.
 */
void nd_sysfs_slab_late(struct nds_slab *slab)
{
	struct nd_device *nd = slab->nd;
	u32 nc, index;

	lockdep_assert_held(&nd->nds.lock);
	for (nc = 0; nc < nd->arch->nc_count; nc++)
		for (index = 0; index < NCOUNTER_COUNT; index++)
			if (ncounter_look(&nd->nds.totals, &slab->counted, nc, index))
				nd_sysfs_changed(nd, nd_counter_slot(nc, index), false);
}

/**
 * nd_sysfs_slab_gone() - a slab loses its owner: take in all it counted, and what it asked to see
 * @slab: slab
 *
 * Context: pool lock held.
 */
void nd_sysfs_slab_gone(struct nds_slab *slab)
{
	const u64 *words = slab->mem;

	nd_sysfs_slab_late(slab);
	nd_sysfs_want(slab->nd,
		      READ_ONCE(words[nds_nd_word(NDS_ND_COUNTER_DYNAMIC_SYSFS_METRIC_BITMAP)]));
}

static ssize_t counter_total_show(struct nd_sysfs_dir *dir, char *page)
{
	struct nds_pool *pool = &dir->nd->nds;
	u64 value;

	nds_lock(pool, NDS_LOCK_READ);
	nd_counter_look(dir->nd, dir->nc, dir->index);
	value = ncounter_total(&pool->totals, dir->nc, dir->index);
	nds_unlock(pool);
	return sysfs_emit(page, "%llu\n", value);
}

static ssize_t counter_present_show(struct nd_sysfs_dir *dir, char *page)
{
	struct nds_pool *pool = &dir->nd->nds;
	u64 value;

	nds_lock(pool, NDS_LOCK_READ);
	nd_counter_look(dir->nd, dir->nc, dir->index);
	value = ncounter_present(&pool->totals, dir->nc, dir->index);
	nds_unlock(pool);
	return sysfs_emit(page, "%llu\n", value);
}

static int counter_total_store(struct nd_sysfs_dir *dir, const char *text, size_t size)
{
	struct nds_pool *pool = &dir->nd->nds;

	nds_lock(pool, NDS_LOCK_READ);
	nd_counter_look(dir->nd, dir->nc, dir->index);
	ncounter_reset_total(&pool->totals, dir->nc, dir->index);
	nds_unlock(pool);
	return 0;
}

static int counter_present_store(struct nd_sysfs_dir *dir, const char *text, size_t size)
{
	struct nds_pool *pool = &dir->nd->nds;

	nds_lock(pool, NDS_LOCK_READ);
	nd_counter_look(dir->nd, dir->nc, dir->index);
	ncounter_reset_present(&pool->totals, dir->nc, dir->index);
	nds_unlock(pool);
	return 0;
}

ND_SYSFS_RW(counter_, total);
ND_SYSFS_RW(counter_, present);

static struct attribute *nd_sysfs_counter_attrs[] = {
	&counter_total_attr.attr,
	&counter_present_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_counter_files = { .attrs = nd_sysfs_counter_attrs };

/* A directory's index is the tally: 0 requested, 1 failed. */
static u64 nd_reset_tally(const struct nd_sysfs_dir *dir)
{
	struct nd_resets *resets = &dir->nd->resets;

	lockdep_assert_held(&resets->lock);
	return dir->index ? resets->failed[dir->nc] : resets->requested[dir->nc];
}

static struct nd_sysfs_resets *nd_reset_bases(const struct nd_sysfs_dir *dir)
{
	return &dir->nd->sysfs.resets[dir->nc][dir->index];
}

static ssize_t reset_total_show(struct nd_sysfs_dir *dir, char *page)
{
	struct nd_resets *resets = &dir->nd->resets;
	u64 total;

	spin_lock(&resets->lock);
	total = nd_reset_tally(dir) - nd_reset_bases(dir)->total_base;
	spin_unlock(&resets->lock);
	return sysfs_emit(page, "%llu\n", total);
}

/* Resets are counted one by one, so the last change is 1. */
static ssize_t reset_present_show(struct nd_sysfs_dir *dir, char *page)
{
	struct nd_resets *resets = &dir->nd->resets;
	bool any;

	spin_lock(&resets->lock);
	any = nd_reset_tally(dir) != nd_reset_bases(dir)->present_base;
	spin_unlock(&resets->lock);
	return sysfs_emit(page, "%d\n", any);
}

static int reset_total_store(struct nd_sysfs_dir *dir, const char *text, size_t size)
{
	struct nd_resets *resets = &dir->nd->resets;

	spin_lock(&resets->lock);
	nd_reset_bases(dir)->total_base = nd_reset_tally(dir);
	spin_unlock(&resets->lock);
	return 0;
}

static int reset_present_store(struct nd_sysfs_dir *dir, const char *text, size_t size)
{
	struct nd_resets *resets = &dir->nd->resets;

	spin_lock(&resets->lock);
	nd_reset_bases(dir)->present_base = nd_reset_tally(dir);
	spin_unlock(&resets->lock);
	return 0;
}

ND_SYSFS_RW(reset_, total);
ND_SYSFS_RW(reset_, present);

static struct attribute *nd_sysfs_reset_attrs[] = {
	&reset_total_attr.attr,
	&reset_present_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_reset_files = { .attrs = nd_sysfs_reset_attrs };

static void nd_memory_of(const struct nd_sysfs_dir *dir, struct nd_mem_cell *tally)
{
	nd_mem_read(dir->nd, dir->nc, dir->index, tally);
}

static ssize_t memory_total_show(struct nd_sysfs_dir *dir, char *page)
{
	struct nd_mem_cell tally;

	nd_memory_of(dir, &tally);
	return sysfs_emit(page, "%llu\n", tally.total);
}

static ssize_t memory_present_show(struct nd_sysfs_dir *dir, char *page)
{
	struct nd_mem_cell tally;

	nd_memory_of(dir, &tally);
	return sysfs_emit(page, "%llu\n", tally.present);
}

static ssize_t memory_peak_show(struct nd_sysfs_dir *dir, char *page)
{
	struct nd_mem_cell tally;

	nd_memory_of(dir, &tally);
	return sysfs_emit(page, "%llu\n", tally.peak);
}

static int memory_present_store(struct nd_sysfs_dir *dir, const char *text, size_t size)
{
	nd_mem_reset_present(dir->nd, dir->nc, dir->index);
	return 0;
}

static int memory_peak_store(struct nd_sysfs_dir *dir, const char *text, size_t size)
{
	nd_mem_reset_peak(dir->nd, dir->nc, dir->index);
	return 0;
}

/* What is held now cannot be written away. */
ND_SYSFS_RO(memory_, total);
ND_SYSFS_RW(memory_, present);
ND_SYSFS_RW(memory_, peak);

static struct attribute *nd_sysfs_memory_attrs[] = {
	&memory_total_attr.attr,
	&memory_present_attr.attr,
	&memory_peak_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_memory_files = { .attrs = nd_sysfs_memory_attrs };
