// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waking pollers, and directories on demand.
 *
 * Numbers change under locks that sysfs must not be entered with, so a change only sets a bit; a
 * work item does the rest. Growth in a live process's slab makes no noise at all: while somebody
 * wants to be woken, it is looked for once a second.
 */
#include "device.h"
#include "nds.h"
#include "sysfs_tree.h"

#define ND_LOOK_PERIOD HZ

static void nd_sysfs_queue_update(struct nd_sysfs *tree)
{
	lockdep_assert_held(&tree->lock);
	if (tree->open)
		schedule_work(&tree->update);
}

/**
 * nd_sysfs_changed() - a number of the tree changed
 * @nd: device, with or without a tree
 * @slot: directory
 * @peak: its peak rose as well
 */
void nd_sysfs_changed(struct nd_device *nd, int slot, bool peak)
{
	struct nd_sysfs *tree = &nd->sysfs;

	spin_lock(&tree->lock);
	if (tree->notify) {
		__set_bit(slot, tree->changed);
		if (peak)
			__set_bit(slot, tree->grown);
		nd_sysfs_queue_update(tree);
	}
	spin_unlock(&tree->lock);
}

/**
 * nd_sysfs_mem_changed() - a memory tally changed
 * @nd: device, with or without a tree
 * @nc: core, or ND_MEM_NO_CORE
 * @cell: as for nd_mem_read()
 * @peak: its peak rose
 */
void nd_sysfs_mem_changed(struct nd_device *nd, int nc, unsigned int cell, bool peak)
{
	int slot = nc == ND_MEM_NO_CORE ? ND_SLOT_HOST_MEMORY :
					  nc * ND_SLOTS_PER_CORE + ND_SLOT_MEMORY;

	nd_sysfs_changed(nd, slot + cell, peak);
}

/**
 * nd_sysfs_resets_changed() - a tally of resets changed
 * @nd: device, with or without a tree
 * @map: cores
 * @failed: the tally of failed ones, else that of requested ones
 */
void nd_sysfs_resets_changed(struct nd_device *nd, u32 map, bool failed)
{
	u32 nc;

	for (nc = 0; nc < nd->arch->nc_count; nc++)
		if (map & BIT(nc))
			nd_sysfs_changed(nd, nc * ND_SLOTS_PER_CORE +
					 (failed ? ND_SLOT_RESET_FAILED : ND_SLOT_RESET_REQUESTED),
					 false);
}

/**
 * nd_sysfs_want() - a process asked to see counters that have no directory
 * @nd: device, with or without a tree
 * @counters: bit per NDS core counter; any bits
 */
void nd_sysfs_want(struct nd_device *nd, u64 counters)
{
	struct nd_sysfs *tree = &nd->sysfs;

	spin_lock(&tree->lock);
	if (counters & ~tree->wanted) {
		tree->wanted |= counters;
		nd_sysfs_queue_update(tree);
	}
	spin_unlock(&tree->lock);
}

/**
 * nd_sysfs_notifies() - are pollers of this device woken
 * @nd: device
 *
 * Return: info/notify_delay is 0.
 */
bool nd_sysfs_notifies(struct nd_device *nd)
{
	return READ_ONCE(nd->sysfs.notify);
}

/**
 * nd_sysfs_set_notify() - info/notify_delay was written
 * @nd: device, its tree there
 * @on: wake pollers
 */
void nd_sysfs_set_notify(struct nd_device *nd, bool on)
{
	struct nd_sysfs *tree = &nd->sysfs;

	spin_lock(&tree->lock);
	WRITE_ONCE(tree->notify, on);
	if (on && tree->open)
		schedule_delayed_work(&tree->look, 0);
	spin_unlock(&tree->lock);
}

/**
 * nd_sysfs_look_work() - look for growth as long as somebody wants to be woken
 * @work: nd_sysfs.look
 */
void nd_sysfs_look_work(struct work_struct *work)
{
	struct nd_sysfs *tree = container_of(to_delayed_work(work), struct nd_sysfs, look);

	nd_sysfs_look_all(tree->nd);
	spin_lock(&tree->lock);
	if (tree->notify && tree->open)
		schedule_delayed_work(&tree->look, ND_LOOK_PERIOD);
	spin_unlock(&tree->lock);
}

static void nd_sysfs_wake(struct nd_sysfs *tree, const unsigned long *changed,
			  const unsigned long *grown)
{
	struct nd_sysfs_dir *dir;
	unsigned int slot;

	for_each_set_bit(slot, changed, ND_SLOTS) {
		dir = tree->slot[slot];
		if (!dir)
			continue;
		sysfs_notify(&dir->kobj, NULL, "total");
		sysfs_notify(&dir->kobj, NULL, "present");
		if (test_bit(slot, grown))
			sysfs_notify(&dir->kobj, NULL, "peak");
	}
}

/**
 * nd_sysfs_notify_work() - make what is wanted, wake whom it concerns
 * @work: nd_sysfs.update
 */
void nd_sysfs_notify_work(struct work_struct *work)
{
	struct nd_sysfs *tree = container_of(work, struct nd_sysfs, update);
	DECLARE_BITMAP(changed, ND_SLOTS);
	DECLARE_BITMAP(grown, ND_SLOTS);
	u64 wanted;
	int ret;

	spin_lock(&tree->lock);
	wanted = tree->wanted;
	bitmap_copy(changed, tree->changed, ND_SLOTS);
	bitmap_copy(grown, tree->grown, ND_SLOTS);
	bitmap_zero(tree->changed, ND_SLOTS);
	bitmap_zero(tree->grown, ND_SLOTS);
	spin_unlock(&tree->lock);

	if (wanted & ~tree->made) {
		/* Also after a failure: what did not work once is not tried at every death. */
		tree->made |= wanted;
		ret = nd_sysfs_add_dynamic(tree->nd, wanted);
		if (ret)
			dev_warn(&tree->nd->dev, "no directory for counters %#llx: %d\n", wanted,
				 ret);
	}
	nd_sysfs_wake(tree, changed, grown);
}
