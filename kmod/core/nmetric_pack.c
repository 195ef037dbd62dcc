// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Posting: packing what is pending, and booking what became of the post.
 */
#include "nmetric_words.h"

/* What packing a row came to. */
enum pack_result {
	PACK_NOTHING,	/* the row has nothing to say */
	PACK_DONE,	/* all of it is in the post */
	PACK_NO_ROOM,	/* it must wait */
};

/* A post under construction and what it draws on. */
struct packer {
	struct nmetric *m;
	struct nmetric_sink_books *b;
	struct nmetric_slab *const *live;
	unsigned int nlive;
	u64 now_ns;
	struct nmetric_post *post;
};

static u64 percent(u64 picoseconds, u32 cores, u64 window_ns)
{
	/* (2^64 / 1000) * 100 fits into 64 bits */
	u64 value = div64_u64(div64_u64(div64_u64(picoseconds, 1000), cores) * 100, window_ns);

	return value < 100 ? value : 100;
}

static u32 cores_enabled(u32 map)
{
	u32 n = 0;

	for (; map; map &= map - 1)
		n++;
	return n;
}

static enum pack_result as_result(bool written)
{
	return written ? PACK_DONE : PACK_NO_ROOM;
}

/* Moves a row's amount into flight once its record is in the post. */
static enum pack_result pack_amount(struct packer *p, unsigned int row, u64 shown)
{
	if (!nmetric_put_u64(p->post, nmetric_defs[row].cw_id, shown))
		return PACK_NO_ROOM;
	p->b->inflight.amount[row] = p->b->pending.amount[row];
	p->b->pending.amount[row] = 0;
	return PACK_DONE;
}

static enum pack_result pack_constant(struct packer *p, const struct nmetric_def *def)
{
	const char *text = p->m->constant[def->index];

	if (!p->m->constant_known[def->index])
		return PACK_NOTHING;
	return as_result(nmetric_put(p->post, def->cw_id, text, strlen(text)));
}

static enum pack_result pack_counter(struct packer *p, unsigned int row)
{
	u64 amount = p->b->pending.amount[row];

	return amount ? pack_amount(p, row, amount) : PACK_NOTHING;
}

static enum pack_result pack_utilization(struct packer *p, unsigned int row)
{
	u32 cores = cores_enabled(p->m->nc_map);

	if (!cores || p->now_ns < p->b->window_ns + NMETRIC_WINDOW_MIN_NS)
		return PACK_NOTHING;
	return pack_amount(p, row, percent(p->b->pending.amount[row], cores,
					   p->now_ns - p->b->window_ns));
}

static enum pack_result pack_ecc(struct packer *p, unsigned int row)
{
	unsigned int i = nmetric_defs[row].index;
	u64 amount = p->b->pending.amount[row];
	enum pack_result result;

	/* zero is posted, but only when it was read */
	if (!amount && !p->b->pending.ecc_valid[i])
		return PACK_NOTHING;
	result = pack_amount(p, row, amount);
	if (result == PACK_DONE) {
		p->b->inflight.ecc_valid[i] = p->b->pending.ecc_valid[i];
		p->b->pending.ecc_valid[i] = false;
	}
	return result;
}

/* One version and its framework type: both or neither. */
static bool put_version(struct nmetric_post *post, u8 id, u64 word, bool with_type)
{
	u32 before = post->used;
	u32 type = NDS_VERSION_RESERVED(word) % 10;
	u64 version = word << 16 >> 16;

	if (version && !nmetric_put_version(post, id, version, false))
		return false;
	if (with_type && type && !nmetric_put_u64(post, id + 1, type)) {
		post->used = before;
		return false;
	}
	return true;
}

/*
 * When only the first of two versions fits it stays in the post, and the row comes first next time.
 */
static enum pack_result pack_version(struct packer *p, const struct nmetric_def *def)
{
	bool with_type = def->flags & NMETRIC_F_VERSION_TYPE;
	struct nmetric_history history = p->b->pending.dead[def->index];
	u32 before = p->post->used;
	u8 id = def->cw_id;
	unsigned int i;

