// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Gathering: what slabs, resets and ECC readings add to the books.
 */
#include "nmetric_words.h"

/* Cores are looked at in groups of four: the words of 0..3 lie in two bands, of 4..7 in one. */
#define GROUP		4
#define GROUP_ALL	0xFU
#define NDS_WIDE_STRIDE	96	/* words from core to core in the wide band */

/* Does a row have amounts that add up? Of the reset rows only the failures, indexes 4 and 5, do. */
static bool counts(unsigned int row)
{
	switch (nmetric_defs[row].type) {
	case NMETRIC_DRIVER_RESET:
		return nmetric_defs[row].index >= 4;
	case NMETRIC_COUNTER:
	case NMETRIC_FW_IO_ERR:
	case NMETRIC_UTILIZATION:
	case NMETRIC_ECC:
		return true;
	default:
		return false;
	}
}

/*
 * Adds to a row. Pending and in flight together never pass 2^64 - 1, so that a post can always be
 * taken back; what is above that goes to the overflow account.
 */
static void credit(struct nmetric *m, unsigned int row, u64 amount)
{
	unsigned int i;

	m->incremented[row] += amount;
	for (i = 0; i < NMETRIC_SINK_COUNT; i++) {
		struct nmetric_sink_books *b = &m->sink[i];
		u64 room = U64_MAX - b->pending.amount[row] - b->inflight.amount[row];

		if (likely(amount <= room)) {
			b->pending.amount[row] += amount;
		} else {
			b->pending.amount[row] += room;
			b->discarded[NMETRIC_DISCARD_OVERFLOW][row] += amount - room;
		}
	}
}

/* A jump that no honest process makes: in the books, but never posted. */
static void credit_implausible(struct nmetric *m, unsigned int row, u64 amount)
{
	unsigned int i;

	m->incremented[row] += amount;
	for (i = 0; i < NMETRIC_SINK_COUNT; i++)
		m->sink[i].discarded[NMETRIC_DISCARD_IMPLAUSIBLE][row] += amount;
}

/**
 * nmetric_init() - start the books of a device
 * @m: engine
 * @nc_count: cores of the device; more than ND_MAX_NC_PER_DEVICE are not followed
 * @nc_map: enabled cores, bit per core
 * @now_ns: start of the first utilisation window
 */
void nmetric_init(struct nmetric *m, u32 nc_count, u32 nc_map, u64 now_ns)
{
	unsigned int i;

	memset(m, 0, sizeof(*m));
	m->nc_count = nc_count < ND_MAX_NC_PER_DEVICE ? nc_count : ND_MAX_NC_PER_DEVICE;
	m->nc_map = nc_map & ((1U << m->nc_count) - 1);
	for (i = 0; i < NMETRIC_SINK_COUNT; i++)
		m->sink[i].window_ns = now_ns;
}

/**
 * nmetric_set_constant() - set the text of a CONSTANT row
 * @m: engine
 * @which: row
 * @text: posted from now on, cut at NMETRIC_TEXT_MAX bytes; NULL or empty: not posted
 */
void nmetric_set_constant(struct nmetric *m, enum nmetric_constant which, const char *text)
{
	size_t n = 0;

	while (text && n < NMETRIC_TEXT_MAX && text[n]) {
		m->constant[which][n] = text[n];
		n++;
	}
	m->constant[which][n] = '\0';
	m->constant_known[which] = n > 0;
}

/**
 * nmetric_set_userver() - set the ultraserver state
 * @m: engine
 * @userver: state, or NULL when the device is in no pod; then nothing is posted
 */
void nmetric_set_userver(struct nmetric *m, const struct nmetric_userver *userver)
{
	m->userver_known = userver;
	if (userver)
		m->userver = *userver;
}

/**
 * nmetric_slab_init() - begin to follow a slab
 * @slab: memory of the engine
 * @words: the slab's words, all zero or not yet counted; must stay readable until @slab is
 *	forgotten
 */
void nmetric_slab_init(struct nmetric_slab *slab, const u64 *words)
{
	memset(slab, 0, sizeof(*slab));
	slab->words = words;
}

/* A word that went down adds nothing; one that leapt is put aside. */
static __cold void note_odd(struct nmetric *m, unsigned int counter, u64 value, u64 last)
{
	if (value < last)
		m->words_down++;
	else
		credit_implausible(m, nmetric_counters[counter].row, value - last);
}

/* Looks at one word. Return: its growth, at most NMETRIC_DELTA_MAX. */
static __always_inline u64 look(struct nmetric *m, u64 value, u64 *last, unsigned int counter)
{
	u64 before = *last;
	u64 growth = value - before;

	*last = value;
	if (likely(value >= before && growth <= NMETRIC_DELTA_MAX))
		return growth;
	note_odd(m, counter, value, before);
	return 0;
}

/*
 * Looks at one counter of four cores whose words lie @stride apart. All four enabled is the case
 * that must be fast: no branch but the two that guard each word, and the sum in a register. Left to
 * itself the compiler makes it a function, which costs half as much again.
 */
