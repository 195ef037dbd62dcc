/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a device's hardware is behind: one provider a kind of device. A companion device has none.
 */
#ifndef NDTEL_HW_H
#define NDTEL_HW_H

#include <linux/types.h>

struct dentry;
struct nd_device;

/* Kinds of counters of a tensor engine's row group, in engine cycles. */
enum nd_pe_counter {
	ND_PE_MATMUL,
	ND_PE_WEIGHT_LOAD,
	ND_PE_IDLE,
	ND_PE_COUNTERS
};

#define ND_PE_ROW_GROUPS 4

/**
 * struct nd_hw_ops - access to a device's hardware
 * @name: kind of device, "sim"
 * @bind: the device has its index
 * @read32: load of a MiscRAM register
 * @write32: store to a MiscRAM register, ordered after earlier stores to memory from @alloc
 * @alloc: zeroed memory that firmware can reach; *addr is its address as firmware knows it
 * @free: give it back
 * @pe_counter: read one tensor engine counter; NULL when the device has none; -EIO
 * @debugfs: add the provider's files; may be NULL
 * @destroy: the device is gone; free its hw_data
 * @discard: the device was never made; free this hw_data
 */
struct nd_hw_ops {
	const char *name;
	void (*bind)(struct nd_device *nd);
	u32 (*read32)(struct nd_device *nd, u32 offset);
	void (*write32)(struct nd_device *nd, u32 offset, u32 value);
	void *(*alloc)(struct nd_device *nd, size_t size, u64 *addr);
	void (*free)(struct nd_device *nd, void *mem, size_t size, u64 addr);
	int (*pe_counter)(struct nd_device *nd, u32 nc, u32 row, enum nd_pe_counter which,
			  u64 *value);
	void (*debugfs)(struct nd_device *nd, struct dentry *dir);
	void (*destroy)(struct nd_device *nd);
	void (*discard)(void *hw_data);
};

#endif /* NDTEL_HW_H */
