// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Range marks.
 */
#include "crwl_mark.h"

/**
 * crwl_marks_init() - nothing is marked
 * @marks: marks
 */
void crwl_marks_init(struct crwl_marks *marks)
{
	memset(marks, 0, sizeof(*marks));
}

static bool makes_sense(const struct crwl_range *range, u32 map_words)
{
	return range->units <= CRWL_MARK_UNITS && range->first < range->units &&
	       range->start <= range->end && range->end < range->units - range->first &&
	       range->end / 64 < map_words;
}

/**
 * crwl_mark() - mark the first free run of cores
 * @marks: marks
 * @owner: process
 * @range: where to look
 * @nc_count: cores wanted, next to each other
 * @map: on success filled with the cores marked, bit n is core n relative to the range's first;
 *	else unchanged
 * @map_words: 64-bit words of @map
 * @max_available: filled with the longest free run of the range when there is none long enough; 0
 *	on success; unchanged with -EINVAL
 *
 * A caller that cannot hand the map on must take the marks back with crwl_unmark().
 *
 * Return: 0; -EINVAL without a process, for no cores at all, for a range that is empty, goes beyond
 * the last device or does not fit @map; -EBUSY when no run is long enough, also when the range
 * itself is too short.
 */
int crwl_mark(struct crwl_marks *marks, const void *owner, const struct crwl_range *range,
	      u32 nc_count, u64 *map, u32 map_words, u32 *max_available)
{
	u32 longest = 0;
	u32 run = 0;
	u32 n;

	if (!owner || !nc_count || !makes_sense(range, map_words))
		return -EINVAL;
	for (n = range->start; n <= range->end && run < nc_count; n++) {
		run = marks->owner[range->first + n] ? 0 : run + 1;
		if (run > longest)
			longest = run;
	}
	if (run < nc_count) {
		*max_available = longest;
		return -EBUSY;
	}
	memset(map, 0, map_words * sizeof(*map));
	for (n -= nc_count; run--; n++) {
		marks->owner[range->first + n] = owner;
		map[n / 64] |= BIT_ULL(n % 64);
	}
	marks->marked += nc_count;
	*max_available = 0;
	return 0;
}

static u32 unmark_unit(struct crwl_marks *marks, const void *owner, u32 unit)
{
	if (!owner || marks->owner[unit] != owner)
		return 0;
	marks->owner[unit] = NULL;
	marks->marked--;
	return 1;
}

/**
 * crwl_unmark() - give cores back
 * @marks: marks
 * @owner: process; what others marked stays
 * @first: unit of core 0 of its device
 * @map: cores, as from crwl_mark(); any bits are harmless
 * @map_words: 64-bit words of @map
 *
 * Return: how many were given back.
 */
u32 crwl_unmark(struct crwl_marks *marks, const void *owner, u32 first, const u64 *map,
		u32 map_words)
{
	u32 freed = 0;
	u32 n;

	for (n = 0; n / 64 < map_words && first < CRWL_MARK_UNITS - n; n++) {
		if (map[n / 64] & BIT_ULL(n % 64))
			freed += unmark_unit(marks, owner, first + n);
	}
	return freed;
}

/**
 * crwl_unmark_all() - a process died or closed its last device
 * @marks: marks
 * @owner: process
 *
 * Return: how many it had.
 */
u32 crwl_unmark_all(struct crwl_marks *marks, const void *owner)
{
	u32 freed = 0;
	u32 unit;

	for (unit = 0; unit < CRWL_MARK_UNITS; unit++)
		freed += unmark_unit(marks, owner, unit);
	return freed;
}
