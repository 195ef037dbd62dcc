// SPDX-License-Identifier: GPL-2.0-only
/*
 * The "ndN metrics" thread and its sinks.
 *
 * Collecting and packing happen in one hold of the pool lock; posting happens outside it. A sink
 * takes part in a tick when its bit in nmetric_log_posts is set, the device has it, and somebody
 * is there to receive: a post into a trace event that nobody listens to would be lost, so it
 * stays pending until somebody does.
 */
#include <linux/delay.h>
#include <linux/dmi.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "cdev.h"
#include "device.h"
#include "metrics.h"
#include "params.h"
#include "trace.h"
#include "uapi/ndtel/ioctl.h"

/*
 * Posts a removal may use to hand over what is pending; more would mean that records are being
 * refused.
 */
#define ND_DRAIN_TICKS 16

/*
 * The board's asset tag is the EC2 instance id; "0" when the firmware has none, as the reference
 * has it.
 */
static void nd_metrics_set_instance_id(struct nmetric *engine)
{
	const char *tag = dmi_get_system_info(DMI_BOARD_ASSET_TAG);
	char text[NMETRIC_TEXT_MAX + 1];

	if (!tag)
		tag = "0";
	strscpy(text, tag, sizeof(text));
	nmetric_set_constant(engine, NMETRIC_INSTANCE_ID, strim(text));
}

/**
 * nd_metrics_init() - engine and schedule of a new device
 * @nd: device, zeroed, architecture set
 *
 * Return: 0 or -ENOMEM.
 */
int nd_metrics_init(struct nd_device *nd)
{
	struct nd_metrics *m = &nd->metrics;
	u64 now = ktime_get_ns();

	spin_lock_init(&m->lock);
	init_waitqueue_head(&m->wait);
	m->sinks = BIT(NMETRIC_SINK_TRACE);
	nmetric_init(&m->engine, nd->arch->nc_count, GENMASK(nd->arch->nc_count - 1, 0), now);
	nd_metrics_set_instance_id(&m->engine);
	nmetric_set_constant(&m->engine, NMETRIC_DRIVER_VERSION, ND_VERSION);
	nmetric_set_constant(&m->engine, NMETRIC_PROFILE_ID, "0");
	nmetric_sched_init(&m->sched, now, nd_post_period_ns());

	if (nd_quirks) {
		m->ref = kzalloc(sizeof(*m->ref), GFP_KERNEL);
		if (!m->ref)
			return -ENOMEM;
		nmetric_ref_init(m->ref);
	}
	return 0;
}

/**
 * nd_metrics_destroy() - free what nd_metrics_init() made
 * @nd: device, thread stopped
 */
void nd_metrics_destroy(struct nd_device *nd)
{
	kfree(nd->metrics.ref);
}

static bool nd_sink_ready(enum nmetric_sink sink)
{
	return sink == NMETRIC_SINK_TRACE &&
	       (trace_metrics_post_enabled() || trace_metrics_post_nd_enabled());
}

static enum nmetric_result nd_trace_post(struct nd_device *nd, u8 tick,
					 const struct nmetric_post *post)
{
	struct nmetric_view rec;
	size_t pos = 0;

	while (nmetric_next(post->buf, post->used, &pos, &rec) > 0) {
		trace_metrics_post(&rec);
		trace_metrics_post_nd(nd->index, nd->metrics.seq++, tick, NMETRIC_SINK_TRACE,
				      NMETRIC_ACCEPTED, &rec);
	}
	return NMETRIC_ACCEPTED;
}

static bool nd_sink_takes_part(const struct nd_metrics *m, enum nmetric_sink sink)
{
	return (m->sinks & nd_log_posts() & BIT(sink)) && nd_sink_ready(sink);
}

static void nd_metrics_tick(struct nd_device *nd, u8 tick)
{
	struct nmetric_slab *live[NDS_SLABS_PER_DEVICE];
	struct nd_metrics *m = &nd->metrics;
	enum nmetric_result result;
	struct nmetric_post post;
	enum nmetric_sink sink;
	unsigned int n;
	u32 used;

	for (sink = 0; sink < NMETRIC_SINK_COUNT; sink++) {
		if (!nd_sink_takes_part(m, sink))
			continue;
		nds_lock(&nd->nds, NDS_LOCK_TICK);
		n = nds_live(&nd->nds, live);
		used = nmetric_begin(&m->engine, sink, tick, ktime_get_ns(), live, n, &post);
		nds_unlock(&nd->nds);
		if (!used)
			continue;

		result = nd_trace_post(nd, tick, &post);

		nds_lock(&nd->nds, NDS_LOCK_TICK);
		nmetric_end(&m->engine, sink, result);
		nds_unlock(&nd->nds);
	}
}

