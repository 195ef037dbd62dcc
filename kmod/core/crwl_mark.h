/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Range marks: processes share out the cores of all devices by marking runs of consecutive ones.
 * There is one set of marks for the whole module. A core's unit is
 *
 *     device index * cores per device + core
 *
 * What a process says is relative to the device it opened: unit = first + n with
 * first = its device index * cores per device. That holds for start, end and the bits of maps.
 *
 * The caller serialises all calls.
 */
#ifndef NDTEL_CORE_CRWL_MARK_H
#define NDTEL_CORE_CRWL_MARK_H

#include "port.h"
#include "../uapi/ndtel/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CRWL_MARK_UNITS	(ND_MAX_DEVICES * ND_MAX_NC_PER_DEVICE)

/**
 * struct crwl_marks - who marked what
 * @owner: by unit, a process or NULL; compared, never followed
 * @marked: how many units are marked
 */
struct crwl_marks {
	const void *owner[CRWL_MARK_UNITS];
	u32 marked;
};

/**
 * struct crwl_range - where a process wants cores
 * @first: unit of core 0 of its device
 * @units: units of the module's devices, one past the last, at most CRWL_MARK_UNITS
 * @start: first core looked at, relative to @first
 * @end: last core looked at, relative to @first
 */
struct crwl_range {
	u32 first;
	u32 units;
	u32 start;
	u32 end;
};

void crwl_marks_init(struct crwl_marks *marks);
int crwl_mark(struct crwl_marks *marks, const void *owner, const struct crwl_range *range,
	      u32 nc_count, u64 *map, u32 map_words, u32 *max_available);
u32 crwl_unmark(struct crwl_marks *marks, const void *owner, u32 first, const u64 *map,
		u32 map_words);
u32 crwl_unmark_all(struct crwl_marks *marks, const void *owner);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_CRWL_MARK_H */
