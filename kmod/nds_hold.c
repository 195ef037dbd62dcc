// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acquire and release, counted per open file.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "cdev.h"
#include "device.h"
#include "nds.h"
#include "nds_hold.h"

/*
 * Readers need not release. Beyond this many remembered targets of one file those that no longer
 * own a slab are forgotten, so that a monitor that runs for months stays small.
 */
#define NDS_READERS_KEPT 64

/**
 * struct nds_hold - acquires of one owner through one file
 * @in_file: in nds_file_holds.owned
 * @in_slab: in nds_slab.holds
 * @file: the file
 * @slab: the slab
 * @count: acquires not yet released
 */
struct nds_hold {
	struct list_head in_file;
	struct list_head in_slab;
	struct nd_file *file;
	struct nds_slab *slab;
	unsigned int count;
};

/**
 * struct nds_reader - acquires of one foreign slab through one file
 * @in_file: in nds_file_holds.read
 * @pid: owner it looked at
 * @nr: the owner's number as the reader gave it; still valid as a name when the owner is gone
 * @count: acquires not yet released
 */
struct nds_reader {
	struct list_head in_file;
	struct pid *pid;
	pid_t nr;
	unsigned int count;
};

/**
 * nds_file_holds_init() - an open file that has acquired nothing
 * @holds: to set up
 */
void nds_file_holds_init(struct nds_file_holds *holds)
{
	INIT_LIST_HEAD(&holds->owned);
	INIT_LIST_HEAD(&holds->read);
	holds->readers = 0;
}

static void nds_hold_free(struct nds_hold *hold)
{
	list_del(&hold->in_file);
	list_del(&hold->in_slab);
	kfree(hold);
}

static void nds_reader_free(struct nd_file *file, struct nds_reader *reader)
{
	list_del(&reader->in_file);
	file->holds.readers--;
	put_pid(reader->pid);
	kfree(reader);
}

/**
 * nds_slab_drop_holds() - forget all acquires of a slab that loses its owner
 * @slab: slab
 *
 * Context: pool lock held.
 */
void nds_slab_drop_holds(struct nds_slab *slab)
{
	struct nds_hold *hold, *next;

	list_for_each_entry_safe(hold, next, &slab->holds, in_slab)
		nds_hold_free(hold);
	slab->acquires = 0;
}

static struct nds_hold *nds_hold_find(struct nds_slab *slab, const struct nd_file *file)
{
	struct nds_hold *hold;

	list_for_each_entry(hold, &slab->holds, in_slab)
		if (hold->file == file)
			return hold;
	return NULL;
}

/* Books one acquire; @spare is used up when this file has none yet. */
static void nds_hold_add(struct nds_slab *slab, struct nd_file *file, struct nds_hold **spare)
{
	struct nds_hold *hold = nds_hold_find(slab, file);

	if (!hold) {
		hold = *spare;
		*spare = NULL;
		hold->file = file;
		hold->slab = slab;
		list_add_tail(&hold->in_file, &file->holds.owned);
		list_add_tail(&hold->in_slab, &slab->holds);
	}
	hold->count++;
	slab->acquires++;
}

static int nds_acquire_own(struct nd_file *file, bool create, u64 *cookie)
{
	struct nds_hold *spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	struct pid *me = task_tgid(current);
	struct nd_device *nd = file->nd;
	struct nds_slab *slab, *fresh = NULL;
	int ret = 0;

	if (!spare)
		return -ENOMEM;

	nds_lock(&nd->nds, NDS_LOCK_OWNERSHIP);
	slab = nds_slab_of(&nd->nds, me);
	if (!slab && create) {
		/*
		 * Memory is not allocated under the lock that the tick needs; another thread may
		 * win meanwhile.
		 */
		nds_unlock(&nd->nds);
		fresh = nds_slab_alloc(nd);
		nds_lock(&nd->nds, NDS_LOCK_OWNERSHIP);
		slab = nds_slab_of(&nd->nds, me);
		if (!slab) {
			ret = fresh ? nds_slab_own(fresh, me) : -ENOMEM;
			if (!ret) {
				slab = fresh;
				fresh = NULL;
			}
		}
	} else if (!slab) {
		ret = -ENOENT;
	}
	if (slab) {
		nds_hold_add(slab, file, &spare);
		*cookie = slab->cookie;
	}
	nds_unlock(&nd->nds);

	if (fresh)
		nds_slab_put(fresh);
	kfree(spare);
	return ret;
}

static struct nds_reader *nds_reader_find(struct nd_file *file, pid_t nr)
{
	struct nds_reader *reader;

	list_for_each_entry(reader, &file->holds.read, in_file)
		if (reader->nr == nr)
			return reader;
	return NULL;
}

