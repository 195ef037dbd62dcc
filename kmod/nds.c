// SPDX-License-Identifier: GPL-2.0-only
/*
 * Neuron DataStore slabs: memory, ownership, mappings.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "cookie.h"
#include "device.h"
#include "nds.h"
#include "nds_hold.h"
#include "params.h"

static struct workqueue_struct *nds_exit_wq;
static atomic64_t nds_generation = ATOMIC64_INIT(0);
static atomic_t nds_alive = ATOMIC_INIT(0);

/**
 * nds_init() - what all pools share
 *
 * Return: 0 or -ENOMEM.
 */
int nds_init(void)
{
	nds_exit_wq = alloc_workqueue(ND_NAMESPACE "-owner-exit", WQ_UNBOUND, 0);
	return nds_exit_wq ? 0 : -ENOMEM;
}

/**
 * nds_exit() - undo nds_init(); all devices are gone
 */
void nds_exit(void)
{
	destroy_workqueue(nds_exit_wq);
}

/**
 * nds_slabs_alive() - slab memories that exist, owned or lingering
 *
 * Return: number over all devices.
 */
unsigned int nds_slabs_alive(void)
{
	return atomic_read(&nds_alive);
}

/**
 * nds_pool_init() - make an empty pool
 * @pool: pool, zeroed
 */
void nds_pool_init(struct nds_pool *pool)
{
	mutex_init(&pool->lock);
	INIT_LIST_HEAD(&pool->lingering);
}

/**
 * nds_lock() - take the pool lock and note what for
 * @pool: pool
 * @use: enum nds_lock_use
 */
void nds_lock(struct nds_pool *pool, enum nds_lock_use use)
{
	mutex_lock(&pool->lock);
	pool->lock_use = use;
	pool->lock_since = ktime_get_ns();
}

/**
 * nds_unlock() - give the pool lock back and book how long it was held
 * @pool: pool
 */
void nds_unlock(struct nds_pool *pool)
{
	struct nds_lock_stats *stats = &pool->lock_stats[pool->lock_use];
	u64 held = ktime_get_ns() - pool->lock_since;

	stats->count++;
	stats->total_ns += held;
	stats->max_ns = max(stats->max_ns, held);
	mutex_unlock(&pool->lock);
}

/**
 * nds_live() - the engine's view of all owned slabs
 * @pool: pool, locked
 * @live: filled in place order
 *
 * Return: how many.
 */
unsigned int nds_live(struct nds_pool *pool, struct nmetric_slab *live[NDS_SLABS_PER_DEVICE])
{
	unsigned int n = 0;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++)
		if (pool->place[i])
			live[n++] = &pool->place[i]->engine;
	return n;
}

/**
 * nds_slab_of() - find a process's slab
 * @pool: pool, locked
 * @owner: thread group
 *
 * Return: its slab, or NULL.
 */
struct nds_slab *nds_slab_of(struct nds_pool *pool, const struct pid *owner)
{
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++)
		if (pool->place[i] && pool->place[i]->owner == owner)
			return pool->place[i];
	return NULL;
}

static struct nds_slab *nds_slab_by_cookie(struct nds_pool *pool, u64 cookie)
{
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++)
		if (pool->place[i] && pool->place[i]->cookie == cookie)
			return pool->place[i];
	return NULL;
}

/**
 * nds_owner_gone() - whether a process is dead
 * @owner: thread group
 *
 * Return: true when no thread of it lives.
 */
bool nds_owner_gone(struct pid *owner)
{
	struct task_struct *leader;
	bool gone;

	rcu_read_lock();
	leader = pid_task(owner, PIDTYPE_TGID);
	/* A leader that exits before its threads is a zombie while the process lives on. */
	gone = !leader || (READ_ONCE(leader->exit_state) && thread_group_empty(leader));
	rcu_read_unlock();
	return gone;
}

static void nds_owner_exit_work(struct work_struct *work)
{
	struct nds_slab *slab = container_of(work, struct nds_slab, exit_work);
	struct nds_pool *pool = &slab->nd->nds;

	nds_lock(pool, NDS_LOCK_OWNERSHIP);
	/* Exits of single threads wake this queue too on newer kernels. */
	if (slab->place >= 0 && nds_owner_gone(slab->owner))
		nds_slab_disown(slab);
	nds_unlock(pool);
	nds_slab_put(slab);
}

/* Runs with the wait queue's lock held and interrupts off. */
static int nds_owner_woken(wait_queue_entry_t *entry, unsigned int mode, int flags, void *key)
{
	struct nds_slab *slab = container_of(entry, struct nds_slab, exit_wait);

	/* The place's reference outlives this entry, so the put below is never the last. */
	kref_get(&slab->ref);
	if (!queue_work(nds_exit_wq, &slab->exit_work))
		nds_slab_put(slab);
	return 0;
}