static __always_inline u64 look4(struct nmetric *m, u32 enabled, const u64 *word, size_t stride,
				 u64 (*last)[NMETRIC_COUNTERS], unsigned int counter)
{
	u64 sum = 0;
	u32 nc;

	if (likely(enabled == GROUP_ALL))
		return look(m, READ_ONCE(word[0]), &last[0][counter], counter) +
		       look(m, READ_ONCE(word[stride]), &last[1][counter], counter) +
		       look(m, READ_ONCE(word[2 * stride]), &last[2][counter], counter) +
		       look(m, READ_ONCE(word[3 * stride]), &last[3][counter], counter);
	for (nc = 0; nc < GROUP; nc++) {
		if (enabled & (1U << nc))
			sum += look(m, READ_ONCE(word[nc * stride]), &last[nc][counter], counter);
	}
	return sum;
}

/* Takes a slab's growth of one counter into the sum over slabs, before that can wrap. */
static __always_inline void gather(struct nmetric *m, u64 *sum, unsigned int counter, u64 growth)
{
	if (unlikely(*sum > U64_MAX - growth)) {
		credit(m, nmetric_counters[counter].row, *sum);
		*sum = 0;
	}
	*sum += growth;
}

static void collect_words(struct nmetric *m, struct nmetric_slab *slab, u64 *sum)
{
	const u64 *base = slab->words + NDS_NC_OFFSET / 8;
	const u64 *ext = slab->words + NDS_EXT_OFFSET / 8 - NDS_NC_COUNTER_BASE;
	const u64 *wide = slab->words + NDS_WIDE_OFFSET / 8;
	u64 (*low)[NMETRIC_COUNTERS] = &slab->last[0];
	u64 (*high)[NMETRIC_COUNTERS] = &slab->last[GROUP];
	u32 on_low = m->nc_map & GROUP_ALL;
	u32 on_high = m->nc_map >> GROUP;
	unsigned int i;

	for (i = 0; i < NMETRIC_COUNTERS_BASE; i++) {
		u32 id = nmetric_counters[i].ds_id;

		gather(m, &sum[i], i,
		       look4(m, on_low, base + id, NDS_NC_COUNTER_BASE, low, i) +
		       look4(m, on_high, wide + id, NDS_WIDE_STRIDE, high, i));
	}
	for (; i < NMETRIC_COUNTERS; i++) {
		u32 id = nmetric_counters[i].ds_id;

		gather(m, &sum[i], i,
		       look4(m, on_low, ext + id, NDS_NC_COUNTER_EXT, low, i) +
		       look4(m, on_high, wide + id, NDS_WIDE_STRIDE, high, i));
	}
}

static void collect_constants(struct nmetric *m, struct nmetric_slab *slab)
{
	static const u8 source[NMETRIC_CONST_U64S] = {
		NDS_ND_COUNTER_DEVICE_CLUSTER_ID,
		NDS_ND_COUNTER_AGG_NEFF_ID,
	};
	unsigned int i;

	for (i = 0; i < NMETRIC_CONST_U64S; i++) {
		u64 value = nmetric_nd_value(slab, source[i]);

		if (value != slab->constant[i]) {
			slab->constant[i] = value;
			slab->stamp[i] = ++m->stamp;
		}
	}
}

/**
 * nmetric_collect_all() - add the growth of several slabs since the last look
 * @m: engine
 * @slabs: any slabs whose words are readable, also one that is already gone and was written to late
 * @n: how many
 */
void nmetric_collect_all(struct nmetric *m, struct nmetric_slab *const *slabs, unsigned int n)
{
	u64 sum[NMETRIC_COUNTERS] = { 0 };
	unsigned int i;

	/* the groups of collect_words(), and its sum over all cores of a slab */
	ND_ABI_ASSERT(ND_MAX_NC_PER_DEVICE == 2 * GROUP);
	ND_ABI_ASSERT(U64_MAX / ND_MAX_NC_PER_DEVICE >= NMETRIC_DELTA_MAX);

	for (i = 0; i < n; i++) {
		collect_words(m, slabs[i], sum);
		collect_constants(m, slabs[i]);
	}
	for (i = 0; i < NMETRIC_COUNTERS; i++) {
		if (sum[i])
			credit(m, nmetric_counters[i].row, sum[i]);
	}
}

/**
 * nmetric_collect() - add one slab's growth since the last look
 * @m: engine
 * @slab: as for nmetric_collect_all()
 */
void nmetric_collect(struct nmetric *m, struct nmetric_slab *slab)
{
	nmetric_collect_all(m, &slab, 1);
}

/**
 * nmetric_slab_gone() - the owner of a slab is gone or has released it
 * @m: engine
 * @slab: collected one more time, and its versions, feature bits and constants are kept until they
 *	were posted; call once per slab
 */
