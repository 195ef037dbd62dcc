// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners of core locks and range marks.
 *
 * Only the process that opened a file can lock or mark through it. So the files that keep what a
 * process has are those it opened, and a forked child or a receiver of a descriptor holds nothing.
 */
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "cdev.h"
#include "core/crwl_mark.h"
#include "crwl_locks.h"
#include "crwl_owner.h"
#include "device.h"
#include "pod.h"

/**
 * struct nd_owner - a process that has, or had, locks or marks
 * @ref: held by the list and by queued work
 * @node: in nd_owners; empty once dropped
 * @pid: thread group
 * @exit_wait: on its exit
 * @exit_work: drops it after its exit
 */
struct nd_owner {
	struct kref ref;
	struct list_head node;
	struct pid *pid;
	wait_queue_entry_t exit_wait;
	struct work_struct exit_work;
};

/* Guards nd_owners, nd_files and nd_marks. Outside every device's nd_locks.lock. */
static DEFINE_MUTEX(nd_owners_lock);
static LIST_HEAD(nd_owners);
static LIST_HEAD(nd_files);
static struct crwl_marks nd_marks;

static struct workqueue_struct *nd_owner_wq;

/**
 * nd_owner_init() - what owners need
 *
 * Return: 0 or -ENOMEM.
 */
int nd_owner_init(void)
{
	crwl_marks_init(&nd_marks);
	nd_owner_wq = alloc_workqueue(ND_NAMESPACE "-lock-owner-exit", WQ_UNBOUND, 0);
	return nd_owner_wq ? 0 : -ENOMEM;
}

/**
 * nd_owner_exit() - undo nd_owner_init(); no file is open
 */
void nd_owner_exit(void)
{
	destroy_workqueue(nd_owner_wq);
}

static void nd_owner_free(struct kref *ref)
{
	struct nd_owner *owner = container_of(ref, struct nd_owner, ref);

	put_pid(owner->pid);
	kfree(owner);
}

static struct nd_owner *nd_owner_find(const struct pid *pid)
{
	struct nd_owner *owner;

	lockdep_assert_held(&nd_owners_lock);
	list_for_each_entry(owner, &nd_owners, node)
		if (owner->pid == pid)
			return owner;
	return NULL;
}

/* Whether a process has a file open that it opened: of one device, or of any for NULL. */
static bool nd_owner_has_file(const struct nd_owner *owner, const struct nd_device *nd)
{
	struct nd_file *file;

	list_for_each_entry(file, &nd_files, node)
		if (file->opener == owner->pid && (!nd || file->nd == nd))
			return true;
	return false;
}

/* All but core locks, which are the devices'. */
static void nd_owner_forget(struct nd_owner *owner)
{
	lockdep_assert_held(&nd_owners_lock);
	if (crwl_unmark_all(&nd_marks, owner->pid) && !nd_marks.marked)
		nd_pod_unmarked();
	remove_wait_queue(&owner->pid->wait_pidfd, &owner->exit_wait);
	list_del_init(&owner->node);
	kref_put(&owner->ref, nd_owner_free);
}

static void nd_owner_drop(struct nd_owner *owner)
{
	struct nd_file *file;

	list_for_each_entry(file, &nd_files, node)
		if (file->opener == owner->pid)
			nd_locks_drop(file->nd, owner->pid);
	nd_owner_forget(owner);
}

static void nd_owner_exit_work(struct work_struct *work)
{
	struct nd_owner *owner = container_of(work, struct nd_owner, exit_work);

	mutex_lock(&nd_owners_lock);
	/* Exits of single threads wake this queue too on newer kernels. */
	if (!list_empty(&owner->node) && nds_owner_gone(owner->pid))
		nd_owner_drop(owner);
	mutex_unlock(&nd_owners_lock);
	kref_put(&owner->ref, nd_owner_free);
}

/* Runs with the wait queue's lock held and interrupts off. */
static int nd_owner_woken(wait_queue_entry_t *entry, unsigned int mode, int flags, void *key)
{
	struct nd_owner *owner = container_of(entry, struct nd_owner, exit_wait);

	/* The list's reference outlives this entry, so the put below is never the last. */
	kref_get(&owner->ref);
	if (!queue_work(nd_owner_wq, &owner->exit_work))
		kref_put(&owner->ref, nd_owner_free);
	return 0;
}