	for (i = 0; i < p->nlive; i++) {
		u64 word = nmetric_nd_value(p->live[i], def->ds_id);

		if (word)
			nmetric_history_add(&history, word, 1);
	}
	for (i = 0; i < def->count; i++) {
		int top = nmetric_history_top(&history);

		if (top < 0)
			break;
		if (!put_version(p->post, id, history.word[top], with_type))
			return PACK_NO_ROOM;
		history.usage[top] = 0;
		id += with_type ? 2 : 1;
	}
	/* words without a version or type were counted, but have nothing to show */
	if (p->post->used > before)
		p->b->inflight.dead[def->index] = p->b->pending.dead[def->index];
	memset(&p->b->pending.dead[def->index], 0, sizeof(history));
	return p->post->used > before ? PACK_DONE : PACK_NOTHING;
}

static enum pack_result pack_bitmap(struct packer *p, const struct nmetric_def *def)
{
	u64 bits = p->b->pending.dead_bits;
	unsigned int i;

	for (i = 0; i < p->nlive; i++)
		bits |= nmetric_nd_value(p->live[i], def->ds_id);
	if (!bits)
		return PACK_NOTHING;
	if (!nmetric_put_u64(p->post, def->cw_id, bits))
		return PACK_NO_ROOM;
	p->b->inflight.dead_bits = p->b->pending.dead_bits;
	p->b->pending.dead_bits = 0;
	return PACK_DONE;
}

/* Value of the live slab that changed its word last; 0 when none has one. */
static u64 newest_constant(struct packer *p, unsigned int index)
{
	u64 value = 0;
	u64 stamp = 0;
	bool conflict = false;
	unsigned int i;

	for (i = 0; i < p->nlive; i++) {
		const struct nmetric_slab *slab = p->live[i];

		if (!slab->constant[index])
			continue;
		conflict |= value && value != slab->constant[index];
		if (slab->stamp[index] > stamp) {
			stamp = slab->stamp[index];
			value = slab->constant[index];
		}
	}
	if (conflict)
		p->m->const_conflicts++;
	return value;
}

static enum pack_result pack_const_u64(struct packer *p, const struct nmetric_def *def)
{
	u64 value = newest_constant(p, def->index);
	bool written;

	if (!value)
		value = p->b->pending.dead_const[def->index];
	if (!value)
		return PACK_NOTHING;
	written = def->cw_id == NMETRIC_CW_ID_AGG_NEFF_ID ?
		  nmetric_put_hex(p->post, def->cw_id, value) :
		  nmetric_put_u64(p->post, def->cw_id, value);
	if (!written)
		return PACK_NO_ROOM;
	p->b->inflight.dead_const[def->index] = p->b->pending.dead_const[def->index];
	p->b->inflight.dead_stamp[def->index] = p->b->pending.dead_stamp[def->index];
	p->b->pending.dead_const[def->index] = 0;
	p->b->pending.dead_stamp[def->index] = 0;
	return PACK_DONE;
}

/* Indexes 0, 2, 4 are of the device, 1, 3, 5 of its cores: longest, average, failures. */
static enum pack_result pack_reset(struct packer *p, unsigned int row)
{
	const struct nmetric_def *def = &nmetric_defs[row];
	struct nmetric_reset_acc *from = &p->b->pending.reset[def->index & 1];
	struct nmetric_reset_acc *to = &p->b->inflight.reset[def->index & 1];

	switch (def->index >> 1) {
	case 0:
		if (!from->max_ms)
			return PACK_NOTHING;
		if (!nmetric_put_u64(p->post, def->cw_id, from->max_ms))
			return PACK_NO_ROOM;
		to->max_ms = from->max_ms;
		from->max_ms = 0;
		return PACK_DONE;
	case 1:
		if (!from->count)
			return PACK_NOTHING;
		if (!nmetric_put_u64(p->post, def->cw_id, div64_u64(from->total_ms, from->count)))
			return PACK_NO_ROOM;
		to->total_ms = from->total_ms;
		to->count = from->count;
		from->total_ms = 0;
		from->count = 0;
		return PACK_DONE;
	default:
		return pack_counter(p, row);
	}
}

