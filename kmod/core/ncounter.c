// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Live totals of core counters.
 */
#include "ncounter.h"
#include "nmetric.h"

#define NCOUNTER_DEF(name, counter, directory, factor) \
	[NCOUNTER_##name] = { .id = (counter), .times = (factor), .dir = (directory) },

const struct ncounter_def ncounter_defs[NCOUNTER_COUNT] = {
	NCOUNTER_STATUS(NCOUNTER_DEF)
	NCOUNTER_OTHER(NCOUNTER_DEF)
	NCOUNTER_DYNAMIC(NCOUNTER_DEF)
};

static bool exists(const struct ncounter_set *set, u32 nc, u32 index)
{
	return nc < set->nc_count && index < NCOUNTER_COUNT;
}

/* Counts as they are shown, which never wrap to a small number. */
static u64 shown(u64 count, u32 index)
{
	u64 times = ncounter_defs[index].times;

	return count > div64_u64(U64_MAX, times) ? U64_MAX : count * times;
}

/**
 * ncounter_init() - totals of a new device, all 0
 * @set: totals
 * @nc_count: cores; more than ND_MAX_NC_PER_DEVICE are not followed
 */
void ncounter_init(struct ncounter_set *set, u32 nc_count)
{
	memset(set, 0, sizeof(*set));
	set->nc_count = nc_count < ND_MAX_NC_PER_DEVICE ? nc_count : ND_MAX_NC_PER_DEVICE;
}

/**
 * ncounter_slab_init() - begin to follow a slab
 * @slab: memory of the totals
 * @words: the slab's words, all zero or not yet counted; must stay readable until the last look
 */
void ncounter_slab_init(struct ncounter_slab *slab, const u64 *words)
{
	memset(slab, 0, sizeof(*slab));
	slab->words = words;
}

/**
 * ncounter_look() - add one word's growth since the last look
 * @set: totals of the device
 * @slab: any slab whose words are readable; look once more before its owner is forgotten
 * @nc: core
 * @index: enum ncounter_index
 *
 * A word that fell, or that leapt by more than NMETRIC_DELTA_MAX, adds nothing: it is counted as
 * odd and growth goes on from where it is now. A total that would pass 2^64 - 1 stays there until
 * it is reset.
 *
 * Return: true when total and present changed; false also for a core or counter that is none.
 */
bool ncounter_look(struct ncounter_set *set, struct ncounter_slab *slab, u32 nc, u32 index)
{
	u64 *sum, *base, *last;
	u64 value, growth;

	if (!exists(set, nc, index))
		return false;
	last = &slab->last[nc][index];
	value = READ_ONCE(slab->words[nds_nc_word(nc, ncounter_defs[index].id)]);
	growth = value - *last;
	if (!growth)
		return false;
	if (unlikely(value < *last || growth > NMETRIC_DELTA_MAX)) {
		*last = value;
		set->odd++;
		return false;
	}
	*last = value;
	sum = &set->sum[nc][index];
	base = &set->base[nc][index];
	if (unlikely(growth > U64_MAX - (*sum - *base)))
		*base = *sum + growth - U64_MAX;
	*sum += growth;
	set->present[nc][index] = growth;
	return true;
}

/**
 * ncounter_total() - growth since the total was last written
 * @set: totals
 * @nc: core
 * @index: enum ncounter_index
 *
 * Return: the number of the file total; 0 for a core or counter that is none.
 */
u64 ncounter_total(const struct ncounter_set *set, u32 nc, u32 index)
{
	if (!exists(set, nc, index))
		return 0;
	return shown(set->sum[nc][index] - set->base[nc][index], index);
}

/**
 * ncounter_present() - size of the last growth
 * @set: totals
 * @nc: core
 * @index: enum ncounter_index
 *
 * Return: the number of the file present; 0 for a core or counter that is none.
 */
u64 ncounter_present(const struct ncounter_set *set, u32 nc, u32 index)
{
	return exists(set, nc, index) ? shown(set->present[nc][index], index) : 0;
}

/**
 * ncounter_reset_total() - the file total was written
 * @set: totals; total reads 0 and counts from here, present stays
 * @nc: core
 * @index: enum ncounter_index
 *
 * Look at all slabs first, or what they grew by since the last look is counted after the reset.
 */
void ncounter_reset_total(struct ncounter_set *set, u32 nc, u32 index)
{
	if (exists(set, nc, index))
		set->base[nc][index] = set->sum[nc][index];
}

/**
 * ncounter_reset_present() - the file present was written
 * @set: totals; present reads 0 until the next growth, total stays
 * @nc: core
 * @index: enum ncounter_index
 */
void ncounter_reset_present(struct ncounter_set *set, u32 nc, u32 index)
{
	if (exists(set, nc, index))
		set->present[nc][index] = 0;
}
