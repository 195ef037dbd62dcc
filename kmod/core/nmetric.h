/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The metrics engine of one device: from counter words to posts, with books that balance.
 *
 * For every row that counts and every sink, at any moment (arithmetic modulo 2^64):
 *
 *     incremented == confirmed + pending + in flight + discarded(all reasons)
 *
 * collect adds the growth of each word since the last look to "incremented" once and to every
 * sink's pending. begin packs what is pending into a post and moves it to "in flight"; end either
 * confirms it or returns it. A sink that is off, slow or failing never makes another sink repeat or
 * lose anything.
 *
 * What accept, refuse, unknown and the death of a slab do, by type:
 *
 *   type          accept            refuse, unknown       death of a slab
 *   COUNTER       confirmed += n    back to pending       last growth collected
 *   UTILIZATION   confirmed += ps,  back to pending, the  last growth collected
 *                 window restarts   window goes on
 *   FW_IO_ERR     confirmed += n    back to pending       -
 *   ECC           confirmed += n    back to pending       -
 *   DRIVER_RESET  period restarts   merged back           -
 *   VERSION       dead usage gone   dead usage back       its word counts once more
 *   BITMAP        dead bits gone    dead bits back        its bits are kept
 *   CONST_U64     dead value gone   dead value back       its value is kept if newest
 *   CONSTANT      -                 -                     -
 *   USERVER       -                 -                     -
 *
 * A record that does not fit stays pending and is packed first the next time its tick comes.
 *
 * The caller serialises all calls for one engine; in the module that is the device's datastore
 * lock.
 */
#ifndef NDTEL_CORE_NMETRIC_H
#define NDTEL_CORE_NMETRIC_H

#include "nmetric_defs.h"
#include "nmetric_record.h"
#include "nmetric_version.h"
#include "../uapi/ndtel/nds.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One word cannot honestly grow by more than this between two looks: 2^60 is 13 days of one core's
 * time in use in picoseconds. Larger jumps come from wrapped or garbage words; they are counted and
 * discarded as implausible.
 */
#define NMETRIC_DELTA_MAX	BIT_ULL(60)

/*
 * A percentage over less time than this says nothing: work is credited when it completes, so it
 * would read 0 or 100. The second post of a flush comes that soon; its time in use waits for the
 * next one.
 */
#define NMETRIC_WINDOW_MIN_NS	(10ULL * 1000 * 1000)

/* Why an amount will never be posted. */
enum nmetric_discard {
	NMETRIC_DISCARD_IMPLAUSIBLE,	/* a single jump above NMETRIC_DELTA_MAX */
	NMETRIC_DISCARD_OVERFLOW,	/* pending would pass 2^64 - 1 */
	NMETRIC_DISCARD_REMOVED,	/* the device went away */
	NMETRIC_DISCARD_COUNT
};

/**
 * struct nmetric_slab - what the engine remembers of one process's slab
 * @words: the slab, untrusted: each word is read once per look
 * @last: value of each followed word at the last look
 * @constant: value of each CONST_U64 word at the last look, 0 = not set
 * @stamp: order in which @constant changed, 0 = never
 */
struct nmetric_slab {
	const u64 *words;
	u64 last[ND_MAX_NC_PER_DEVICE][NMETRIC_COUNTERS];
	u64 constant[NMETRIC_CONST_U64S];
	u64 stamp[NMETRIC_CONST_U64S];
};

/**
 * struct nmetric_reset_acc - resets of one kind in a posting period
 * @max_ms: longest
 * @total_ms: sum
 * @count: how many
 */
struct nmetric_reset_acc {
	u64 max_ms;
	u64 total_ms;
	u64 count;
};

/**
 * struct nmetric_acc - what one sink has not accepted yet
 * @amount: by registry row: counts, picoseconds, errors
 * @dead: versions of slabs that died, by VERSION index
 * @dead_bits: feature bits of slabs that died
 * @dead_const: values of slabs that died, by CONST_U64 index; 0 = none
 * @dead_stamp: their order
 * @reset: device resets, core (TPB) resets
 * @ecc_valid: a valid ECC reading came in, so that zero is a fact
 */
struct nmetric_acc {
	u64 amount[NMETRIC_ROWS];
	struct nmetric_history dead[NMETRIC_VERSIONS];
	u64 dead_bits;
	u64 dead_const[NMETRIC_CONST_U64S];
	u64 dead_stamp[NMETRIC_CONST_U64S];
	struct nmetric_reset_acc reset[2];
	bool ecc_valid[2];
};

