// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resets: requests in order, one worker a device.
 */
#include "device.h"
#include "reset.h"

static struct nd_reset_request *nd_reset_slot(struct nd_resets *r, u32 id)
{
	return &r->request[id % ND_RESETS_KEPT];
}

/* Takes the next request that has not run. Return: false when there is none. */
static bool nd_reset_next(struct nd_resets *r, u32 *id, u32 *map)
{
	bool any;

	spin_lock(&r->lock);
	any = !r->stopped && r->run_id != r->next_id;
	if (any) {
		*id = r->run_id;
		*map = nd_reset_slot(r, *id)->map;
	}
	spin_unlock(&r->lock);
	return any;
}

/*
 * Books the end of a reset. The device is READY again when no further reset waits; the two belong
 * together under the lock, or a request could be overtaken by the end of the one before.
 */
static void nd_reset_finish(struct nd_device *nd, u32 id, u32 map, int result)
{
	struct nd_resets *r = &nd->resets;
	struct nd_reset_request *request;
	u32 nc;

	spin_lock(&r->lock);
	request = nd_reset_slot(r, id);
	request->done = true;
	request->result = result;
	r->run_id = id + 1;
	if (map == ND_RESET_WHOLE_DEVICE && result != -ECANCELED)
		r->broken = result;
	for (nc = 0; nc < nd->arch->nc_count && result && result != -ECANCELED; nc++)
		if (map & BIT(nc))
			r->failed[nc]++;
	/* After a failed reset of some cores the others still work. */
	if (r->run_id == r->next_id)
		nd_device_set_state(nd, r->broken ? ND_STATE_INVALID : ND_STATE_READY);
	spin_unlock(&r->lock);
	if (result && result != -ECANCELED)
		nd_sysfs_resets_changed(nd, map, true);
	wake_up_all(&r->wait);
}

static void nd_reset_run(struct nd_device *nd, u32 id, u32 map)
{
	bool whole_device = map == ND_RESET_WHOLE_DEVICE;
	u64 accept_ms = 0;
	int ret;

	ret = nd_fwio_reset(nd, map, &accept_ms, &nd->resets.stopped);
	if (ret != -ECANCELED)
		nd_metrics_reset_ended(nd, whole_device, !ret, accept_ms);
	if (!ret)
		nd_locks_reset(nd, map);
	if (ret && ret != -ECANCELED)
		dev_err_ratelimited(&nd->dev, "reset %u of %s failed: %d\n", id,
				    whole_device ? "the device" : "cores", ret);
	nd_reset_finish(nd, id, map, ret);
}

static void nd_reset_work(struct work_struct *work)
{
	struct nd_device *nd = container_of(work, struct nd_device, resets.work);
	u32 id, map;

	while (nd_reset_next(&nd->resets, &id, &map))
		nd_reset_run(nd, id, map);
}

/**
 * nd_reset_init() - a device that nobody has asked to reset
 * @nd: device, zeroed
 */
void nd_reset_init(struct nd_device *nd)
{
	struct nd_resets *r = &nd->resets;

	spin_lock_init(&r->lock);
	INIT_WORK(&r->work, nd_reset_work);
	init_waitqueue_head(&r->wait);
	r->next_id = 1;
	r->run_id = 1;
}

/**
 * nd_reset_stop() - the device goes: end what runs, take nothing more, let waiters leave
 * @nd: device
 */
void nd_reset_stop(struct nd_device *nd)
{
	struct nd_resets *r = &nd->resets;

	spin_lock(&r->lock);
	WRITE_ONCE(r->stopped, true);
	spin_unlock(&r->lock);
	wake_up_all(&r->wait);
	cancel_work_sync(&r->work);
}

/**
 * nd_reset_request() - ask for a reset
 * @nd: device
 * @map: cores, or ND_RESET_WHOLE_DEVICE
 * @id: out, for nd_reset_wait(); may be NULL
 *
 * Return: 0; -EINVAL for no core or one that is not there; -EOPNOTSUPP without hardware; -EBUSY
 * when too many are waiting; -ENODEV when the device goes.
 */
int nd_reset_request(struct nd_device *nd, u32 map, u32 *id)
{
	struct nd_resets *r = &nd->resets;
	struct nd_reset_request *request;
	int ret = 0;
	u32 nc;

	if (!nd->hw)
		return -EOPNOTSUPP;
	if (map != ND_RESET_WHOLE_DEVICE && (!map || map >= BIT(nd->arch->nc_count)))
		return -EINVAL;

	spin_lock(&r->lock);
	if (r->stopped) {
		ret = -ENODEV;
	} else if (r->next_id - r->run_id >= ND_RESETS_KEPT / 2) {
		ret = -EBUSY;
	} else {
		request = nd_reset_slot(r, r->next_id);
		request->id = r->next_id++;
		request->map = map;
		request->done = false;
		request->result = 0;
		for (nc = 0; nc < nd->arch->nc_count; nc++)
			if (map & BIT(nc))
				r->requested[nc]++;
		if (id)
			*id = request->id;
		/* Whoever opens from now on waits, also before the worker has begun. */
		nd_device_set_state(nd, ND_STATE_RESET);
	}
	spin_unlock(&r->lock);
	if (!ret) {
		nd_sysfs_resets_changed(nd, map, false);
		queue_work(system_unbound_wq, &r->work);
	}
	return ret;
}

static bool nd_reset_ended(struct nd_resets *r, u32 id, int *ret, int *result)
{
	struct nd_reset_request *request = nd_reset_slot(r, id);
	bool ended = true;

	spin_lock(&r->lock);
	*ret = 0;
	if (!id || request->id != id)
		*ret = -EINVAL;
	else if (request->done)
		*result = request->result;
	else if (r->stopped)
		*ret = -ENODEV;
	else
		ended = false;
	spin_unlock(&r->lock);
	return ended;
}

/**
 * nd_reset_wait() - wait for a reset
 * @nd: device
 * @id: from nd_reset_request()
 * @result: out: 0, or why it failed
 *
 * Return: 0; -EINVAL for an id that was never handed out or is long over; -ERESTARTSYS; -ENODEV.
 */
int nd_reset_wait(struct nd_device *nd, u32 id, int *result)
{
	int ret;

	if (wait_event_interruptible(nd->resets.wait,
				     nd_reset_ended(&nd->resets, id, &ret, result)))
		return -ERESTARTSYS;
	return ret;
}
