// SPDX-License-Identifier: GPL-2.0-only
/*
 * quirks=1: ticks with the reference's arithmetic. One buffer for all sinks, consumed whether or
 * not anybody took it; the firmware is waited for in the thread, though never for long.
 */
#include "device.h"
#include "ecc.h"
#include "metrics.h"
#include "params.h"
#include "pod.h"

static void nd_ref_inputs(struct nd_device *nd, struct nmetric_ref_inputs *in,
			  struct nmetric_userver *userver)
{
	struct fwio_stats stats;
	struct necc_hbm tally;

	memset(in, 0, sizeof(*in));
	nd_fwio_stats(nd, &stats);
	in->fwio_errors = stats.refusals;
	if (!nd_ecc_hbm(nd, &tally)) {
		in->ecc[0] = tally.unrepairable;
		in->ecc[1] = tally.repairable;
	}
	if (nd_pod_userver(nd, userver))
		in->userver = userver;
}

/**
 * nd_metrics_ref_tick() - one tick
 * @nd: device
 * @tick: enum nmetric_tick
 *
 * Context: the metrics thread.
 */
void nd_metrics_ref_tick(struct nd_device *nd, u8 tick)
{
	struct nmetric_slab *live[NDS_SLABS_PER_DEVICE];
	struct nd_metrics *m = &nd->metrics;
	struct nmetric_ref_inputs in;
	struct nmetric_userver userver;
	struct nmetric_post post;
	unsigned int n;

	nd_ref_inputs(nd, &in, &userver);
	nds_lock(&nd->nds, NDS_LOCK_TICK);
	n = nds_live(&nd->nds, live);
	if (tick == NMETRIC_TICK_1) {
		memcpy(in.reset, m->ref_reset, sizeof(in.reset));
		memset(m->ref_reset, 0, sizeof(m->ref_reset));
	}
	nmetric_ref_tick(m->ref, &m->engine, tick, ktime_get_ns(), live, n, &in, &post);
	nds_unlock(&nd->nds);
	if (nd_log_posts() & ND_LOG_TRACE)
		nd_trace_post(nd, tick, &post);
	if ((nd_log_posts() & ND_LOG_FIRMWARE) && post.used)
		nd_fwio_post(nd, post.buf, post.used);
}

/**
 * nd_metrics_ref_ticks_done() - all ticks of an interval are over
 * @nd: device
 */
void nd_metrics_ref_ticks_done(struct nd_device *nd)
{
	nds_lock(&nd->nds, NDS_LOCK_TICK);
	nmetric_ref_ticks_done(nd->metrics.ref, ktime_get_ns());
	nds_unlock(&nd->nds);
}
