// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to a device and ends up in its posts.
 */
#include "device.h"
#include "ecc.h"
#include "metrics.h"
#include "pod.h"

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

/**
 * nd_metrics_fw_error() - a call to the firmware ended with an error it reported
 * @nd: device
 */
void nd_metrics_fw_error(struct nd_device *nd)
{
	nds_lock(&nd->nds, NDS_LOCK_EVENT);
	nmetric_add(&nd->metrics.engine, nmetric_row_of(NMETRIC_FW_IO_ERR, 17), 1);
	nds_unlock(&nd->nds);
}

/**
 * nd_metrics_set_profile() - the performance profile to announce
 * @nd: device
 * @profile: as the firmware confirmed it
 */
void nd_metrics_set_profile(struct nd_device *nd, u8 profile)
{
	char text[4];

	snprintf(text, sizeof(text), "%u", profile);
	nds_lock(&nd->nds, NDS_LOCK_EVENT);
	nmetric_set_constant(&nd->metrics.engine, NMETRIC_PROFILE_ID, text);
	nds_unlock(&nd->nds);
}

/**
 * nd_metrics_reset_ended() - a reset is over
 * @nd: device
 * @whole_device: or some cores
 * @succeeded: it did
 * @accept_ms: time until the firmware accepted it
 */
void nd_metrics_reset_ended(struct nd_device *nd, bool whole_device, bool succeeded, u64 accept_ms)
{
	struct nd_metrics *m = &nd->metrics;
	struct nmetric_reset_acc *ref = &m->ref_reset[whole_device ? 0 : 1];

	nds_lock(&nd->nds, NDS_LOCK_EVENT);
	if (!succeeded) {
		nmetric_reset_failed(&m->engine, whole_device);
	} else {
		/* The firmware may have begun its tallies anew. */
		m->ecc_after_reset = true;
		m->profile_stale = true;
		if (accept_ms)
			nmetric_reset_done(&m->engine, whole_device, accept_ms);
		ref->total_ms += accept_ms;
		ref->count += accept_ms ? 1 : 0;
	}
	nds_unlock(&nd->nds);
}

static void nd_metrics_gather_userver(struct nd_device *nd)
{
	struct nmetric_userver userver;

	if (!nd_pod_userver(nd, &userver))
		return;
	nds_lock(&nd->nds, NDS_LOCK_EVENT);
	nmetric_set_userver(&nd->metrics.engine, &userver);
	nds_unlock(&nd->nds);
}

/**
 * nd_metrics_gather() - read what a tick posts about the device itself
 * @nd: device, READY
 * @tick: enum nmetric_tick
 *
 * An ECC tally that cannot be read is left out; the next tick of its band tries again.
 *
 * Context: the metrics thread.
 */
void nd_metrics_gather(struct nd_device *nd, u8 tick)
{
	struct nd_metrics *m = &nd->metrics;
	struct necc_hbm tally;

	if (tick == NMETRIC_TICK_0)
		nd_metrics_gather_userver(nd);
	if (tick != NMETRIC_TICK_1 || nd_ecc_hbm(nd, &tally))
		return;
	nds_lock(&nd->nds, NDS_LOCK_EVENT);
	nmetric_ecc_reading(&m->engine, false, tally.unrepairable, m->ecc_after_reset);
	nmetric_ecc_reading(&m->engine, true, tally.repairable, m->ecc_after_reset);
	m->ecc_after_reset = false;
	nds_unlock(&nd->nds);
}
