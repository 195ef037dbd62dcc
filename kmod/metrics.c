// SPDX-License-Identifier: GPL-2.0-only
/*
 * The "ndN metrics" thread: samples power, and says when to post. It never waits for firmware.
 */
#include <linux/dmi.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "cdev.h"
#include "device.h"
#include "metrics.h"
#include "params.h"
#include "uapi/ndtel/ioctl.h"

#define ND_SAMPLE_NS (50ULL * NSEC_PER_MSEC)

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
	nd_sinks_init(nd);
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

static void nd_metrics_post(struct nd_device *nd, const u8 *tick, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (nd->metrics.ref) {
			nd_metrics_ref_tick(nd, tick[i]);
		} else {
			nd_metrics_gather(nd, tick[i]);
			nd_sinks_tick(nd, tick[i]);
		}
	}
	if (n && nd->metrics.ref)
		nd_metrics_ref_ticks_done(nd);
}

/* Samples power when it is time. Return: nanoseconds to the next sample. */
static u64 nd_metrics_sample(struct nd_device *nd, u64 *next_ns)
{
	u64 now = ktime_get_ns();

	if (!nd->hw)
		return U64_MAX;
	if (now >= *next_ns) {
		*next_ns = now + ND_SAMPLE_NS;
		if (READ_ONCE(nd->state) == ND_STATE_READY)
			nd_power_sample(nd);
	}
	return *next_ns - now;
}

static int nd_metrics_thread(void *data)
{
	struct nd_device *nd = data;
	struct nd_metrics *m = &nd->metrics;
	u8 tick[NMETRIC_TICKS];
	u64 next_sample_ns = 0;
	u64 wait_ns, sample_ns;
	unsigned int n;
	long timeout;

	while (!kthread_should_stop()) {
		n = nd_metrics_due(nd, tick, &wait_ns);
		nd_metrics_post(nd, tick, n);
		nd_sinks_service(nd);
		sample_ns = nd_metrics_sample(nd, &next_sample_ns);
		/* After a post the time to the next interval is asked for anew. */
		if (n)
			continue;
		/* Due but held back, because the device is not ready: its state change kicks. */
		if (!wait_ns)
			wait_ns = U64_MAX;
		wait_ns = min(wait_ns, sample_ns);
		timeout = wait_ns == U64_MAX ? MAX_SCHEDULE_TIMEOUT : nsecs_to_jiffies(wait_ns) + 1;
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
 * nd_metrics_stop() - stop the thread and end its posts; harmless when it never ran
 * @nd: device; its mailbox is interrupted
 */
void nd_metrics_stop(struct nd_device *nd)
{
	if (nd->metrics.task)
		kthread_stop(nd->metrics.task);
	nd->metrics.task = NULL;
	nd_sinks_stop(nd);
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
