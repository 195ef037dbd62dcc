// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of posts.
 *
 * A sink takes part in a tick when nmetric_log_posts switches it on, the device has it, and
 * somebody is there to receive: a post into a trace event that nobody listens to would be lost, so
 * it stays pending until somebody does. Bit 0 is the way to firmware: the mailbox, or the relay of
 * a device without one.
 *
 * The metrics thread packs, under the pool lock, one post in flight a sink; what falls due
 * meanwhile is owed and follows. Only trace events are delivered on the spot.
 */
#include <linux/delay.h>

#include "device.h"
#include "metrics.h"
#include "params.h"
#include "relay.h"
#include "trace.h"

/*
 * Posts a removal may use to hand over what is pending; more would mean that records are being
 * refused.
 */
#define ND_DRAIN_TICKS		16
/* A firmware that takes no posts is in the log this often. */
#define ND_FW_TELL_NS		(60ULL * NSEC_PER_SEC)

static bool nd_sink_switched_on(enum nmetric_sink sink)
{
	return nd_log_posts() & (sink == NMETRIC_SINK_TRACE ? ND_LOG_TRACE : ND_LOG_FIRMWARE);
}

static bool nd_sink_ready(struct nd_device *nd, enum nmetric_sink sink)
{
	switch (sink) {
	case NMETRIC_SINK_FWIO:
		return nd_has_firmware(nd);
	case NMETRIC_SINK_TRACE:
		return trace_metrics_post_enabled() || trace_metrics_post_nd_enabled();
	case NMETRIC_SINK_RELAY:
		return nd_relay_ready(nd);
	default:
		return false;
	}
}

static bool nd_sink_takes_part(struct nd_device *nd, enum nmetric_sink sink)
{
	return (nd->metrics.sinks & BIT(sink)) && nd_sink_switched_on(sink) &&
	       nd_sink_ready(nd, sink);
}

static void nd_trace_located(struct nd_device *nd, u8 tick, enum nmetric_sink sink,
			     enum nmetric_result result, const struct nmetric_view *rec)
{
	struct nd_metrics *m = &nd->metrics;

	/* Numbers and events in the same order. */
	spin_lock(&m->lock);
	trace_metrics_post_nd(nd->index, m->seq++, tick, sink, result, rec);
	spin_unlock(&m->lock);
}

/* Tells listeners what became of a post that went elsewhere. */
static void nd_trace_fate(struct nd_device *nd, enum nmetric_sink sink, enum nmetric_result result)
{
	const struct nd_sink *s = &nd->metrics.sink[sink];
	struct nmetric_view rec;
	size_t pos = 0;

	if (!trace_metrics_post_nd_enabled())
		return;
	while (nmetric_next(s->post.buf, s->post.used, &pos, &rec) > 0)
		nd_trace_located(nd, s->tick, sink, result, &rec);
}

/**
 * nd_trace_post() - the trace sink
 * @nd: device
 * @tick: enum nmetric_tick
 * @post: records
 */
void nd_trace_post(struct nd_device *nd, u8 tick, const struct nmetric_post *post)
{
	struct nmetric_view rec;
	size_t pos = 0;

	while (nmetric_next(post->buf, post->used, &pos, &rec) > 0) {
		trace_metrics_post(&rec);
		nd_trace_located(nd, tick, NMETRIC_SINK_TRACE, NMETRIC_ACCEPTED, &rec);
	}
}

/**
 * nd_metrics_posted() - a post that a sink was given has ended
 * @nd: device
 * @sink: which
 * @result: what became of it
 * @unknown: how often the sink may have got it without saying so, the last time included
 *
 * Called once a post, by whoever delivers it. Context: may sleep; no locks of ours.
 */
void nd_metrics_posted(struct nd_device *nd, enum nmetric_sink sink, enum nmetric_result result,
		       u32 unknown)
{
	struct nmetric *engine = &nd->metrics.engine;
	u32 i;

	if (result == NMETRIC_UNKNOWN && !unknown)
		result = NMETRIC_REFUSED;
	if (sink != NMETRIC_SINK_TRACE)
		nd_trace_fate(nd, sink, result);
	nds_lock(&nd->nds, NDS_LOCK_TICK);
	/* nmetric_end() notes the last one of an unknown post itself. */
	for (i = result == NMETRIC_UNKNOWN ? 1 : 0; i < unknown; i++)
		nmetric_note_unknown(engine, sink);
	nmetric_end(engine, sink, result);
	nds_unlock(&nd->nds);
	nd_metrics_kick(nd);
}

