// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The reset handshake: what to reset and the doorbell, repeated until the firmware has zeroed
 * RESET, then waiting until FW_STATUS says that it is done. Meanwhile registers may read busy or as
 * if the link were down; neither means anything.
 */
#include "fwio.h"

#define MS		(1000ULL * 1000)
#define POLL_MIN_NS	MS
#define POLL_MAX_NS	(10 * MS)

enum phase {
	PHASE_RING,
	PHASE_ACCEPT,
	PHASE_COMPLETE,
	PHASE_DONE,
};

static bool is_answer(u32 value)
{
	return value != ND_MISCRAM_BUSY && value != ND_MISCRAM_GONE;
}

static void ring(struct fwio_reset *r, const struct fwio_port *port, u64 now)
{
	if (r->type == ND_RESET_TPB) {
		port->write32(port->ctx, ND_MISCRAM_RESET_MAP_LO, r->map_lo);
		port->write32(port->ctx, ND_MISCRAM_RESET_MAP_HI, r->map_hi);
	}
	port->write32(port->ctx, ND_MISCRAM_RESET, r->type);
	nd_dma_wmb();
	port->write32(port->ctx, ND_MISCRAM_TRIGGER, 1);
	r->rung_ns = now;
}

static void end(struct fwio *f, struct fwio_reset *r, int result)
{
	/* The doorbell of a reset that failed may still be pending. */
	f->dirty = result != 0;
	r->result = result;
	r->phase = PHASE_DONE;
	f->use = FWIO_IDLE;
}

static void start_wait(struct fwio_reset *r, enum phase phase, u64 deadline)
{
	r->phase = phase;
	r->deadline = deadline;
	r->poll_ns = POLL_MIN_NS;
}

static void await_acceptance(struct fwio *f, struct fwio_reset *r, const struct fwio_port *port,
			     u64 now)
{
	u32 value = port->read32(port->ctx, ND_MISCRAM_RESET);

	if (is_answer(value) && value == ND_RESET_NONE) {
		r->accepted = true;
		r->accept_ms = div64_u64(now - r->start_ns, MS);
		start_wait(r, PHASE_COMPLETE, now + r->limits.complete_ns);
	} else if (now >= r->deadline) {
		end(f, r, -ETIMEDOUT);
	} else if (now - r->rung_ns >= r->limits.retry_ns) {
		ring(r, port, now);
	}
}

static void await_completion(struct fwio *f, struct fwio_reset *r, const struct fwio_port *port,
			     u64 now)
{
	u32 value = port->read32(port->ctx, ND_MISCRAM_FW_STATUS);

	if (is_answer(value) && !(value & ND_FW_STATUS_RESETTING)) {
		/*
		 * A firmware that started anew answers nothing of before. After a reset of cores it
		 * is still the same, and late answers still are to be expected.
		 */
		if (r->type == ND_RESET_DEVICE) {
			memset(f->abandoned, 0, sizeof(f->abandoned));
			memset(f->unanswered, 0, sizeof(f->unanswered));
		}
		end(f, r, 0);
	} else if (now >= r->deadline) {
		end(f, r, -ETIMEDOUT);
	}
}

/* Time of the next look: at the latest the deadline, or when the doorbell is to be rung again. */
static u64 next_poll(struct fwio_reset *r, u64 now)
{
	u64 next = now + r->poll_ns;

	r->poll_ns = 2 * r->poll_ns < POLL_MAX_NS ? 2 * r->poll_ns : POLL_MAX_NS;
	if (r->phase == PHASE_ACCEPT && next > r->rung_ns + r->limits.retry_ns &&
	    r->rung_ns + r->limits.retry_ns > now)
		next = r->rung_ns + r->limits.retry_ns;
	return next < r->deadline ? next : r->deadline;
}

/**
 * fwio_reset_begin() - begin a reset
 * @f: mailbox
 * @r: the reset; any content
 * @type: ND_RESET_DEVICE or ND_RESET_TPB
 * @map_hi: ND_RESET_TPB: blocks, upper word
 * @map_lo: lower word
 * @limits: how long it may take
 * @now_ns: monotonic
 *
 * It does not wait for an exchange that was never answered: a firmware that hangs is what resets
 * are for.
 *
 * Return: 0; -EBUSY when an exchange or a reset has the mailbox; -EINVAL for an unknown type.
 */
int fwio_reset_begin(struct fwio *f, struct fwio_reset *r, enum nd_reset_type type, u32 map_hi,
		     u32 map_lo, const struct fwio_reset_limits *limits, u64 now_ns)
{
	int error = 0;

	if (type != ND_RESET_DEVICE && type != ND_RESET_TPB)
		error = -EINVAL;
	else if (f->use != FWIO_IDLE)
		error = -EBUSY;
	memset(r, 0, sizeof(*r));
	r->phase = PHASE_DONE;
	r->result = error;
	if (error)
		return error;

	f->use = FWIO_RESET;
	f->stats.resets++;
	r->result = -ETIMEDOUT;
	r->type = type;
	r->map_hi = map_hi;
	r->map_lo = map_lo;
	r->limits = *limits;
	r->start_ns = now_ns;
	r->phase = PHASE_RING;
	return 0;
}

/**
 * fwio_reset_step() - do what can be done now
 * @f: mailbox
 * @r: the reset
 * @port: registers
 * @now_ns: monotonic, taken before this call
 * @next_ns: when the next step is due; only set when there is one
 *
 * Return: true when the reset is done and the mailbox is free again, false to be called again.
 */
bool fwio_reset_step(struct fwio *f, struct fwio_reset *r, const struct fwio_port *port, u64 now_ns,
		     u64 *next_ns)
{
	switch (r->phase) {
	case PHASE_RING:
		ring(r, port, now_ns);
		r->start_ns = now_ns;
		start_wait(r, PHASE_ACCEPT, now_ns + r->limits.accept_ns);
		break;
	case PHASE_ACCEPT:
		await_acceptance(f, r, port, now_ns);
		/* Often it is complete as soon as it is accepted. */
		if (r->phase == PHASE_COMPLETE)
			await_completion(f, r, port, now_ns);
		break;
	case PHASE_COMPLETE:
		await_completion(f, r, port, now_ns);
		break;
	default:
		break;
	}
	if (r->phase == PHASE_DONE)
		return true;
	*next_ns = next_poll(r, now_ns);
	return false;
}

/**
 * fwio_reset_abort() - give a reset up
 * @f: mailbox
 * @r: the reset; nothing happens when it is done
 *
 * No register is touched; the firmware may reset all the same.
 */
void fwio_reset_abort(struct fwio *f, struct fwio_reset *r)
{
	if (r->phase == PHASE_DONE)
		return;
	end(f, r, -ECANCELED);
}