static enum pack_result pack_userver(struct packer *p, const struct nmetric_def *def)
{
	u32 value = 0;
	u32 i;

	if (!p->m->userver_known)
		return PACK_NOTHING;
	if (def->cw_id == NMETRIC_CW_ID_ULTRASERVER_MODE) {
		value = p->m->userver.mode;
	} else {
		for (i = 4; i >= 1; i--) {
			if (p->m->userver.modes_supported & (1U << i))
				value = i;
		}
	}
	return as_result(nmetric_put_u64(p->post, def->cw_id, value));
}

static enum pack_result pack_row(struct packer *p, unsigned int row)
{
	const struct nmetric_def *def = &nmetric_defs[row];

	if (def->cw_id == NMETRIC_CW_ID_UNUSED)
		return PACK_NOTHING;
	switch (def->type) {
	case NMETRIC_CONSTANT:
		return pack_constant(p, def);
	case NMETRIC_VERSION:
		return pack_version(p, def);
	case NMETRIC_COUNTER:
	case NMETRIC_FW_IO_ERR:
		return pack_counter(p, row);
	case NMETRIC_BITMAP:
		return pack_bitmap(p, def);
	case NMETRIC_CONST_U64:
		return pack_const_u64(p, def);
	case NMETRIC_DRIVER_RESET:
		return pack_reset(p, row);
	case NMETRIC_USERVER:
		return pack_userver(p, def);
	case NMETRIC_UTILIZATION:
		return pack_utilization(p, row);
	case NMETRIC_ECC:
		return pack_ecc(p, row);
	default:
		return PACK_NOTHING;
	}
}

static void pack(struct packer *p, unsigned int row)
{
	struct nmetric_sink_books *b = p->b;

	switch (pack_row(p, row)) {
	case PACK_DONE:
		b->packed |= BIT_ULL(row);
		break;
	case PACK_NO_ROOM:
		b->deferred++;
		if (b->age[row] < 0xFF)
			b->age[row]++;
		break;
	case PACK_NOTHING:
		b->age[row] = 0;
		break;
	}
}

/* Row of @rows that has waited longest, the first on a tie; -1 when none has waited. */
static int longest_waiting(const struct nmetric_sink_books *b, u64 rows)
{
	int found = -1;
	int row;

	for (row = 0; row < NMETRIC_ROWS; row++) {
		if (rows & BIT_ULL(row) && b->age[row] > (found < 0 ? 0 : b->age[found]))
			found = row;
	}
	return found;
}

/**
 * nmetric_begin() - look at all live slabs and pack a post
 * @m: engine
 * @sink: who gets the post
 * @tick: enum nmetric_tick
 * @now_ns: monotonic
 * @live: slabs of living owners, in slot order
 * @nlive: how many
 * @post: filled; never more than NMETRIC_POST_MAX bytes
 *
 * Rows that did not fit last time come first, the longest waiting ahead; then the rest in registry
 * order. The caller delivers the post and reports with nmetric_end() before it begins the next one
 * for the same sink.
 *
 * Return: bytes of the post; 0 when there is nothing to say or a post of this sink is still in
 * flight, and then there is nothing to end.
 */
u32 nmetric_begin(struct nmetric *m, enum nmetric_sink sink, u8 tick, u64 now_ns,
		  struct nmetric_slab *const *live, unsigned int nlive, struct nmetric_post *post)
{
	struct nmetric_sink_books *b = &m->sink[sink];
	struct packer p = {
		.m = m,
		.b = b,
		.live = live,
		.nlive = nlive,
		.now_ns = now_ns,
		.post = post,
	};
	u64 rows = 0;
	unsigned int i;
	int row;

	ND_ABI_ASSERT(sizeof(rows) * 8 >= NMETRIC_ROWS);

