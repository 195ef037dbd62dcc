/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs: slabs, books and lock hold times of each device, for people who want to know why a
 * number is what it is.
 */
#ifndef NDTEL_DEBUGFS_H
#define NDTEL_DEBUGFS_H

struct nd_device;

void nd_debugfs_init(void);
void nd_debugfs_exit(void);
void nd_debugfs_add(struct nd_device *nd);
void nd_debugfs_remove(struct nd_device *nd);

#endif /* NDTEL_DEBUGFS_H */