/**
 * struct nmetric_sink_books - one sink's side of the books
 * @pending: gathered, not packed
 * @inflight: packed into the post that is on its way
 * @confirmed: accepted, by row
 * @unknown: tally beside the books: amounts of doorbells without a valid reply
 * @discarded: never to be posted, by reason and row
 * @window_ns: start of the utilisation window
 * @begin_ns: time of the post in flight
 * @packed: rows of the post in flight, bit per row
 * @age: by row, how many posts in a row the row did not fit into
 * @busy: a post is in flight
 * @posts: posts begun with at least one record
 * @refused: posts refused
 * @unknown_posts: posts whose fate is unknown
 * @deferred: rows that did not fit, over all posts
 */
struct nmetric_sink_books {
	struct nmetric_acc pending;
	struct nmetric_acc inflight;
	u64 confirmed[NMETRIC_ROWS];
	u64 unknown[NMETRIC_ROWS];
	u64 discarded[NMETRIC_DISCARD_COUNT][NMETRIC_ROWS];
	u64 window_ns;
	u64 begin_ns;
	u64 packed;
	u8 age[NMETRIC_ROWS];
	bool busy;
	u64 posts;
	u64 refused;
	u64 unknown_posts;
	u64 deferred;
};

/**
 * struct nmetric_userver - ultraserver state of a device in a pod
 * @modes_supported: bit i = mode i (1 X4, 2 X2H, 3 X2V, 4 X1)
 * @mode: current mode, 0 = unset
 */
struct nmetric_userver {
	u32 modes_supported;
	u32 mode;
};

/* Which CONSTANT row a text belongs to; index of the reference. */
enum nmetric_constant {
	NMETRIC_INSTANCE_ID = 0,
	NMETRIC_DRIVER_VERSION = 1,
	NMETRIC_PROFILE_ID = 2,
};

/**
 * struct nmetric - engine of one device
 * @nc_count: cores of the device, 1..ND_MAX_NC_PER_DEVICE
 * @nc_map: enabled cores, bit per core; the others are not collected
 * @incremented: by row, all growth ever seen; wraps
 * @words_down: looks that found a word smaller than before
 * @const_conflicts: posts that found live slabs with different CONST_U64 values, per row
 * @stamp: source of nmetric_slab.stamp
 * @ecc_base: last valid ECC tallies
 * @ecc_known: @ecc_base is set
 * @userver: ultraserver state
 * @userver_known: the device is in a pod
 * @constant: texts of the CONSTANT rows
 * @constant_known: the text is set
 * @sink: the books, by enum nmetric_sink
 */
struct nmetric {
	u32 nc_count;
	u32 nc_map;
	u64 incremented[NMETRIC_ROWS];
	u64 words_down;
	u64 const_conflicts;
	u64 stamp;
	u32 ecc_base[2];
	bool ecc_known[2];
	struct nmetric_userver userver;
	bool userver_known;
	char constant[NMETRIC_CONSTANTS][NMETRIC_TEXT_MAX + 1];
	bool constant_known[NMETRIC_CONSTANTS];
	struct nmetric_sink_books sink[NMETRIC_SINK_COUNT];
};

void nmetric_init(struct nmetric *m, u32 nc_count, u32 nc_map, u64 now_ns);
void nmetric_set_constant(struct nmetric *m, enum nmetric_constant which, const char *text);
void nmetric_set_userver(struct nmetric *m, const struct nmetric_userver *userver);

void nmetric_slab_init(struct nmetric_slab *slab, const u64 *words);
void nmetric_collect(struct nmetric *m, struct nmetric_slab *slab);
void nmetric_collect_all(struct nmetric *m, struct nmetric_slab *const *slabs, unsigned int n);
void nmetric_slab_gone(struct nmetric *m, struct nmetric_slab *slab);

void nmetric_add(struct nmetric *m, unsigned int row, u64 amount);
void nmetric_reset_done(struct nmetric *m, bool whole_device, u64 ms);
void nmetric_reset_failed(struct nmetric *m, bool whole_device);
void nmetric_ecc_reading(struct nmetric *m, bool repairable, u32 tally, bool after_reset);

u32 nmetric_begin(struct nmetric *m, enum nmetric_sink sink, u8 tick, u64 now_ns,
		  struct nmetric_slab *const *live, unsigned int nlive, struct nmetric_post *post);
void nmetric_note_unknown(struct nmetric *m, enum nmetric_sink sink);
void nmetric_end(struct nmetric *m, enum nmetric_sink sink, enum nmetric_result result);
void nmetric_discard_pending(struct nmetric *m, enum nmetric_discard reason);

/**
 * nmetric_outstanding() - amount of a row a sink has not accepted
 * @m: engine
 * @sink: enum nmetric_sink
 * @row: registry row
 *
 * Return: pending plus in flight.
 */
static inline u64 nmetric_outstanding(const struct nmetric *m, enum nmetric_sink sink,
				      unsigned int row)
{
	return m->sink[sink].pending.amount[row] + m->sink[sink].inflight.amount[row];
}

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NMETRIC_H */
