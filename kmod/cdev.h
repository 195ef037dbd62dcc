/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device node: lanes, ioctls, mmap.
 */
#ifndef NDTEL_CDEV_H
#define NDTEL_CDEV_H

#include <linux/fs.h>

#include "nds_hold.h"

struct nd_device;
struct pid;

/**
 * struct nd_file - an open node
 * @nd: its device; the open node keeps it alive
 * @opener: process that opened it
 * @free_lane: opened exactly O_WRONLY: queries only
 * @mode: opened for reading, writing
 * @pause_vote: this file votes for pausing posts; guarded by the metrics lock
 * @holds: what was acquired through this file; guarded by the pool lock
 * @node: in the list of open files of crwl_owner.c, guarded there
 */
struct nd_file {
	struct nd_device *nd;
	struct pid *opener;
	bool free_lane;
	fmode_t mode;
	bool pause_vote;
	struct nds_file_holds holds;
	struct list_head node;
};

extern const struct file_operations nd_cdev_fops;

#endif /* NDTEL_CDEV_H */
