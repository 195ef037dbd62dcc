// SPDX-License-Identifier: GPL-2.0-only
/*
 * FW-IO: registers, mailbox memory, waiting.
 *
 * The mailbox is owned through fwio.use: whoever begins an exchange or a reset has it until that
 * ends, and the mutex is held for single steps only. So a reset can interrupt an exchange, and
 * whoever finds the mailbox taken can tell why and leave.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "device.h"
#include "fwio.h"
#include "params.h"

/* A sleep between two looks at the mailbox, so that an interrupt is noticed soon. */
#define ND_FWIO_NAP_MAX_NS	(10ULL * NSEC_PER_MSEC)
#define ND_FWIO_NAP_MIN_NS	(50ULL * NSEC_PER_USEC)

static u32 nd_port_read32(void *ctx, u32 offset)
{
	struct nd_device *nd = ctx;

	return nd->hw->read32(nd, offset);
}

static void nd_port_write32(void *ctx, u32 offset, u32 value)
{
	struct nd_device *nd = ctx;

	nd->hw->write32(nd, offset, value);
}

/* Bytes of mailbox memory. */
static s64 nd_fwio_held(const struct nd_fwio *f)
{
	const s64 size = PAGE_ALIGN(FWIO_SLOTS * FWIO_SLOT_SIZE);

	return (f->port.request ? size : 0) + (f->port.response ? size : 0);
}

/**
 * nd_fwio_init() - make the mailbox of a new device
 * @nd: device, provider set
 *
 * Return: 0 or -ENOMEM; nd_fwio_exit() undoes either.
 */
int nd_fwio_init(struct nd_device *nd)
{
	const size_t size = FWIO_SLOTS * FWIO_SLOT_SIZE;
	struct nd_fwio *f = &nd->fwio;

	mutex_init(&f->lock);
	mutex_init(&f->feature_lock);
	init_waitqueue_head(&f->idle);
	fwio_init(&f->core);
	if (!nd->hw)
		return 0;
	f->port.ctx = nd;
	f->port.read32 = nd_port_read32;
	f->port.write32 = nd_port_write32;
	f->port.request = nd->hw->alloc(nd, size, &f->port.request_addr);
	f->port.response = nd->hw->alloc(nd, size, &f->port.response_addr);
	nd_mem_add(nd, ND_MEM_NCDEV_HOST, 0, nd_fwio_held(f));
	return f->port.request && f->port.response ? 0 : -ENOMEM;
}

/**
 * nd_fwio_exit() - give the mailbox's memory back; harmless on one that was never made
 * @nd: device, no call inside
 */
void nd_fwio_exit(struct nd_device *nd)
{
	const size_t size = FWIO_SLOTS * FWIO_SLOT_SIZE;
	struct fwio_port *port = &nd->fwio.port;

	nd_mem_add(nd, ND_MEM_NCDEV_HOST, 0, -nd_fwio_held(&nd->fwio));
	if (port->request)
		nd->hw->free(nd, port->request, size, port->request_addr);
	if (port->response)
		nd->hw->free(nd, port->response, size, port->response_addr);
	port->request = NULL;
	port->response = NULL;
}

/**
 * nd_fwio_interrupt() - make exchanges end early and none begin, or allow them again
 * @nd: device
 * @on: which
 */
void nd_fwio_interrupt(struct nd_device *nd, bool on)
{
	mutex_lock(&nd->fwio.lock);
	WRITE_ONCE(nd->fwio.interrupt, on);
	mutex_unlock(&nd->fwio.lock);
	wake_up_all(&nd->fwio.idle);
}

/**
 * nd_has_firmware() - is there a mailbox at all
 * @nd: device
 *
 * Return: false for a companion device.
 */
bool nd_has_firmware(const struct nd_device *nd)
{
	return nd->hw;
}

/**
 * nd_reg_read() - load a MiscRAM register
 * @nd: device
 * @offset: ND_MISCRAM_*
 * @value: out, only on success
 *
 * Return: 0; -EOPNOTSUPP without hardware; -EAGAIN when the firmware is busy or the register is not
 * populated; -EIO when the link is down.
 */
int nd_reg_read(struct nd_device *nd, u32 offset, u32 *value)
{
	u32 v;

	if (!nd->hw)
		return -EOPNOTSUPP;
	v = nd->hw->read32(nd, offset);
	if (v == ND_MISCRAM_BUSY)
		return -EAGAIN;
	if (v == ND_MISCRAM_GONE)
		return -EIO;
	*value = v;
	return 0;
}

