// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The reference's arithmetic. Where it looks wrong it is meant to be: each such place names its
 * defect.
 */
#include "nmetric_ref.h"
#include "nmetric_words.h"

/* One tick at work. */
struct ref_tick {
	struct nmetric_ref *r;
	const struct nmetric *m;
	const struct nmetric_ref_inputs *in;
	u64 now_ns;
	struct nmetric_post *post;
	u64 curr[NMETRIC_REF_COUNTERS];
	u64 constant[NMETRIC_CONST_U64S];
	u64 bits;
};

/* Row the reference takes for FW_IO_ERR (K1): a COUNTER, whose index is 11. */
#define STALE_FW_IO_ERR_ROW	17

static bool is_sum(const struct nmetric_def *def)
{
	return def->type == NMETRIC_COUNTER || def->type == NMETRIC_UTILIZATION;
}

/* Sum of one counter over the enabled cores of a slab. */
static u64 slab_sum(const struct nmetric *m, const struct nmetric_slab *slab, u8 ctr)
{
	u64 sum = 0;
	u32 nc;

	for (nc = 0; nc < m->nc_count; nc++) {
		if (m->nc_map & (1U << nc))
			sum += READ_ONCE(slab->words[nds_nc_word(nc, ctr)]);
	}
	return sum;
}

static void add_version(struct nmetric_ref *r, const struct nmetric_def *def,
			const struct nmetric_slab *slab)
{
	u64 word = nmetric_nd_value(slab, def->ds_id);

	if (word)
		nmetric_history_add(&r->history[def->index], word, 1);
}

/**
 * nmetric_ref_init() - start with all zeros
 * @r: state of one device
 */
void nmetric_ref_init(struct nmetric_ref *r)
{
	memset(r, 0, sizeof(*r));
}

/**
 * nmetric_ref_slab_gone() - capture a slab whose owner died
 * @r: state of one device
 * @m: engine of the same device, for its core map
 * @slab: slab; it is read as it is now, nothing is remembered between looks
 */
void nmetric_ref_slab_gone(struct nmetric_ref *r, const struct nmetric *m,
			   const struct nmetric_slab *slab)
{
	unsigned int row;

	for (row = 0; row < NMETRIC_ROWS; row++) {
		const struct nmetric_def *def = &nmetric_defs[row];

		if (is_sum(def))
			r->freed[def->index] += slab_sum(m, slab, def->ds_id);
		else if (def->type == NMETRIC_VERSION)
			add_version(r, def, slab);
		else if (def->type == NMETRIC_BITMAP && def->ds_id == NDS_ND_COUNTER_FEATURE_BITMAP)
			r->freed_bits |= nmetric_nd_value(slab, def->ds_id);
		else if (def->type == NMETRIC_CONST_U64)	/* K18: also when it is 0 */
			r->freed_const[def->index] = nmetric_nd_value(slab, def->ds_id);
	}
}

static void aggregate(struct ref_tick *t, const struct nmetric_def *def,
		      const struct nmetric_slab *slab)
{
	if (is_sum(def))
		t->curr[def->index] += slab_sum(t->m, slab, def->ds_id);
	else if (def->type == NMETRIC_VERSION)
		add_version(t->r, def, slab);
	else if (def->type == NMETRIC_BITMAP && def->ds_id == NDS_ND_COUNTER_FEATURE_BITMAP)
		t->bits |= nmetric_nd_value(slab, def->ds_id);
	else if (def->type == NMETRIC_CONST_U64)	/* K18: the last slab wins, also with 0 */
		t->constant[def->index] = nmetric_nd_value(slab, def->ds_id);
}

static void put_counter(struct ref_tick *t, const struct nmetric_def *def)
{
	u64 sum = t->curr[def->index] + t->r->freed[def->index];

	if (sum > t->r->prev[def->index])
		nmetric_put_u64(t->post, def->cw_id, sum - t->r->prev[def->index]);
}

/* K10: may wrap, divides by all cores, is not clamped and starts its first window at 0. */
static void put_utilization(struct ref_tick *t, const struct nmetric_def *def)
{
	u64 sum = t->curr[def->index] + t->r->freed[def->index] - t->r->prev[def->index];
	u64 elapsed = t->now_ns - t->r->last_ns;

	if (!elapsed || !t->m->nc_count)
		return;
	sum = div64_u64(div64_u64(sum, 1000), t->m->nc_count) * 100;
	nmetric_put_u64(t->post, def->cw_id, div64_u64(sum, elapsed));
}

static void put_versions(struct ref_tick *t, const struct nmetric_def *def)
{
	struct nmetric_history *h = &t->r->history[def->index];
	bool with_type = def->flags & NMETRIC_F_VERSION_TYPE;
	u8 id = def->cw_id;
	unsigned int i;

	for (i = 0; i < def->count; i++) {
		int top = nmetric_history_top(h);
		u32 type;
		u64 version;

		if (top < 0)
			return;
		type = NDS_VERSION_RESERVED(h->word[top]) % 10;
		version = h->word[top] << 16 >> 16;
		if (version)
			nmetric_put_version(t->post, id, version, true);
		if (with_type && type)
			nmetric_put_u64(t->post, id + 1, type);
		h->usage[top] = 0;
		id += with_type ? 2 : 1;
	}
}

static void put_const_u64(struct ref_tick *t, const struct nmetric_def *def)
{
	u64 value = t->constant[def->index];

	if (!value)
		value = t->r->freed_const[def->index];
	if (!value)
		return;
	if (def->cw_id == NMETRIC_CW_ID_AGG_NEFF_ID)
		nmetric_put_hex(t->post, def->cw_id, value);
	else
		nmetric_put_u64(t->post, def->cw_id, value);
}