/**
 * nds_slab_alloc() - make a slab that nobody owns yet
 * @nd: device
 *
 * The pages are charged to the caller's memory cgroup: old slabs that a process keeps mapped are
 * its own expense.
 *
 * Return: slab with one reference, or NULL.
 */
struct nds_slab *nds_slab_alloc(struct nd_device *nd)
{
	struct nds_slab *slab = kzalloc(sizeof(*slab), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!slab)
		return NULL;
	kref_init(&slab->ref);
	slab->place = -1;
	INIT_LIST_HEAD(&slab->holds);
	INIT_LIST_HEAD(&slab->lingering);
	INIT_WORK(&slab->exit_work, nds_owner_exit_work);
	init_waitqueue_func_entry(&slab->exit_wait, nds_owner_woken);
	slab->cookie = nd_cookie(ND_COOKIE_NDS, atomic64_inc_return(&nds_generation));

	for (i = 0; i < NDS_SLAB_PAGES; i++) {
		slab->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!slab->pages[i])
			goto free_pages;
	}
	slab->mem = vmap(slab->pages, NDS_SLAB_PAGES, VM_MAP, PAGE_KERNEL);
	if (!slab->mem)
		goto free_pages;

	nmetric_slab_init(&slab->engine, slab->mem);
	ncounter_slab_init(&slab->counted, slab->mem);
	slab->nd = nd;
	get_device(&nd->dev);
	nd_mem_add(nd, ND_MEM_NCDEV_HOST, 0, NDS_SLAB_SIZE);
	atomic_inc(&nds_alive);
	return slab;

free_pages:
	while (i--)
		__free_page(slab->pages[i]);
	kfree(slab);
	return NULL;
}

static void nds_slab_free(struct kref *ref)
{
	struct nds_slab *slab = container_of(ref, struct nds_slab, ref);
	unsigned int i;

	vunmap(slab->mem);
	for (i = 0; i < NDS_SLAB_PAGES; i++)
		__free_page(slab->pages[i]);
	put_pid(slab->owner);
	nd_mem_add(slab->nd, ND_MEM_NCDEV_HOST, 0, -(s64)NDS_SLAB_SIZE);
	put_device(&slab->nd->dev);
	atomic_dec(&nds_alive);
	kfree(slab);
}

/**
 * nds_slab_put() - drop a reference
 * @slab: slab; not under the pool lock unless another reference is known to exist
 */
void nds_slab_put(struct nds_slab *slab)
{
	kref_put(&slab->ref, nds_slab_free);
}

/**
 * nds_slab_own() - give a fresh slab to a process
 * @slab: from nds_slab_alloc(); its reference goes to the place
 * @owner: thread group of the caller, which is alive because it is the caller
 *
 * Context: pool lock held.
 * Return: 0, or -ENOMEM when all places are taken.
 */
int nds_slab_own(struct nds_slab *slab, struct pid *owner)
{
	struct nds_pool *pool = &slab->nd->nds;
	int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++) {
		if (pool->place[i])
			continue;
		slab->owner = get_pid(owner);
		slab->place = i;
		pool->place[i] = slab;
		add_wait_queue(&owner->wait_pidfd, &slab->exit_wait);
		return 0;
	}
	return -ENOMEM;
}

/**
 * nds_slab_disown() - the owner released the slab, closed its files or died
 * @slab: owned slab; the caller holds a reference of its own, or another keeps the slab
 *
 * Collects for the last time while owned, frees the place at once and drops its reference.
 *
 * Context: pool lock held.
 */
void nds_slab_disown(struct nds_slab *slab)
{
	struct nds_pool *pool = &slab->nd->nds;

	lockdep_assert_held(&pool->lock);
	nd_metrics_slab_gone(slab);
	nd_sysfs_slab_gone(slab);
	remove_wait_queue(&slab->owner->wait_pidfd, &slab->exit_wait);
	nds_slab_drop_holds(slab);
	pool->place[slab->place] = NULL;
	slab->place = -1;
	if (slab->mappings)
		list_add_tail(&slab->lingering, &pool->lingering);
	nds_slab_put(slab);
}

/**
 * nds_pool_release_all() - take every slab from its owner, because the device goes
 * @nd: device, no new calls can enter
 */
void nds_pool_release_all(struct nd_device *nd)
{
	int i;

	nds_lock(&nd->nds, NDS_LOCK_OWNERSHIP);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++)
		if (nd->nds.place[i])
			nds_slab_disown(nd->nds.place[i]);
	nds_unlock(&nd->nds);
}

/**
 * nds_owner_exits() - the calling process is exiting: release its slab now
 * @nd: device
 *
 * Called from flush in the dying task, so that whoever waits for the process finds its slab
 * released. The wait entry on the owner's pid covers the cases where no descriptor is left to
 * flush.
 */
void nds_owner_exits(struct nd_device *nd)
{
	struct nds_slab *slab;

	nds_lock(&nd->nds, NDS_LOCK_OWNERSHIP);
	slab = nds_slab_of(&nd->nds, task_tgid(current));
	if (slab)
		nds_slab_disown(slab);
	nds_unlock(&nd->nds);
}

