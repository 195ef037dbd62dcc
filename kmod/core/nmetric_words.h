/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Small things that collecting and packing share.
 */
#ifndef NDTEL_CORE_NMETRIC_WORDS_H
#define NDTEL_CORE_NMETRIC_WORDS_H

#include "nmetric.h"

/* One look at a device counter of a slab, which its owner may change at any time. */
static inline u64 nmetric_nd_value(const struct nmetric_slab *slab, u32 counter)
{
	return READ_ONCE(slab->words[nds_nd_word(counter)]);
}

static inline u64 nmetric_add_saturating(u64 a, u64 b)
{
	u64 sum = a + b;

	return sum < a ? U64_MAX : sum;
}

#endif /* NDTEL_CORE_NMETRIC_WORDS_H */