/* K4: longest and failures are never read and always 0. */
static void put_reset(struct ref_tick *t, const struct nmetric_def *def)
{
	const struct nmetric_reset_acc *acc = &t->in->reset[def->index & 1];
	u64 value = 0;

	if (def->index >> 1 == 1 && acc->count)
		value = div64_u64(acc->total_ms, acc->count);
	nmetric_put_u64(t->post, def->cw_id, value);
}

static void put_userver(struct ref_tick *t, const struct nmetric_def *def)
{
	const struct nmetric_userver *userver = t->in->userver;
	u32 value = 0;
	u32 i;

	if (!userver)
		return;
	if (def->cw_id == NMETRIC_CW_ID_ULTRASERVER_MODE) {
		value = userver->mode;
	} else {
		for (i = 4; i >= 1; i--) {
			if (userver->modes_supported & (1U << i))
				value = i;
		}
	}
	nmetric_put_u64(t->post, def->cw_id, value);
}

/* K17: starts at 0, and any lower reading becomes the base. */
static void put_ecc(struct ref_tick *t, const struct nmetric_def *def)
{
	u32 *prev = &t->r->ecc_prev[def->index];
	u32 tally = t->in->ecc[def->index];

	nmetric_put_u64(t->post, def->cw_id, *prev <= tally ? tally - *prev : 0);
	*prev = tally;
}

static void put_row(struct ref_tick *t, const struct nmetric_def *def)
{
	switch (def->type) {
	case NMETRIC_CONSTANT:
		nmetric_put(t->post, def->cw_id, t->m->constant[def->index],
			    strlen(t->m->constant[def->index]));
		break;
	case NMETRIC_VERSION:
		put_versions(t, def);
		break;
	case NMETRIC_COUNTER:
	case NMETRIC_FW_IO_ERR:
		put_counter(t, def);
		break;
	case NMETRIC_BITMAP:	/* K9: both rows, the second under id 0 */
		if (t->bits | t->r->freed_bits)
			nmetric_put_u64(t->post, def->cw_id, t->bits | t->r->freed_bits);
		break;
	case NMETRIC_CONST_U64:
		put_const_u64(t, def);
		break;
	case NMETRIC_DRIVER_RESET:
		put_reset(t, def);
		break;
	case NMETRIC_USERVER:
		put_userver(t, def);
		break;
	case NMETRIC_UTILIZATION:
		put_utilization(t, def);
		break;
	case NMETRIC_ECC:
		put_ecc(t, def);
		break;
	}
}

/* K7: a row of the tick starts afresh whether or not its record fitted. FW_IO_ERR does not (K1). */
static void consume(struct ref_tick *t, const struct nmetric_def *def)
{
	if (is_sum(def) || def->type == NMETRIC_FW_IO_ERR)
		t->r->freed[def->index] = 0;
	if (is_sum(def))
		t->r->prev[def->index] = t->curr[def->index];
	else if (def->type == NMETRIC_VERSION)
		memset(&t->r->history[def->index], 0, sizeof(t->r->history[def->index]));
	else if (def->type == NMETRIC_CONST_U64)
		t->r->freed_const[def->index] = 0;
}

/**
 * nmetric_ref_tick() - one tick as the reference makes it
 * @r: state of one device; consumed whatever becomes of the post (K7)
 * @m: engine of the same device, for its cores and constants
 * @tick: NMETRIC_TICK_0 or NMETRIC_TICK_1
 * @now_ns: monotonic
 * @live: slabs of living owners, in slot order
 * @nlive: how many
 * @in: device-side values
 * @post: filled; never more than NMETRIC_POST_MAX bytes
 *
 * May be called twice in a row, as the flush after a pause does; the utilisation window moves only
 * with nmetric_ref_ticks_done().
 *
 * Return: bytes of the post, 0 when there is nothing to post.
 */
u32 nmetric_ref_tick(struct nmetric_ref *r, const struct nmetric *m, u8 tick, u64 now_ns,
		     struct nmetric_slab *const *live, unsigned int nlive,
		     const struct nmetric_ref_inputs *in, struct nmetric_post *post)
{
	struct ref_tick t = { .r = r, .m = m, .in = in, .now_ns = now_ns, .post = post };
	const struct nmetric_def *stale = &nmetric_defs[STALE_FW_IO_ERR_ROW];
	unsigned int row;
	unsigned int i;

	post->used = 0;
	for (row = 0; row < NMETRIC_ROWS; row++) {
		for (i = 0; i < nlive && nmetric_gated(&nmetric_defs[row], tick); i++)
			aggregate(&t, &nmetric_defs[row], live[i]);
	}
	if (nmetric_gated(stale, tick))
		t.curr[stale->index] = in->fwio_errors;
	for (row = 0; row < NMETRIC_ROWS; row++) {
		if (nmetric_gated(&nmetric_defs[row], tick))
			put_row(&t, &nmetric_defs[row]);
	}
	for (row = 0; row < NMETRIC_ROWS; row++) {
		if (nmetric_gated(&nmetric_defs[row], tick))
			consume(&t, &nmetric_defs[row]);
	}
	r->freed_bits = 0;	/* K8: also on a tick that does not post them */
	return post->used;
}

/**
 * nmetric_ref_ticks_done() - all posts of this wake were made
 * @r: state of one device
 * @now_ns: monotonic; the next utilisation window starts here
 */
void nmetric_ref_ticks_done(struct nmetric_ref *r, u64 now_ns)
{
	r->last_ns = now_ns;
}