/**
 * nds_may_read() - may the caller look at a slab it does not own
 * @slab: owned slab
 *
 * Context: pool lock held.
 * Return: true for the owner, for everybody unless restrict_readers is set, and then for equal
 * uids and gids or CAP_SYS_PTRACE over the owner.
 */
bool nds_may_read(const struct nds_slab *slab)
{
	const struct cred *mine = current_cred();
	struct task_struct *owner;
	const struct cred *theirs;
	bool may;

	if (!READ_ONCE(nd_restrict_readers) || slab->owner == task_tgid(current))
		return true;
	owner = get_pid_task(slab->owner, PIDTYPE_TGID);
	if (!owner)
		return false;
	theirs = get_task_cred(owner);
	may = (uid_eq(mine->uid, theirs->euid) && uid_eq(mine->uid, theirs->suid) &&
	       uid_eq(mine->uid, theirs->uid) && gid_eq(mine->gid, theirs->egid) &&
	       gid_eq(mine->gid, theirs->sgid) && gid_eq(mine->gid, theirs->gid)) ||
	      ns_capable(theirs->user_ns, CAP_SYS_PTRACE);
	put_cred(theirs);
	put_task_struct(owner);
	return may;
}

static void nds_mapped(struct nds_slab *slab)
{
	kref_get(&slab->ref);
	nds_lock(&slab->nd->nds, NDS_LOCK_MAPPING);
	slab->mappings++;
	nds_unlock(&slab->nd->nds);
}

/* A mapping of a released slab goes: what was counted through it after the release. */
static void nds_late(struct nds_slab *slab)
{
	nd_metrics_late(slab);
	nd_sysfs_slab_late(slab);
}

static void nds_unmapped(struct nds_slab *slab, bool was_writable)
{
	struct nds_pool *pool = &slab->nd->nds;

	nds_lock(pool, NDS_LOCK_MAPPING);
	if (slab->place < 0 && was_writable)
		nds_late(slab);
	if (!--slab->mappings)
		list_del_init(&slab->lingering);
	nds_unlock(pool);
	nds_slab_put(slab);
}

static void nds_vma_open(struct vm_area_struct *vma)
{
	nds_mapped(vma->vm_private_data);
}

static void nds_vma_close(struct vm_area_struct *vma)
{
	nds_unmapped(vma->vm_private_data, vma->vm_flags & VM_MAYWRITE);
}

static const struct vm_operations_struct nds_vm_ops = {
	.open = nds_vma_open,
	.close = nds_vma_close,
};

static struct nds_slab *nds_slab_for_mmap(struct nd_device *nd, struct vm_area_struct *vma)
{
	struct nds_slab *slab = nds_slab_by_cookie(&nd->nds, nd_cookie_of_vma(vma));

	if (!slab)
		return ERR_PTR(-ENXIO);
	/* A shared mapping of a read-only descriptor loses VM_SHARED and keeps VM_MAYSHARE. */
	if (vma->vm_end - vma->vm_start != NDS_SLAB_SIZE || !(vma->vm_flags & VM_MAYSHARE))
		return ERR_PTR(-EINVAL);
	if (!nds_may_read(slab))
		return ERR_PTR(-EACCES);
	return slab;
}

/**
 * nds_mmap() - map a slab
 * @nd: device, entered
 * @vma: its offset is a cookie from acquire, its length the whole slab, its kind shared
 *
 * The owner maps as the descriptor's mode allows; everybody else gets a mapping that can never be
 * written.
 *
 * Return: 0; -ENXIO for a cookie that names no owned slab; -EINVAL for a wrong length or a
 * private mapping; -EACCES when restrict_readers keeps the caller out; errors of the page tables.
 */
int nds_mmap(struct nd_device *nd, struct vm_area_struct *vma)
{
	struct nds_slab *slab;
	bool writable;
	int ret;

	nds_lock(&nd->nds, NDS_LOCK_MAPPING);
	slab = nds_slab_for_mmap(nd, vma);
	if (IS_ERR(slab)) {
		nds_unlock(&nd->nds);
		return PTR_ERR(slab);
	}
	if (slab->owner != task_tgid(current))
		vm_flags_clear(vma, VM_WRITE | VM_MAYWRITE);
	kref_get(&slab->ref);
	slab->mappings++;
	nds_unlock(&nd->nds);

	vm_flags_clear(vma, VM_EXEC | VM_MAYEXEC);
	vm_flags_set(vma, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	writable = vma->vm_flags & VM_MAYWRITE;

	/* The cookie is no offset into the pages. */
	ret = vm_map_pages_zero(vma, slab->pages, NDS_SLAB_PAGES);
	if (ret) {
		nds_unmapped(slab, writable);
		return ret;
	}
	vma->vm_private_data = slab;
	vma->vm_ops = &nds_vm_ops;
	return 0;
}
