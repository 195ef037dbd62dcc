/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The per-device metrics thread: when to post (core schedule), what to post (core engine), where
 * (sinks).
 */
#ifndef NDTEL_METRICS_H
#define NDTEL_METRICS_H

#include <linux/spinlock.h>
#include <linux/wait.h>

#include "core/nmetric.h"
#include "core/nmetric_ref.h"
#include "core/nmetric_sched.h"

struct nd_device;
struct nd_file;
struct nds_slab;
struct task_struct;

/**
 * struct nd_metrics - posting side of one device
 * @engine: counts and books; guarded by the pool lock
 * @ref: the reference's arithmetic when quirks=1, else NULL; guarded by the pool lock
 * @lock: guards @sched, @votes and @kick
 * @sched: when to post
 * @votes: open files that vote for a pause
 * @kick: something changed, look at once
 * @wait: where the thread sleeps
 * @task: the thread; set while it runs
 * @sinks: bit per enum nmetric_sink the device has
 * @seq: number of the next metrics_post_nd event; touched by the thread, and by removal
 *	after the thread has stopped
 */
struct nd_metrics {
	struct nmetric engine;
	struct nmetric_ref *ref;
	spinlock_t lock; /* guards sched, votes and kick */
	struct nmetric_sched sched;
	unsigned int votes;
	bool kick;
	wait_queue_head_t wait;
	struct task_struct *task;
	unsigned long sinks;
	u64 seq;
};

int nd_metrics_init(struct nd_device *nd);
int nd_metrics_start(struct nd_device *nd);
void nd_metrics_stop(struct nd_device *nd);
void nd_metrics_drain(struct nd_device *nd);
void nd_metrics_destroy(struct nd_device *nd);
void nd_metrics_kick(struct nd_device *nd);
int nd_metrics_vote(struct nd_file *file, u32 mode);
void nd_metrics_unvote(struct nd_file *file);
void nd_metrics_slab_gone(struct nds_slab *slab);
void nd_metrics_late(struct nds_slab *slab);

#endif /* NDTEL_METRICS_H */