	post->used = 0;
	if (b->busy)
		return 0;
	nmetric_collect_all(m, live, nlive);
	for (i = 0; i < NMETRIC_ROWS; i++) {
		if (nmetric_gated(&nmetric_defs[i], tick))
			rows |= BIT_ULL(i);
	}
	b->packed = 0;
	b->begin_ns = now_ns;
	while ((row = longest_waiting(b, rows)) >= 0) {
		rows &= ~BIT_ULL(row);
		pack(&p, (unsigned int)row);
	}
	for (i = 0; i < NMETRIC_ROWS; i++) {
		if (rows & BIT_ULL(i))
			pack(&p, i);
	}
	if (post->used) {
		b->busy = true;
		b->posts++;
	}
	return post->used;
}

/**
 * nmetric_note_unknown() - a doorbell of the post in flight had no valid reply
 * @m: engine
 * @sink: whose post
 *
 * For a retry inside one delivery: the sink may have taken the post, yet it will be sent again.
 * nmetric_end() with NMETRIC_UNKNOWN already includes one such note for the last doorbell.
 */
void nmetric_note_unknown(struct nmetric *m, enum nmetric_sink sink)
{
	struct nmetric_sink_books *b = &m->sink[sink];
	unsigned int row;

	/* nothing is in flight when there is no post */
	for (row = 0; row < NMETRIC_ROWS; row++)
		b->unknown[row] += b->inflight.amount[row];
}

/* Amounts cannot overflow here, see credit() in nmetric_collect.c. */
static void merge_back(struct nmetric_acc *into, const struct nmetric_acc *from)
{
	unsigned int i;

	for (i = 0; i < NMETRIC_ROWS; i++)
		into->amount[i] += from->amount[i];
	for (i = 0; i < NMETRIC_VERSIONS; i++)
		nmetric_history_merge(&into->dead[i], &from->dead[i]);
	into->dead_bits |= from->dead_bits;
	for (i = 0; i < NMETRIC_CONST_U64S; i++) {
		if (from->dead_stamp[i] > into->dead_stamp[i]) {
			into->dead_const[i] = from->dead_const[i];
			into->dead_stamp[i] = from->dead_stamp[i];
		}
	}
	for (i = 0; i < ARRAY_SIZE(into->reset); i++) {
		if (from->reset[i].max_ms > into->reset[i].max_ms)
			into->reset[i].max_ms = from->reset[i].max_ms;
		into->reset[i].total_ms = nmetric_add_saturating(into->reset[i].total_ms,
								 from->reset[i].total_ms);
		into->reset[i].count = nmetric_add_saturating(into->reset[i].count,
							      from->reset[i].count);
		into->ecc_valid[i] |= from->ecc_valid[i];
	}
}

static void confirm(struct nmetric_sink_books *b)
{
	unsigned int row;

	for (row = 0; row < NMETRIC_ROWS; row++) {
		b->confirmed[row] += b->inflight.amount[row];
		if (!(b->packed & BIT_ULL(row)))
			continue;
		b->age[row] = 0;
		if (nmetric_defs[row].type == NMETRIC_UTILIZATION)
			b->window_ns = b->begin_ns;
	}
}

/**
 * nmetric_end() - book what became of the post in flight
 * @m: engine
 * @sink: whose post; nothing happens when it has none in flight
 * @result: enum nmetric_result
 *
 * Anything but NMETRIC_ACCEPTED returns the post to pending and leaves its rows their place in the
 * queue.
 */
void nmetric_end(struct nmetric *m, enum nmetric_sink sink, enum nmetric_result result)
{
	struct nmetric_sink_books *b = &m->sink[sink];

	if (!b->busy)
		return;
	if (result == NMETRIC_ACCEPTED) {
		confirm(b);
	} else {
		if (result == NMETRIC_UNKNOWN) {
			nmetric_note_unknown(m, sink);
			b->unknown_posts++;
		} else {
			b->refused++;
		}
		merge_back(&b->pending, &b->inflight);
	}
	memset(&b->inflight, 0, sizeof(b->inflight));
	b->packed = 0;
	b->busy = false;
}