/**
 * nd_owner_file_opened() - a file counts for its opener from now on
 * @file: new open file
 */
void nd_owner_file_opened(struct nd_file *file)
{
	mutex_lock(&nd_owners_lock);
	list_add_tail(&file->node, &nd_files);
	mutex_unlock(&nd_owners_lock);
}

/**
 * nd_owner_file_closed() - the last reference to an open file went
 * @file: the file; its device still exists
 */
void nd_owner_file_closed(struct nd_file *file)
{
	struct nd_owner *owner;

	mutex_lock(&nd_owners_lock);
	list_del(&file->node);
	owner = nd_owner_find(file->opener);
	if (owner && !nd_owner_has_file(owner, file->nd))
		nd_locks_drop(file->nd, owner->pid);
	if (owner && !nd_owner_has_file(owner, NULL))
		nd_owner_forget(owner);
	mutex_unlock(&nd_owners_lock);
}

/**
 * nd_owner_exits() - the calling process is exiting: drop what it has now
 *
 * Called from flush in the dying task, so that whoever waits for the process finds its locks and
 * marks gone. The wait entry on its pid covers the cases where no descriptor is left to flush.
 */
void nd_owner_exits(void)
{
	struct nd_owner *owner;

	mutex_lock(&nd_owners_lock);
	owner = nd_owner_find(task_tgid(current));
	if (owner)
		nd_owner_drop(owner);
	mutex_unlock(&nd_owners_lock);
}

static int nd_owner_register_locked(struct pid *pid)
{
	struct nd_owner *owner;

	if (nd_owner_find(pid))
		return 0;
	owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);
	if (!owner)
		return -ENOMEM;
	kref_init(&owner->ref);
	owner->pid = get_pid(pid);
	INIT_WORK(&owner->exit_work, nd_owner_exit_work);
	init_waitqueue_func_entry(&owner->exit_wait, nd_owner_woken);
	add_wait_queue(&pid->wait_pidfd, &owner->exit_wait);
	list_add_tail(&owner->node, &nd_owners);
	return 0;
}

/**
 * nd_owner_register() - the calling process is about to take locks or marks
 * @file: the file it does that through; it opened it
 *
 * The record stays at least as long as the caller is in this call: the file is in use, so it is not
 * the last one closed, and the process is not dead.
 *
 * Return: 0 or -ENOMEM.
 */
int nd_owner_register(struct nd_file *file)
{
	int ret;

	mutex_lock(&nd_owners_lock);
	ret = nd_owner_register_locked(file->opener);
	mutex_unlock(&nd_owners_lock);
	return ret;
}

/**
 * nd_marks_mark() - mark the first free run of cores
 * @nd: device the caller's numbers are relative to
 * @nc_count: cores wanted
 * @start: first core looked at
 * @end: last core looked at
 * @map: cores marked
 * @map_words: 64-bit words of @map
 * @max_available: longest free run, with -EBUSY
 *
 * All devices of a host are of one kind; where simulated ones are not, the opened device's number
 * of cores is taken for all.
 *
 * Context: the caller's process is registered with nd_owner_register().
 * Return: as crwl_mark().
 */
int nd_marks_mark(struct nd_device *nd, u32 nc_count, u32 start, u32 end, u64 *map, u32 map_words,
		  u32 *max_available)
{
	struct crwl_range range = {
		.first = nd->index * nd->arch->nc_count,
		.units = fls64(nd_devices_present()) * nd->arch->nc_count,
		.start = start,
		.end = end,
	};
	int ret;

	mutex_lock(&nd_owners_lock);
	ret = crwl_mark(&nd_marks, task_tgid(current), &range, nc_count, map, map_words,
			max_available);
	mutex_unlock(&nd_owners_lock);
	return ret;
}

/**
 * nd_marks_unmark() - give marked cores back; what others marked stays
 * @nd: device the caller's numbers are relative to
 * @map: cores
 * @map_words: 64-bit words of @map
 */
void nd_marks_unmark(struct nd_device *nd, const u64 *map, u32 map_words)
{
	u32 first = nd->index * nd->arch->nc_count;

	mutex_lock(&nd_owners_lock);
	if (crwl_unmark(&nd_marks, task_tgid(current), first, map, map_words) && !nd_marks.marked)
		nd_pod_unmarked();
	mutex_unlock(&nd_owners_lock);
}