static void nds_readers_prune(struct nd_file *file)
{
	struct nds_reader *reader, *next;

	list_for_each_entry_safe(reader, next, &file->holds.read, in_file)
		if (!nds_slab_of(&file->nd->nds, reader->pid))
			nds_reader_free(file, reader);
}

static int nds_acquire_foreign(struct nd_file *file, struct pid *owner, pid_t nr, u64 *cookie)
{
	struct nds_reader *spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	struct nds_pool *pool = &file->nd->nds;
	struct nds_reader *reader;
	struct nds_slab *slab;
	int ret = 0;

	if (!spare)
		return -ENOMEM;

	nds_lock(pool, NDS_LOCK_OWNERSHIP);
	slab = nds_slab_of(pool, owner);
	if (!slab) {
		ret = -ENOENT;
	} else if (!nds_may_read(slab)) {
		ret = -EACCES;
	} else {
		reader = nds_reader_find(file, nr);
		if (!reader) {
			if (file->holds.readers >= NDS_READERS_KEPT)
				nds_readers_prune(file);
			reader = spare;
			spare = NULL;
			reader->nr = nr;
			list_add_tail(&reader->in_file, &file->holds.read);
			file->holds.readers++;
		}
		/* The number may have passed to another process since the last acquire. */
		put_pid(reader->pid);
		reader->pid = get_pid(owner);
		reader->count++;
		*cookie = slab->cookie;
	}
	nds_unlock(pool);
	kfree(spare);
	return ret;
}

/**
 * nds_acquire() - get a slab's mmap cookie
 * @file: open file, normal lane
 * @nr: 0 for the caller's own slab, which is made if need be; else a process in the
 *	caller's pid namespace
 * @cookie: out
 *
 * Return: 0; -ENOMEM when all places are taken or memory is short; -ENOENT when process @nr owns
 * no slab here; -EACCES when restrict_readers keeps the caller out.
 */
int nds_acquire(struct nd_file *file, pid_t nr, u64 *cookie)
{
	struct pid *pid;
	int ret;

	if (!nr)
		return nds_acquire_own(file, true, cookie);
	pid = find_get_pid(nr);
	if (!pid)
		return -ENOENT;
	if (pid == task_tgid(current))
		ret = nds_acquire_own(file, false, cookie);
	else
		ret = nds_acquire_foreign(file, pid, nr, cookie);
	put_pid(pid);
	return ret;
}

static int nds_release_own(struct nd_file *file)
{
	struct nds_pool *pool = &file->nd->nds;
	struct nds_hold *hold;
	struct nds_slab *slab;

	nds_lock(pool, NDS_LOCK_OWNERSHIP);
	slab = nds_slab_of(pool, task_tgid(current));
	if (!slab) {
		nds_unlock(pool);
		return -ENOENT;
	}
	/* A process may release through another of its files than the one it acquired through. */
	hold = nds_hold_find(slab, file);
	if (!hold)
		hold = list_first_entry(&slab->holds, struct nds_hold, in_slab);
	if (!--hold->count)
		nds_hold_free(hold);
	if (!--slab->acquires)
		nds_slab_disown(slab);
	nds_unlock(pool);
	return 0;
}

static int nds_release_foreign(struct nd_file *file, pid_t nr)
{
	struct nds_pool *pool = &file->nd->nds;
	struct nds_reader *reader;
	int ret = -ENOENT;

	nds_lock(pool, NDS_LOCK_OWNERSHIP);
	reader = nds_reader_find(file, nr);
	if (reader) {
		ret = 0;
		if (!--reader->count)
			nds_reader_free(file, reader);
	}
	nds_unlock(pool);
	return ret;
}

/**
 * nds_release() - give back one acquire
 * @file: open file, normal lane
 * @nr: as given to nds_acquire()
 *
 * The slab goes with the owner's last acquire.
 *
 * Return: 0; -ENOENT when there is nothing of the caller's to release.
 */
int nds_release(struct nd_file *file, pid_t nr)
{
	if (!nr || nr == task_tgid_vnr(current))
		return nds_release_own(file);
	return nds_release_foreign(file, nr);
}

/**
 * nds_file_closed() - the last reference to an open file went: give back all that was acquired
 * through it
 * @file: the file
 */
void nds_file_closed(struct nd_file *file)
{
	struct nds_pool *pool = &file->nd->nds;
	struct nds_reader *reader, *next;
	struct nds_hold *hold;
	struct nds_slab *slab;

	nds_lock(pool, NDS_LOCK_OWNERSHIP);
	while ((hold = list_first_entry_or_null(&file->holds.owned, struct nds_hold, in_file))) {
		slab = hold->slab;
		slab->acquires -= hold->count;
		nds_hold_free(hold);
		if (!slab->acquires)
			nds_slab_disown(slab);
	}
	list_for_each_entry_safe(reader, next, &file->holds.read, in_file)
		nds_reader_free(file, reader);
	nds_unlock(pool);
}