/**
 * nd_reg_read_pair() - load two registers that hold one 64-bit number
 * @nd: device
 * @hi: register of the upper half
 * @lo: register of the lower half
 * @value: out, only on success
 *
 * Return: as nd_reg_read(); -EAGAIN also when the upper half changed meanwhile.
 */
int nd_reg_read_pair(struct nd_device *nd, u32 hi, u32 lo, u64 *value)
{
	u32 upper, lower, again;
	int ret = nd_reg_read(nd, hi, &upper);

	if (!ret)
		ret = nd_reg_read(nd, lo, &lower);
	if (!ret)
		ret = nd_reg_read(nd, hi, &again);
	if (ret)
		return ret;
	if (upper != again)
		return -EAGAIN;
	*value = (u64)upper << 32 | lower;
	return 0;
}

/**
 * nd_fw_api_version() - what the firmware speaks
 * @nd: device
 * @version: out, only on success
 *
 * Read once after each reset.
 *
 * Return: as nd_reg_read(); -EAGAIN while a reset runs.
 */
int nd_fw_api_version(struct nd_device *nd, u32 *version)
{
	struct nd_fwio *f = &nd->fwio;
	int ret = 0;

	mutex_lock(&f->lock);
	if (f->core.use == FWIO_RESET)
		ret = -EAGAIN;
	else if (!f->api)
		ret = nd_reg_read(nd, ND_MISCRAM_API_VERSION, &f->api);
	*version = f->api;
	mutex_unlock(&f->lock);
	return ret;
}

/* Longest a call may take, as far as that is up to whoever runs the machine. */
static u64 nd_fwio_patience(void)
{
	u64 ms = READ_ONCE(nd_fwio_timeout_ms);

	return ms ? ms * NSEC_PER_MSEC : U64_MAX;
}

/* Begins an exchange as soon as the mailbox is free. */
static int nd_fwio_claim(struct nd_device *nd, struct fwio_call *call, enum nd_fwio_cmd cmd,
			 const void *payload, u32 size, void *reply, u32 reply_max)
{
	struct nd_fwio *f = &nd->fwio;
	int ret;

	do {
		mutex_lock(&f->lock);
		if (f->interrupt || f->core.use == FWIO_RESET) {
			ret = -EAGAIN;
		} else {
			fwio_scale_limits(&f->core, nd_fwio_patience());
			ret = fwio_begin(&f->core, call, cmd, payload, size, reply, reply_max,
					 ktime_get_ns());
		}
		mutex_unlock(&f->lock);
		if (ret == -EBUSY &&
		    wait_event_killable(f->idle, READ_ONCE(f->core.use) != FWIO_EXCHANGE ||
					READ_ONCE(f->interrupt)))
			return -EINTR;
	} while (ret == -EBUSY);
	return ret;
}

static void nd_fwio_nap(u64 until_ns)
{
	u64 now = ktime_get_ns();
	u64 nap = until_ns > now ? until_ns - now : 0;

	nap = clamp_t(u64, nap, ND_FWIO_NAP_MIN_NS, ND_FWIO_NAP_MAX_NS);
	usleep_range(nap / NSEC_PER_USEC, nap / NSEC_PER_USEC * 5 / 4);
}

/* One call, from claim to end. The caller holds nothing. */
static int nd_fwio_call(struct nd_device *nd, struct fwio_call *call, enum nd_fwio_cmd cmd,
			const void *payload, u32 size, void *reply, u32 reply_max)
{
	struct nd_fwio *f = &nd->fwio;
	bool done;
	u64 next;
	int ret;

	memset(call, 0, sizeof(*call));
	if (!nd->hw)
		return -EOPNOTSUPP;
	ret = nd_fwio_claim(nd, call, cmd, payload, size, reply, reply_max);
	if (ret)
		return ret;
	for (;;) {
		mutex_lock(&f->lock);
		if (f->interrupt || fatal_signal_pending(current)) {
			fwio_abort(&f->core, call);
			done = true;
		} else {
			done = fwio_step(&f->core, call, &f->port, ktime_get_ns(), &next);
		}
		mutex_unlock(&f->lock);
		if (done)
			break;
		nd_fwio_nap(next);
	}
	wake_up_all(&f->idle);
	if (call->result == -EREMOTEIO || call->result == -EOPNOTSUPP)
		nd_metrics_fw_error(nd);
	return call->result;
}