/* quirks=1: one buffer for all sinks, consumed whether or not anybody listens. */
static void nd_metrics_ref_tick(struct nd_device *nd, u8 tick)
{
	struct nmetric_slab *live[NDS_SLABS_PER_DEVICE];
	static const struct nmetric_ref_inputs none;
	struct nd_metrics *m = &nd->metrics;
	struct nmetric_post post;
	unsigned int n;

	nds_lock(&nd->nds, NDS_LOCK_TICK);
	n = nds_live(&nd->nds, live);
	nmetric_ref_tick(m->ref, &m->engine, tick, ktime_get_ns(), live, n, &none, &post);
	nds_unlock(&nd->nds);
	if (nd_log_posts() & BIT(NMETRIC_SINK_TRACE))
		nd_trace_post(nd, tick, &post);
}

static unsigned int nd_metrics_due(struct nd_device *nd, u8 tick[NMETRIC_TICKS], u64 *wait_ns)
{
	struct nd_metrics *m = &nd->metrics;
	u64 period = nd_post_period_ns();
	u64 now = ktime_get_ns();
	unsigned int i, n;

	spin_lock(&m->lock);
	m->kick = false;
	if (period != m->sched.period_ns)
		nmetric_sched_set_period(&m->sched, now, period);
	n = nmetric_sched_due(&m->sched, now, READ_ONCE(nd->state) == ND_STATE_READY);
	for (i = 0; i < n; i++)
		tick[i] = nmetric_sched_take_tick(&m->sched);
	*wait_ns = nmetric_sched_wait_ns(&m->sched, now);
	spin_unlock(&m->lock);
	return n;
}

static int nd_metrics_thread(void *data)
{
	struct nd_device *nd = data;
	struct nd_metrics *m = &nd->metrics;
	u8 tick[NMETRIC_TICKS];
	unsigned int i, n;
	u64 wait_ns;
	long timeout;

	while (!kthread_should_stop()) {
		n = nd_metrics_due(nd, tick, &wait_ns);
		for (i = 0; i < n; i++) {
			if (m->ref)
				nd_metrics_ref_tick(nd, tick[i]);
			else
				nd_metrics_tick(nd, tick[i]);
		}
		if (n && m->ref) {
			nds_lock(&nd->nds, NDS_LOCK_TICK);
			nmetric_ref_ticks_done(m->ref, ktime_get_ns());
			nds_unlock(&nd->nds);
		}
		/* After a post the time to the next interval is asked for anew. */
		if (n)
			continue;
		/* Due but held back, because the device is not ready: its state change kicks. */
		if (wait_ns == U64_MAX || !wait_ns)
			timeout = MAX_SCHEDULE_TIMEOUT;
		else
			timeout = nsecs_to_jiffies(wait_ns) + 1;
		wait_event_idle_timeout(m->wait, READ_ONCE(m->kick) || kthread_should_stop(),
					timeout);
	}
	return 0;
}

/**
 * nd_metrics_start() - start the thread
 * @nd: device
 *
 * Return: 0 or the error of thread creation.
 */
int nd_metrics_start(struct nd_device *nd)
{
	struct task_struct *task = kthread_run(nd_metrics_thread, nd, "nd%d metrics", nd->index);

	if (IS_ERR(task))
		return PTR_ERR(task);
	/* The thread returns only when told to, so the task cannot go before nd_metrics_stop(). */
	nd->metrics.task = task;
	return 0;
}

/**
 * nd_metrics_stop() - stop the thread and wait for it; harmless when it never ran
 * @nd: device
 */
void nd_metrics_stop(struct nd_device *nd)
{
	if (nd->metrics.task)
		kthread_stop(nd->metrics.task);
	nd->metrics.task = NULL;
}

