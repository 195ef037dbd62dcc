// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory tallies.
 */
#include "device.h"
#include "mem.h"

/* Where a purpose is shown: a cell of its core when it is device memory, else of the device. */
static const struct {
	bool device;
	u8 cell;
} nd_mem_places[ND_MEM_CATEGORIES] = {
	[ND_MEM_UNKNOWN_HOST] = { false, ND_MEM_HOST_UNCATEGORIZED },
	[ND_MEM_CODE_HOST] = { false, ND_MEM_HOST_DMA_BUFFERS },
	[ND_MEM_TENSORS_HOST] = { false, ND_MEM_HOST_TENSORS },
	[ND_MEM_CONSTANTS_HOST] = { false, ND_MEM_HOST_CONSTANTS },
	[ND_MEM_MISC_HOST] = { false, ND_MEM_HOST_APPLICATION },
	[ND_MEM_NCDEV_HOST] = { false, ND_MEM_HOST_DRIVER },
	[ND_MEM_NOTIFICATION_HOST] = { false, ND_MEM_HOST_NOTIFICATIONS },
	[ND_MEM_DMA_RINGS_HOST] = { false, ND_MEM_HOST_DMA_RINGS },
	[ND_MEM_UNKNOWN_DEVICE] = { true, ND_MEM_CORE_UNCATEGORIZED },
	[ND_MEM_CODE_DEVICE] = { true, ND_MEM_CORE_CODE },
	[ND_MEM_TENSORS_DEVICE] = { true, ND_MEM_CORE_TENSORS },
	[ND_MEM_CONSTANTS_DEVICE] = { true, ND_MEM_CORE_CONSTANTS },
	[ND_MEM_SCRATCHPAD_DEVICE] = { true, ND_MEM_CORE_SHARED_SCRATCHPAD },
	[ND_MEM_MISC_DEVICE] = { true, ND_MEM_CORE_RUNTIME },
	[ND_MEM_NCDEV_DEVICE] = { true, ND_MEM_CORE_DRIVER },
	[ND_MEM_COLLECTIVES_DEVICE] = { true, ND_MEM_CORE_COLLECTIVES },
	[ND_MEM_NONSHARED_SCRATCHPAD_DEVICE] = { true, ND_MEM_CORE_NONSHARED_SCRATCHPAD },
	[ND_MEM_NOTIFICATION_DEVICE] = { true, ND_MEM_CORE_NOTIFICATIONS },
	[ND_MEM_DMA_RINGS_DEVICE] = { true, ND_MEM_CORE_DMA_RINGS },
	[ND_MEM_CONTIGUOUS_SCRATCHPAD_DEVICE] = { true, ND_MEM_CORE_SHARED_SCRATCHPAD },
};

static struct nd_mem_cell *nd_mem_cell(struct nd_mem *mem, int nc, unsigned int cell)
{
	return nc == ND_MEM_NO_CORE ? &mem->host[cell] : &mem->core[nc][cell];
}

/* Return: did the peak rise? */
static bool nd_mem_book(struct nd_mem_cell *cell, s64 bytes)
{
	if (bytes >= 0)
		cell->total += bytes;
	else if (!WARN_ON_ONCE(cell->total < (u64)-bytes))
		cell->total -= (u64)-bytes;
	else
		cell->total = 0;
	cell->present = bytes >= 0 ? bytes : -bytes;
	if (cell->total <= cell->peak)
		return false;
	cell->peak = cell->total;
	return true;
}

/**
 * nd_mem_init() - tallies of a new device, before its first allocation
 * @nd: device, zeroed
 */
void nd_mem_init(struct nd_device *nd)
{
	spin_lock_init(&nd->mem.lock);
}

/**
 * nd_mem_add() - memory was allocated or freed
 * @nd: device
 * @category: what for
 * @nc: core it belongs to; the module's own memory is core 0's
 * @bytes: rounded up to pages; negative when it was freed
 */
void nd_mem_add(struct nd_device *nd, enum nd_mem_category category, unsigned int nc, s64 bytes)
{
	unsigned int place, cell = nd_mem_places[category].cell;
	bool device = nd_mem_places[category].device;
	struct nd_mem *mem = &nd->mem;
	bool place_peak, cell_peak;
	int owner;

	if (!bytes)
		return;
	place = device ? ND_MEM_CORE_DEVICE : ND_MEM_CORE_HOST;
	owner = device ? (int)nc : ND_MEM_NO_CORE;
	spin_lock(&mem->lock);
	place_peak = nd_mem_book(nd_mem_cell(mem, nc, place), bytes);
	cell_peak = nd_mem_book(nd_mem_cell(mem, owner, cell), bytes);
	spin_unlock(&mem->lock);
	nd_sysfs_mem_changed(nd, nc, place, place_peak);
	nd_sysfs_mem_changed(nd, owner, cell, cell_peak);
}

/**
 * nd_mem_read() - look at one tally
 * @nd: device
 * @nc: core, or ND_MEM_NO_CORE
 * @cell: enum nd_mem_core_cell, or enum nd_mem_host_cell of the device
 * @tally: out
 */
void nd_mem_read(struct nd_device *nd, int nc, unsigned int cell, struct nd_mem_cell *tally)
{
	spin_lock(&nd->mem.lock);
	*tally = *nd_mem_cell(&nd->mem, nc, cell);
	spin_unlock(&nd->mem.lock);
}

/**
 * nd_mem_reset_present() - the file present was written
 * @nd: device
 * @nc: core, or ND_MEM_NO_CORE
 * @cell: as for nd_mem_read()
 */
void nd_mem_reset_present(struct nd_device *nd, int nc, unsigned int cell)
{
	spin_lock(&nd->mem.lock);
	nd_mem_cell(&nd->mem, nc, cell)->present = 0;
	spin_unlock(&nd->mem.lock);
}

/**
 * nd_mem_reset_peak() - the file peak was written: it starts again from what is held now
 * @nd: device
 * @nc: core, or ND_MEM_NO_CORE
 * @cell: as for nd_mem_read()
 */
void nd_mem_reset_peak(struct nd_device *nd, int nc, unsigned int cell)
{
	struct nd_mem_cell *tally;

	spin_lock(&nd->mem.lock);
	tally = nd_mem_cell(&nd->mem, nc, cell);
	tally->peak = tally->total;
	spin_unlock(&nd->mem.lock);
}
