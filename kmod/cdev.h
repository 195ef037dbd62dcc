/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device node: lanes, ioctls, mmap.
 */
#ifndef NDTEL_CDEV_H
#define NDTEL_CDEV_H

#include <linux/fs.h>

#include "nds_hold.h"

struct nd_device;

/**
 * struct nd_file - an open node
 * @nd: its device; the open node keeps it alive
 * @free_lane: opened exactly O_WRONLY: queries only
 * @pause_vote: this file votes for pausing posts; guarded by the metrics lock
 * @holds: what was acquired through this file; guarded by the pool lock
 */
struct nd_file {
	struct nd_device *nd;
	bool free_lane;
	bool pause_vote;
	struct nds_file_holds holds;
};

extern const struct file_operations nd_cdev_fops;

#endif /* NDTEL_CDEV_H */