/**
 * nd_fwio_post() - hand CloudWatch records to the firmware
 * @nd: device
 * @data: records
 * @size: bytes, at most ND_FWIO_DATA_MAX
 *
 * Return: 0 when the firmware took them; -E2BIG; -EAGAIN while a reset runs; -EREMOTEIO when it
 * refused; -ETIMEDOUT, -EBADMSG, -ECANCELED when that is not known; -EOPNOTSUPP without firmware.
 * How many doorbells had no valid reply stands beside it.
 */
struct nd_fwio_outcome nd_fwio_post(struct nd_device *nd, const u8 *data, u32 size)
{
	struct nd_fwio_outcome outcome;
	struct fwio_call call;

	outcome.result = nd_fwio_call(nd, &call, ND_FWIO_POST_TO_CW, data, size, NULL, 0);
	outcome.unknown = call.unknown;
	return outcome;
}

/**
 * nd_fwio_read() - let the firmware read words of the device
 * @nd: device
 * @addr: device addresses
 * @value: out, @n words, only on success
 * @n: how many, at most FWIO_READ_MAX
 *
 * Return: 0; -E2BIG; -EBADMSG when the reply is short; else as nd_fwio_post().
 */
int nd_fwio_read(struct nd_device *nd, const u64 *addr, u32 *value, u32 n)
{
	struct fwio_call call;
	u32 *reply;
	int ret;

	if (n > FWIO_READ_MAX)
		return -E2BIG;
	reply = kcalloc(n, sizeof(*reply), GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	ret = nd_fwio_call(nd, &call, ND_FWIO_READ, addr, n * sizeof(*addr), reply,
			   n * sizeof(*reply));
	if (!ret && call.reply_len != n * sizeof(*reply))
		ret = -EBADMSG;
	if (!ret)
		memcpy(value, reply, n * sizeof(*reply));
	kfree(reply);
	return ret;
}

/**
 * nd_fwio_set_profile() - choose a performance profile
 * @nd: device
 * @profile: number
 *
 * Return: 0 when the firmware confirmed it, and then it is announced with the next post; else as
 * nd_fwio_post().
 */
int nd_fwio_set_profile(struct nd_device *nd, u8 profile)
{
	const struct nd_fwio_set_profile request = { .profile = profile };
	struct fwio_call call;
	int ret;

	ret = nd_fwio_call(nd, &call, ND_FWIO_SET_POWER_PROFILE, &request, sizeof(request), NULL,
			   0);
	if (!ret)
		nd_metrics_set_profile(nd, profile);
	return ret;
}

/**
 * nd_fwio_get_profile() - ask which performance profile is in force
 * @nd: device
 * @profile: out, only on success
 *
 * Return: 0; -EBADMSG when the reply is short; else as nd_fwio_post().
 */
int nd_fwio_get_profile(struct nd_device *nd, u8 *profile)
{
	const u8 request = ND_FWIO_DATA_PROFILE;
	struct nd_fwio_profile reply;
	struct fwio_call call;
	int ret;

	ret = nd_fwio_call(nd, &call, ND_FWIO_GET_DATA, &request, sizeof(request), &reply,
			   sizeof(reply));
	if (!ret && call.reply_len < sizeof(reply))
		ret = -EBADMSG;
	if (!ret)
		*profile = reply.profile;
	return ret;
}

/**
 * nd_fwio_get_profiles() - ask which performance profiles there are
 * @nd: device
 * @feature: ND_FWIO_PROFILES_*: all, or those with a feature
 * @profiles: out, only on success
 *
 * Return: 0; -EBADMSG when the reply is short; else as nd_fwio_post().
 */
int nd_fwio_get_profiles(struct nd_device *nd, u16 feature, struct nd_fwio_profiles *profiles)
{
	const u8 request[3] = { ND_FWIO_DATA_PROFILES, feature & 0xFF, feature >> 8 };
	struct nd_fwio_profiles reply;
	struct fwio_call call;
	int ret;

	ret = nd_fwio_call(nd, &call, ND_FWIO_GET_DATA, request, sizeof(request), &reply,
			   sizeof(reply));
	if (!ret && call.reply_len < sizeof(reply))
		ret = -EBADMSG;
	if (!ret)
		*profiles = reply;
	return ret;
}

/**
 * nd_fwio_set_feature() - switch features of the firmware, leaving the others alone
 * @nd: device
 * @mask: features to change, ND_FWIO_FEATURE_*
 * @value: what they become
 *
 * The command itself is absolute, so what was set last is remembered.
 *
 * Return: as nd_fwio_post().
 */
int nd_fwio_set_feature(struct nd_device *nd, u8 mask, u8 value)
{
	struct nd_fwio *f = &nd->fwio;
	struct fwio_call call;
	u8 request;
	int ret;

	/* Two callers at once must not undo each other's bits. */
	ret = mutex_lock_killable(&f->feature_lock);
	if (ret)
		return ret;
	request = (f->features & ~mask) | (value & mask);
	ret = nd_fwio_call(nd, &call, ND_FWIO_SET_FEATURE, &request, sizeof(request), NULL, 0);
	if (!ret)
		f->features = request;
	mutex_unlock(&f->feature_lock);
	return ret;
}

/**
 * nd_fwio_stats() - tallies of the mailbox
 * @nd: device
 * @stats: out
 */
void nd_fwio_stats(struct nd_device *nd, struct fwio_stats *stats)
{
	mutex_lock(&nd->fwio.lock);
	*stats = nd->fwio.core.stats;
	mutex_unlock(&nd->fwio.lock);
}

/*
 * Blocks of cores. V3 and later: core i has bit i of the cores, of the SDMA groups and of the
 * TOP_SP groups. V2: core i has bit i, and three TOP_SP bits from 8 + 3 * i.
 */
static u32 nd_reset_map_lo(const struct nd_device *nd, u32 map)
{
	u32 lo = 0;
	u32 i;

	for (i = 0; i < nd->arch->nc_count; i++) {
		if (!(map & BIT(i)))
			continue;
		lo |= BIT(i);
		if (nd->arch->arch == ND_ARCH_V2)
			lo |= 7U << (8 + 3 * i);
		else
			lo |= BIT(i + 8) | BIT(i + 16);
	}
	return lo;
}

static void nd_reset_limits(const struct nd_device *nd, struct fwio_reset_limits *limits,
			    bool whole_device)
{
	u32 timeout_ms = READ_ONCE(nd_reset_timeout_ms);

	limits->retry_ns = (whole_device ? 30 : 10) * (u64)NSEC_PER_SEC;
	limits->accept_ns = nd->arch->reset_accept_ms * (u64)NSEC_PER_MSEC;
	limits->complete_ns = 30 * (u64)NSEC_PER_SEC;
	if (timeout_ms) {
		limits->accept_ns = timeout_ms * (u64)NSEC_PER_MSEC;
		limits->complete_ns = limits->accept_ns;
		limits->retry_ns = min(limits->retry_ns, limits->accept_ns / 4);
	}
}

static int nd_fwio_reset_claim(struct nd_device *nd, struct fwio_reset *r, u32 map)
{
	bool whole_device = map == ND_RESET_WHOLE_DEVICE;
	struct fwio_reset_limits limits;
	struct nd_fwio *f = &nd->fwio;
	int ret;

	nd_reset_limits(nd, &limits, whole_device);
	nd_fwio_interrupt(nd, true);
	do {
		wait_event(f->idle, READ_ONCE(f->core.use) == FWIO_IDLE);
		mutex_lock(&f->lock);
		ret = fwio_reset_begin(&f->core, r, whole_device ? ND_RESET_DEVICE : ND_RESET_TPB,
				       0, whole_device ? 0 : nd_reset_map_lo(nd, map), &limits,
				       ktime_get_ns());
		if (ret != -EBUSY) {
			WRITE_ONCE(f->interrupt, false);
			f->api = 0;
		}
		mutex_unlock(&f->lock);
	} while (ret == -EBUSY);
	return ret;
}

/**
 * nd_fwio_reset() - the reset handshake, from interrupting who uses the mailbox to completion
 * @nd: device with hardware
 * @map: cores, or ND_RESET_WHOLE_DEVICE
 * @accept_ms: out: time until the firmware accepted, when it did
 * @stop: becomes true when the device goes
 *
 * Return: 0; -ETIMEDOUT; -ECANCELED when stopped.
 */
int nd_fwio_reset(struct nd_device *nd, u32 map, u64 *accept_ms, const bool *stop)
{
	struct nd_fwio *f = &nd->fwio;
	struct fwio_reset r;
	bool done;
	u64 next;
	int ret;

	ret = nd_fwio_reset_claim(nd, &r, map);
	if (ret)
		return ret;
	for (;;) {
		mutex_lock(&f->lock);
		if (READ_ONCE(*stop)) {
			fwio_reset_abort(&f->core, &r);
			done = true;
		} else {
			done = fwio_reset_step(&f->core, &r, &f->port, ktime_get_ns(), &next);
		}
		mutex_unlock(&f->lock);
		if (done)
			break;
		nd_fwio_nap(next);
	}
	wake_up_all(&f->idle);
	*accept_ms = r.accepted ? r.accept_ms : 0;
	return r.result;
}
