/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The reference's arithmetic, for bug-for-bug comparison (module parameter quirks=1): device-wide
 * curr, freed and prev arrays, everything consumed whether or not it was delivered. It reproduces
 * the numbers of defects K1, K4, K7, K8, K9, K10, K17 and K18, never the memory and hang defects.
 * It keeps no books.
 */
#ifndef NDTEL_CORE_NMETRIC_REF_H
#define NDTEL_CORE_NMETRIC_REF_H

#include "nmetric.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NMETRIC_REF_COUNTERS 30	/* the reference's arrays; 20 and 28 are unused */

/**
 * struct nmetric_ref_inputs - device-side values of one tick
 * @fwio_errors: lifetime tally of FW-IO errors
 * @ecc: current tallies, [0] unrepairable, [1] repairable; a failed read is 0, as in the reference
 * @reset: totals since the last tick that read them, [0] device, [1] core
 * @userver: NULL when the device is not in a pod
 */
struct nmetric_ref_inputs {
	u64 fwio_errors;
	u32 ecc[2];
	struct nmetric_reset_acc reset[2];
	const struct nmetric_userver *userver;
};

/**
 * struct nmetric_ref - the reference's state of one device
 * @prev: device-wide sums at the last post
 * @freed: sums of slabs that died since the last post of their tick
 * @history: versions
 * @freed_bits: feature bits of dead slabs
 * @freed_const: values of dead slabs
 * @ecc_prev: tallies at the last post
 * @last_ns: time of the last post; 0 before the first, which makes the first utilisation read near
 *	zero (K10)
 */
struct nmetric_ref {
	u64 prev[NMETRIC_REF_COUNTERS];
	u64 freed[NMETRIC_REF_COUNTERS];
	struct nmetric_history history[NMETRIC_VERSIONS];
	u64 freed_bits;
	u64 freed_const[NMETRIC_CONST_U64S];
	u32 ecc_prev[2];
	u64 last_ns;
};

void nmetric_ref_init(struct nmetric_ref *r);
void nmetric_ref_slab_gone(struct nmetric_ref *r, const struct nmetric *m,
			   const struct nmetric_slab *slab);
u32 nmetric_ref_tick(struct nmetric_ref *r, const struct nmetric *m, u8 tick, u64 now_ns,
		     struct nmetric_slab *const *live, unsigned int nlive,
		     const struct nmetric_ref_inputs *in, struct nmetric_post *post);
void nmetric_ref_ticks_done(struct nmetric_ref *r, u64 now_ns);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NMETRIC_REF_H */