static void nd_fw_tell(struct nd_device *nd, int result)
{
	struct nd_metrics *m = &nd->metrics;
	u64 now = ktime_get_ns();

	if (!result) {
		if (m->fw_failed)
			dev_info(&nd->dev, "the firmware takes posts again, after %llu it did not\n",
				 m->fw_failed);
		m->fw_failed = 0;
		return;
	}
	if (!m->fw_failed++ || now - m->fw_told_ns > ND_FW_TELL_NS) {
		m->fw_told_ns = now;
		dev_warn(&nd->dev,
			 "the firmware did not take a post (%s, %d), %llu in a row; the counts stay pending\n",
			 result == -EREMOTEIO || result == -EOPNOTSUPP ? "refused" :
									 "no valid answer",
			 result, m->fw_failed);
	}
}

static enum nmetric_result nd_fw_deliver(struct nd_device *nd, const struct nmetric_post *post,
					 u32 *unknown)
{
	struct nd_fwio_outcome outcome = nd_fwio_post(nd, post->buf, post->used);

	*unknown = outcome.unknown;
	/* A reset or a removal that needs the mailbox is no failure of the firmware. */
	if (outcome.result != -EAGAIN && outcome.result != -ECANCELED)
		nd_fw_tell(nd, outcome.result);
	switch (outcome.result) {
	case 0:
		return NMETRIC_ACCEPTED;
	case -ETIMEDOUT:
	case -EBADMSG:
	case -ECANCELED:
		return NMETRIC_UNKNOWN;
	default:
		return NMETRIC_REFUSED;
	}
}

/*
 * The profile in force, once after each reset: it may have been set before the module was loaded. A
 * firmware that does not say leaves what is known.
 */
static void nd_fw_learn_profile(struct nd_device *nd)
{
	u8 profile;

	if (!nd->metrics.profile_stale)
		return;
	nd->metrics.profile_stale = false;
	if (nd->arch->arch != ND_ARCH_V2 && !nd_fwio_get_profile(nd, &profile))
		nd_metrics_set_profile(nd, profile);
}

static void nd_fw_work(struct work_struct *work)
{
	struct nd_device *nd = container_of(work, struct nd_device, metrics.fw_work);
	enum nmetric_result result;
	u32 unknown;

	nd_fw_learn_profile(nd);
	result = nd_fw_deliver(nd, &nd->metrics.sink[NMETRIC_SINK_FWIO].post, &unknown);
	nd_metrics_posted(nd, NMETRIC_SINK_FWIO, result, unknown);
}

/**
 * nd_sinks_init() - which sinks a device has
 * @nd: device, provider set
 */
void nd_sinks_init(struct nd_device *nd)
{
	nd->metrics.sinks = BIT(NMETRIC_SINK_TRACE);
	nd->metrics.sinks |= nd->hw ? BIT(NMETRIC_SINK_FWIO) : BIT(NMETRIC_SINK_RELAY);
	INIT_WORK(&nd->metrics.fw_work, nd_fw_work);
}

/**
 * nd_sinks_stop() - end the posts in flight
 * @nd: device, thread and relay stopped, mailbox interrupted
 */
void nd_sinks_stop(struct nd_device *nd)
{
	flush_work(&nd->metrics.fw_work);
}

/*
 * Packs what is due for a sink. Return: false when there is nothing to deliver now.
 *
 * Collecting and packing happen in one hold of the pool lock; delivery happens outside it.
 */
static bool nd_sink_pack(struct nd_device *nd, enum nmetric_sink sink, u8 tick, bool *busy)
{
	struct nmetric_slab *live[NDS_SLABS_PER_DEVICE];
	struct nd_sink *s = &nd->metrics.sink[sink];
	struct nmetric *engine = &nd->metrics.engine;
	unsigned int n;
	u32 used = 0;

	nds_lock(&nd->nds, NDS_LOCK_TICK);
	*busy = engine->sink[sink].busy;
	if (!*busy) {
		n = nds_live(&nd->nds, live);
		used = nmetric_begin(engine, sink, tick, ktime_get_ns(), live, n, &s->post);
		s->tick = tick;
	}
	nds_unlock(&nd->nds);
	return used;
}

static void nd_sink_deliver(struct nd_device *nd, enum nmetric_sink sink)
{
	const struct nd_sink *s = &nd->metrics.sink[sink];

	switch (sink) {
	case NMETRIC_SINK_FWIO:
		queue_work(system_unbound_wq, &nd->metrics.fw_work);
		break;
	case NMETRIC_SINK_RELAY:
		nd_relay_post(nd, s->tick, &s->post);
		break;
	default:
		nd_trace_post(nd, s->tick, &s->post);
		nd_metrics_posted(nd, sink, NMETRIC_ACCEPTED, 0);
		break;
	}
}