static bool nd_metrics_outstanding(struct nd_device *nd, bool deliverable)
{
	struct nd_metrics *m = &nd->metrics;
	enum nmetric_sink sink;
	unsigned int row;
	bool any = false;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	for (sink = 0; sink < NMETRIC_SINK_COUNT; sink++) {
		if (!(m->sinks & BIT(sink)) || (deliverable && !nd_sink_takes_part(m, sink)))
			continue;
		for (row = 0; row < NMETRIC_ROWS; row++)
			any |= nmetric_outstanding(&m->engine, sink, row);
	}
	nds_unlock(&nd->nds);
	return any;
}

/**
 * nd_metrics_drain() - hand over what is pending before the device goes, and discard the rest
 * @nd: device, thread stopped, no slab owned
 */
void nd_metrics_drain(struct nd_device *nd)
{
	struct nd_metrics *m = &nd->metrics;
	unsigned int i;

	if (m->ref)
		return;
	/* Time in use is posted over a window, and the last post may have been a moment ago. */
	if (nd_metrics_outstanding(nd, true))
		msleep(NMETRIC_WINDOW_MIN_NS / NSEC_PER_MSEC);
	for (i = 0; i < ND_DRAIN_TICKS && nd_metrics_outstanding(nd, true); i++)
		nd_metrics_tick(nd, i % NMETRIC_TICKS);
	if (nd_metrics_outstanding(nd, false))
		dev_info(&nd->dev, "removed with counts that no sink took; nmetric_log_posts=%u\n",
			 nd_log_posts());
	nds_lock(&nd->nds, NDS_LOCK_TICK);
	nmetric_discard_pending(&m->engine, NMETRIC_DISCARD_REMOVED);
	nds_unlock(&nd->nds);
}

/**
 * nd_metrics_kick() - make the thread look at its schedule at once
 * @nd: device
 */
void nd_metrics_kick(struct nd_device *nd)
{
	struct nd_metrics *m = &nd->metrics;

	spin_lock(&m->lock);
	m->kick = true;
	spin_unlock(&m->lock);
	wake_up(&m->wait);
}

static void nd_metrics_set_vote(struct nd_file *file, bool pause)
{
	struct nd_metrics *m = &file->nd->metrics;

	spin_lock(&m->lock);
	if (file->pause_vote != pause) {
		file->pause_vote = pause;
		m->votes += pause ? 1 : -1;
		if (m->votes)
			nmetric_sched_pause(&m->sched);
		else
			nmetric_sched_resume(&m->sched);
	}
	spin_unlock(&m->lock);
	nd_metrics_kick(file->nd);
}

/**
 * nd_metrics_vote() - an open file's say in whether the device posts
 * @file: open file, normal lane
 * @mode: enum nd_metrics_mode
 *
 * Return: 0, or -EINVAL for an unknown mode.
 */
int nd_metrics_vote(struct nd_file *file, u32 mode)
{
	if (mode != ND_METRICS_PERIODIC_ENABLE && mode != ND_METRICS_PERIODIC_DISABLE)
		return -EINVAL;
	nd_metrics_set_vote(file, mode == ND_METRICS_PERIODIC_DISABLE);
	return 0;
}

/**
 * nd_metrics_unvote() - the file closes, its vote goes
 * @file: open file
 */
void nd_metrics_unvote(struct nd_file *file)
{
	nd_metrics_set_vote(file, false);
}

/**
 * nd_metrics_slab_gone() - a slab loses its owner: take what it brought
 * @slab: slab
 *
 * Context: pool lock held.
 */
void nd_metrics_slab_gone(struct nds_slab *slab)
{
	struct nd_metrics *m = &slab->nd->metrics;

	if (m->ref)
		nmetric_ref_slab_gone(m->ref, &m->engine, &slab->engine);
	nmetric_slab_gone(&m->engine, &slab->engine);
}

/**
 * nd_metrics_late() - a mapping of a released slab goes: take what was counted after the release
 * @slab: slab
 *
 * Context: pool lock held.
 */
void nd_metrics_late(struct nds_slab *slab)
{
	struct nmetric *engine = &slab->nd->metrics.engine;

	nmetric_collect(engine, &slab->engine);
	if (slab->nd->gone)
		nmetric_discard_pending(engine, NMETRIC_DISCARD_REMOVED);
}
