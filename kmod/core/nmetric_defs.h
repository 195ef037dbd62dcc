/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The metric registry: which numbers are posted, on which tick, under which id, and where they come
 * from.
 */
#ifndef NDTEL_CORE_NMETRIC_DEFS_H
#define NDTEL_CORE_NMETRIC_DEFS_H

#include "port.h"
#include "../uapi/ndtel/cw.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NMETRIC_ROWS		48
#define NMETRIC_COUNTERS	27	/* rows fed by core counter words */
#define NMETRIC_COUNTERS_BASE	19	/* of those, in the original band of cores 0..3 */
#define NMETRIC_CONSTANTS	3	/* rows of type CONSTANT */
#define NMETRIC_VERSIONS	3	/* rows of type VERSION */
#define NMETRIC_CONST_U64S	2	/* rows of type CONST_U64 */
#define NMETRIC_NO_DS		0xFF	/* ds_id of a row without a datastore source */

/* Numbering of the reference. */
enum nmetric_type {
	NMETRIC_CONSTANT = 0,
	NMETRIC_VERSION = 1,
	NMETRIC_COUNTER = 2,
	NMETRIC_FW_IO_ERR = 3,
	NMETRIC_BITMAP = 4,
	NMETRIC_CONST_U64 = 5,
	NMETRIC_DRIVER_RESET = 6,
	NMETRIC_USERVER = 7,
	NMETRIC_UTILIZATION = 8,
	NMETRIC_ECC = 9,
};

/* When a row takes part: two ticks alternate. */
enum nmetric_tick {
	NMETRIC_TICK_0 = 0x0,
	NMETRIC_TICK_1 = 0x1,
	NMETRIC_TICK_ALWAYS = 0xF,
	NMETRIC_TICKS = 2,
};

#define NMETRIC_F_VERSION_TYPE	1	/* VERSION: with the framework type, ids in steps of 2 */
#define NMETRIC_F_SKIP_ZERO	1	/* CONST_U64: zero is "not set" */
#define NMETRIC_F_PREFER_FREED	2	/* CONST_U64: a dead owner's value wins over a live one */

/**
 * struct nmetric_def - one row of the registry
 * @index: position within the rows of its type, numbering of the reference
 * @type: enum nmetric_type
 * @count: ids the row may post
 * @tick: enum nmetric_tick
 * @cw_id: first enum nmetric_cw_id; 0 is never posted
 * @ds_id: NDS counter the row reads, or NMETRIC_NO_DS
 * @flags: NMETRIC_F_*
 */
struct nmetric_def {
	u8 index;
	u8 type;
	u8 count;
	u8 tick;
	u8 cw_id;
	u8 ds_id;
	u8 flags;
};

/* Wire order is registry order. */
extern const struct nmetric_def nmetric_defs[NMETRIC_ROWS];

/**
 * struct nmetric_counter_def - one core counter word that collect follows
 * @ds_id: NDS core counter
 * @row: registry row it feeds
 */
struct nmetric_counter_def {
	u8 ds_id;
	u8 row;
};

/* Ascending in ds_id, so that the first NMETRIC_COUNTERS_BASE of them are the original band. */
extern const struct nmetric_counter_def nmetric_counters[NMETRIC_COUNTERS];

/**
 * nmetric_gated() - does a row take part in a tick
 * @def: row
 * @tick: NMETRIC_TICK_0, NMETRIC_TICK_1 or NMETRIC_TICK_ALWAYS
 *
 * Return: true when the row belongs to @tick or either of them is ALWAYS.
 */
static inline bool nmetric_gated(const struct nmetric_def *def, u8 tick)
{
	return tick == NMETRIC_TICK_ALWAYS || def->tick == NMETRIC_TICK_ALWAYS || def->tick == tick;
}

const char *nmetric_cw_name(u8 cw_id);
int nmetric_row_of_cw(u8 cw_id);
int nmetric_row_of(enum nmetric_type type, u8 index);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NMETRIC_DEFS_H */
