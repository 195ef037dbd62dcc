/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The per-device metrics thread: when to post (core schedule), what to post (core engine), where
 * (sinks).
 */
#ifndef NDTEL_METRICS_H
#define NDTEL_METRICS_H

#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/nmetric.h"
#include "core/nmetric_ref.h"
#include "core/nmetric_sched.h"

struct nd_device;
struct nd_file;
struct nds_slab;
struct task_struct;

/**
 * struct nd_sink - delivery to one sink
 * @owed: ticks to post, oldest first; touched by the thread only
 * @owed_count: how many
 * @tick: tick of the post in flight
 * @post: the post in flight; written by the thread before it is handed over, then read by whoever
 *	delivers it until that calls nd_metrics_posted()
 */
struct nd_sink {
	u8 owed[NMETRIC_TICKS];
	u8 owed_count;
	u8 tick;
	struct nmetric_post post;
};

/**
 * struct nd_metrics - posting side of one device
 * @engine: counts and books; guarded by the pool lock
 * @ref: the reference's arithmetic when quirks=1, else NULL; guarded by the pool lock
 * @ref_reset: what resets added since the reference's arithmetic read them; guarded by the pool
 *	lock
 * @ecc_after_reset: no ECC tally was read since the last reset; guarded by the pool lock
 * @lock: guards @sched, @votes, @kick and @seq
 * @sched: when to post
 * @votes: open files that vote for a pause
 * @kick: something changed, look at once
 * @seq: number of the next metrics_post_nd event
 * @wait: where the thread sleeps
 * @task: the thread; set while it runs
 * @sinks: bit per enum nmetric_sink the device has
 * @sink: delivery, by enum nmetric_sink
 * @fw_work: delivers to the firmware, so that its silence does not hold the thread up
 * @profile_stale: the profile was not asked for since the last reset; set before the device is
 *	READY, cleared by @fw_work, which runs only then
 * @fw_failed: posts in a row the firmware did not take; touched by @fw_work, and by removal after
 *	that has ended
 * @fw_told_ns: when that was last said in the log; likewise
 */
struct nd_metrics {
	struct nmetric engine;
	struct nmetric_ref *ref;
	struct nmetric_reset_acc ref_reset[2];
	bool ecc_after_reset;
	spinlock_t lock; /* guards sched, votes, kick and seq */
	struct nmetric_sched sched;
	unsigned int votes;
	bool kick;
	u64 seq;
	wait_queue_head_t wait;
	struct task_struct *task;
	unsigned long sinks;
	struct nd_sink sink[NMETRIC_SINK_COUNT];
	struct work_struct fw_work;
	bool profile_stale;
	u64 fw_failed;
	u64 fw_told_ns;
};

int nd_metrics_init(struct nd_device *nd);
int nd_metrics_start(struct nd_device *nd);
void nd_metrics_stop(struct nd_device *nd);
void nd_metrics_destroy(struct nd_device *nd);
void nd_metrics_kick(struct nd_device *nd);
int nd_metrics_vote(struct nd_file *file, u32 mode);
void nd_metrics_unvote(struct nd_file *file);

/* What happens to a device and is posted; metrics_events.c. */
void nd_metrics_slab_gone(struct nds_slab *slab);
void nd_metrics_late(struct nds_slab *slab);
void nd_metrics_fw_error(struct nd_device *nd);
void nd_metrics_set_profile(struct nd_device *nd, u8 profile);
void nd_metrics_reset_ended(struct nd_device *nd, bool whole_device, bool succeeded, u64 accept_ms);
void nd_metrics_gather(struct nd_device *nd, u8 tick);

/* Delivery; sinks.c. */
void nd_sinks_init(struct nd_device *nd);
void nd_sinks_stop(struct nd_device *nd);
void nd_sinks_tick(struct nd_device *nd, u8 tick);
void nd_sinks_service(struct nd_device *nd);
void nd_sinks_drain(struct nd_device *nd);
void nd_trace_post(struct nd_device *nd, u8 tick, const struct nmetric_post *post);
void nd_metrics_posted(struct nd_device *nd, enum nmetric_sink sink, enum nmetric_result result,
		       u32 unknown);

/* quirks=1; metrics_ref.c. */
void nd_metrics_ref_tick(struct nd_device *nd, u8 tick);
void nd_metrics_ref_ticks_done(struct nd_device *nd);

#endif /* NDTEL_METRICS_H */
