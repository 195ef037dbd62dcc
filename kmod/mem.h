/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that the module holds for a device, by core, place and purpose.
 *
 * Every amount is booked twice under one lock: on its core by place, and by purpose. So a core's
 * device memory equals the sum of its purposes, and the cores' host memory that of the device's.
 */
#ifndef NDTEL_MEM_H
#define NDTEL_MEM_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "uapi/ndtel/abi.h"

struct nd_device;

/* Purposes, numbered as the allocation types of the reference. */
enum nd_mem_category {
	ND_MEM_UNKNOWN_HOST = 0,
	ND_MEM_CODE_HOST = 1,
	ND_MEM_TENSORS_HOST = 2,
	ND_MEM_CONSTANTS_HOST = 3,
	ND_MEM_MISC_HOST = 4,
	ND_MEM_NCDEV_HOST = 5,
	ND_MEM_NOTIFICATION_HOST = 6,
	ND_MEM_UNKNOWN_DEVICE = 7,
	ND_MEM_CODE_DEVICE = 8,
	ND_MEM_TENSORS_DEVICE = 9,
	ND_MEM_CONSTANTS_DEVICE = 10,
	ND_MEM_SCRATCHPAD_DEVICE = 11,
	ND_MEM_MISC_DEVICE = 12,
	ND_MEM_NCDEV_DEVICE = 13,
	ND_MEM_COLLECTIVES_DEVICE = 14,
	ND_MEM_NONSHARED_SCRATCHPAD_DEVICE = 15,
	ND_MEM_NOTIFICATION_DEVICE = 16,
	ND_MEM_DMA_RINGS_HOST = 17,
	ND_MEM_DMA_RINGS_DEVICE = 18,
	ND_MEM_CONTIGUOUS_SCRATCHPAD_DEVICE = 19,
	ND_MEM_CATEGORIES
};

/* Cells of a core, in the order of the tree. */
enum nd_mem_core_cell {
	ND_MEM_CORE_HOST,
	ND_MEM_CORE_DEVICE,
	ND_MEM_CORE_CODE,
	ND_MEM_CORE_TENSORS,
	ND_MEM_CORE_CONSTANTS,
	ND_MEM_CORE_SHARED_SCRATCHPAD,
	ND_MEM_CORE_RUNTIME,
	ND_MEM_CORE_DRIVER,
	ND_MEM_CORE_COLLECTIVES,
	ND_MEM_CORE_NONSHARED_SCRATCHPAD,
	ND_MEM_CORE_NOTIFICATIONS,
	ND_MEM_CORE_DMA_RINGS,
	ND_MEM_CORE_UNCATEGORIZED,
	ND_MEM_CORE_CELLS
};

/* Cells of the device: host memory by purpose, in the order of the tree. */
enum nd_mem_host_cell {
	ND_MEM_HOST_DMA_BUFFERS,
	ND_MEM_HOST_TENSORS,
	ND_MEM_HOST_CONSTANTS,
	ND_MEM_HOST_APPLICATION,
	ND_MEM_HOST_DRIVER,
	ND_MEM_HOST_NOTIFICATIONS,
	ND_MEM_HOST_DMA_RINGS,
	ND_MEM_HOST_UNCATEGORIZED,
	ND_MEM_HOST_CELLS
};

/**
 * struct nd_mem_cell - one tally, in bytes
 * @total: held now
 * @present: size of the last change
 * @peak: highest @total since the beginning or the last write
 */
struct nd_mem_cell {
	u64 total;
	u64 present;
	u64 peak;
};

/**
 * struct nd_mem - memory of one device
 * @lock: guards the cells
 * @core: by core
 * @host: of the device
 */
struct nd_mem {
	spinlock_t lock; /* guards the cells */
	struct nd_mem_cell core[ND_MAX_NC_PER_DEVICE][ND_MEM_CORE_CELLS];
	struct nd_mem_cell host[ND_MEM_HOST_CELLS];
};

/* Stands for the device where a core is asked for. */
#define ND_MEM_NO_CORE (-1)

void nd_mem_init(struct nd_device *nd);
void nd_mem_add(struct nd_device *nd, enum nd_mem_category category, unsigned int nc, s64 bytes);
void nd_mem_read(struct nd_device *nd, int nc, unsigned int cell, struct nd_mem_cell *tally);
void nd_mem_reset_present(struct nd_device *nd, int nc, unsigned int cell);
void nd_mem_reset_peak(struct nd_device *nd, int nc, unsigned int cell);

#endif /* NDTEL_MEM_H */