void nmetric_slab_gone(struct nmetric *m, struct nmetric_slab *slab)
{
	u64 version[NMETRIC_VERSIONS];
	u64 bits;
	unsigned int i;
	unsigned int s;

	nmetric_collect(m, slab);
	version[0] = nmetric_nd_value(slab, NDS_ND_COUNTER_RUNTIME_VERSION);
	version[1] = nmetric_nd_value(slab, NDS_ND_COUNTER_FRAMEWORK_VERSION);
	version[2] = nmetric_nd_value(slab, NDS_ND_COUNTER_FAL_VERSION);
	bits = nmetric_nd_value(slab, NDS_ND_COUNTER_FEATURE_BITMAP);

	for (s = 0; s < NMETRIC_SINK_COUNT; s++) {
		struct nmetric_acc *acc = &m->sink[s].pending;

		for (i = 0; i < NMETRIC_VERSIONS; i++) {
			if (version[i])
				nmetric_history_add(&acc->dead[i], version[i], 1);
		}
		acc->dead_bits |= bits;
		for (i = 0; i < NMETRIC_CONST_U64S; i++) {
			if (slab->constant[i] && slab->stamp[i] > acc->dead_stamp[i]) {
				acc->dead_const[i] = slab->constant[i];
				acc->dead_stamp[i] = slab->stamp[i];
			}
		}
	}
}

/**
 * nmetric_add() - count something the driver itself saw
 * @m: engine
 * @row: registry row of a type that counts (nmetric_row_of()); any other row is ignored
 * @amount: to add
 */
void nmetric_add(struct nmetric *m, unsigned int row, u64 amount)
{
	if (row < NMETRIC_ROWS && counts(row))
		credit(m, row, amount);
}

/**
 * nmetric_reset_done() - a reset succeeded
 * @m: engine
 * @whole_device: the device, not single cores (TPB)
 * @ms: how long it took, in milliseconds; 0 is not a measurement and is ignored, as in the
 *	reference
 */
void nmetric_reset_done(struct nmetric *m, bool whole_device, u64 ms)
{
	unsigned int i;

	if (!ms)
		return;
	for (i = 0; i < NMETRIC_SINK_COUNT; i++) {
		struct nmetric_reset_acc *acc = &m->sink[i].pending.reset[whole_device ? 0 : 1];

		if (ms > acc->max_ms)
			acc->max_ms = ms;
		acc->total_ms = nmetric_add_saturating(acc->total_ms, ms);
		acc->count = nmetric_add_saturating(acc->count, 1);
	}
}

/**
 * nmetric_reset_failed() - a reset was given up
 * @m: engine
 * @whole_device: the device, not single cores (TPB)
 */
void nmetric_reset_failed(struct nmetric *m, bool whole_device)
{
	nmetric_add(m, (unsigned int)nmetric_row_of(NMETRIC_DRIVER_RESET, whole_device ? 4 : 5), 1);
}

/**
 * nmetric_ecc_reading() - a valid reading of an ECC tally
 * @m: engine
 * @repairable: which tally
 * @tally: errors by the firmware's count; an unreadable tally must not be passed at all
 * @after_reset: the device was reset since the reading before, so the firmware may have begun again
 *	at 0
 *
 * The first reading is the base. A decrease counts from 0 after a reset and is otherwise a
 * transient misreading that changes nothing.
 */
void nmetric_ecc_reading(struct nmetric *m, bool repairable, u32 tally, bool after_reset)
{
	unsigned int i = repairable ? 1 : 0;
	unsigned int s;
	u32 growth;

	if (!m->ecc_known[i])
		growth = 0;
	else if (tally >= m->ecc_base[i])
		growth = tally - m->ecc_base[i];
	else if (after_reset)
		growth = tally;
	else
		return;
	m->ecc_known[i] = true;
	m->ecc_base[i] = tally;
	nmetric_add(m, (unsigned int)nmetric_row_of(NMETRIC_ECC, (u8)i), growth);
	for (s = 0; s < NMETRIC_SINK_COUNT; s++)
		m->sink[s].pending.ecc_valid[i] = true;
}

/**
 * nmetric_discard_pending() - give up what no sink will ever get
 * @m: engine
 * @reason: where the amounts are booked
 *
 * A post in flight is given up too; its nmetric_end() then changes nothing.
 */
void nmetric_discard_pending(struct nmetric *m, enum nmetric_discard reason)
{
	unsigned int s;
	unsigned int row;

	for (s = 0; s < NMETRIC_SINK_COUNT; s++) {
		struct nmetric_sink_books *b = &m->sink[s];

		for (row = 0; row < NMETRIC_ROWS; row++)
			b->discarded[reason][row] += nmetric_outstanding(m, s, row);
		memset(&b->pending, 0, sizeof(b->pending));
		memset(&b->inflight, 0, sizeof(b->inflight));
		memset(b->age, 0, sizeof(b->age));
		b->packed = 0;
		b->busy = false;
	}
}