static void nd_sink_service(struct nd_device *nd, enum nmetric_sink sink)
{
	struct nd_sink *s = &nd->metrics.sink[sink];
	bool busy, any;
	u8 tick;

	while (s->owed_count) {
		tick = s->owed[0];
		any = nd_sink_pack(nd, sink, tick, &busy);
		if (busy)
			return;
		s->owed[0] = s->owed[1];
		s->owed_count--;
		if (any)
			nd_sink_deliver(nd, sink);
	}
}

/**
 * nd_sinks_service() - post what is owed, as far as sinks are free
 * @nd: device
 *
 * Context: the metrics thread.
 */
void nd_sinks_service(struct nd_device *nd)
{
	enum nmetric_sink sink;

	for (sink = 0; sink < NMETRIC_SINK_COUNT; sink++)
		nd_sink_service(nd, sink);
}

/**
 * nd_sinks_tick() - a tick falls due
 * @nd: device
 * @tick: enum nmetric_tick
 *
 * A tick that is owed already is not owed twice: the post that follows carries everything.
 *
 * Context: the metrics thread.
 */
void nd_sinks_tick(struct nd_device *nd, u8 tick)
{
	enum nmetric_sink sink;
	struct nd_sink *s;
	unsigned int i;

	for (sink = 0; sink < NMETRIC_SINK_COUNT; sink++) {
		s = &nd->metrics.sink[sink];
		if (!nd_sink_takes_part(nd, sink))
			continue;
		for (i = 0; i < s->owed_count && s->owed[i] != tick; i++)
			;
		if (i == s->owed_count)
			s->owed[s->owed_count++] = tick;
	}
	nd_sinks_service(nd);
}

static bool nd_sink_outstanding(struct nd_device *nd, enum nmetric_sink sink)
{
	const struct nmetric *engine = &nd->metrics.engine;
	unsigned int row;
	bool any = false;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	for (row = 0; row < NMETRIC_ROWS; row++)
		any |= nmetric_outstanding(engine, sink, row);
	nds_unlock(&nd->nds);
	return any;
}

/* Does a sink that is switched on still want something, or none is on and there is something? */
static bool nd_sinks_untaken(struct nd_device *nd)
{
	bool any_on = false, on_left = false, left = false;
	enum nmetric_sink sink;

	for (sink = 0; sink < NMETRIC_SINK_COUNT; sink++) {
		if (!(nd->metrics.sinks & BIT(sink)))
			continue;
		left |= nd_sink_outstanding(nd, sink);
		if (!nd_sink_switched_on(sink))
			continue;
		any_on = true;
		on_left |= nd_sink_outstanding(nd, sink);
	}
	return any_on ? on_left : left;
}

/* Return: false when the sink did not take a post. */
static bool nd_sink_drain_tick(struct nd_device *nd, enum nmetric_sink sink, u8 tick)
{
	enum nmetric_result result = NMETRIC_ACCEPTED;
	struct nd_sink *s = &nd->metrics.sink[sink];
	u32 unknown = 0;
	bool busy;

	if (!nd_sink_pack(nd, sink, tick, &busy))
		return !busy;
	if (sink == NMETRIC_SINK_FWIO)
		result = nd_fw_deliver(nd, &s->post, &unknown);
	else
		nd_trace_post(nd, tick, &s->post);
	nd_metrics_posted(nd, sink, result, unknown);
	return result == NMETRIC_ACCEPTED;
}

/**
 * nd_sinks_drain() - hand over what is pending before the device goes, and discard the rest
 * @nd: device, thread and sinks stopped, no slab owned
 *
 * A sink that fails gets no second chance, so that a silent firmware cannot hold the removal up.
 */
void nd_sinks_drain(struct nd_device *nd)
{
	static const enum nmetric_sink direct[] = { NMETRIC_SINK_FWIO, NMETRIC_SINK_TRACE };
	unsigned int i, j;

	if (nd->metrics.ref)
		return;
	/* Time in use is posted over a window, and the last post may have been a moment ago. */
	msleep(NMETRIC_WINDOW_MIN_NS / NSEC_PER_MSEC);
	for (i = 0; i < ARRAY_SIZE(direct); i++) {
		if (!nd_sink_takes_part(nd, direct[i]))
			continue;
		for (j = 0; j < ND_DRAIN_TICKS && nd_sink_outstanding(nd, direct[i]); j++)
			if (!nd_sink_drain_tick(nd, direct[i], j % NMETRIC_TICKS))
				break;
	}
	if (nd_sinks_untaken(nd))
		dev_info(&nd->dev, "removed with counts that no sink took; nmetric_log_posts=%u\n",
			 nd_log_posts());
	nds_lock(&nd->nds, NDS_LOCK_TICK);
	nmetric_discard_pending(&nd->metrics.engine, NMETRIC_DISCARD_REMOVED);
	nds_unlock(&nd->nds);
}
