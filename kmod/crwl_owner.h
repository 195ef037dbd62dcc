/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that have core locks or range marks, and the range marks themselves. What a process has
 * goes at its death, however its files are shared; a device's locks also go with the close of the
 * last file the process opened of it, marks with that of the last file it opened at all.
 */
#ifndef NDTEL_CRWL_OWNER_H
#define NDTEL_CRWL_OWNER_H

#include <linux/types.h>

struct nd_device;
struct nd_file;

int nd_owner_init(void);
void nd_owner_exit(void);

void nd_owner_file_opened(struct nd_file *file);
void nd_owner_file_closed(struct nd_file *file);
void nd_owner_exits(void);
int nd_owner_register(struct nd_file *file);

int nd_marks_mark(struct nd_device *nd, u32 nc_count, u32 start, u32 end, u64 *map, u32 map_words,
		  u32 *max_available);
void nd_marks_unmark(struct nd_device *nd, const u64 *map, u32 map_words);

#endif /* NDTEL_CRWL_OWNER_H */
