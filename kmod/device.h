/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Neuron device as the module sees it, and its life: allocated, ready, published, draining, gone.
 */
#ifndef NDTEL_DEVICE_H
#define NDTEL_DEVICE_H

#include <linux/cdev.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/percpu-refcount.h>
#include <linux/stringify.h>
#include <linux/wait.h>

#include "crwl_locks.h"
#include "fwio.h"
#include "hw.h"
#include "mem.h"
#include "metrics.h"
#include "nds.h"
#include "power.h"
#include "relay.h"
#include "reset.h"
#include "sysfs.h"
#include "uapi/ndtel/abi.h"

/*
 * Module name, class prefix, node prefix and trace system, all from the build variable NAMESPACE.
 */
#define ND_NAMESPACE __stringify(ND_NAMESPACE_ID)

#define ND_VERSION "0.1.0"

/* How devices of a kind are wired to each other; topology.c has the tables. */
enum nd_wiring {
	ND_WIRING_TRN1,
	ND_WIRING_TRN2,
	ND_WIRING_RING,		/* or a chain on small instances */
};

/**
 * struct nd_arch_info - what a kind of device has
 * @name: as written to new_device and sim_arch
 * @arch: enum nd_arch
 * @nc_count: NeuronCores
 * @compatible_min: lowest runtime interface number
 * @compatible_max: highest runtime interface number
 * @dice: dice with a power sensor each
 * @hbm_channels: memory channels with an ECC tally each
 * @hbm_repair: firmware repairs memory
 * @host_bit: set in host addresses that firmware is given
 * @miscram_addr: device address of MiscRAM
 * @bar0_addr: device address of the start of BAR 0
 * @reset_accept_ms: patience until firmware accepts a reset
 * @wiring: enum nd_wiring
 * @device_type: text of the device's arch_type
 * @core_type: text of its cores' arch_type
 * @instance_type: family of instances
 * @device_name: product
 */
struct nd_arch_info {
	const char *name;
	enum nd_arch arch;
	u32 nc_count;
	u32 compatible_min;
	u32 compatible_max;
	u32 dice;
	u32 hbm_channels;
	bool hbm_repair;
	u64 host_bit;
	u64 miscram_addr;
	u64 bar0_addr;
	u32 reset_accept_ms;
	enum nd_wiring wiring;
	const char *device_type;
	const char *core_type;
	const char *instance_type;
	const char *device_name;
};

const struct nd_arch_info *nd_arch_find(const char *name);

/**
 * struct nd_device - one device
 * @dev: class device; its reference count is the device's
 * @cdev: character device behind the node
 * @arch: generation
 * @index: device index, also the minor and the number in the node's name
 * @revision: PCI revision id
 * @state: enum nd_state; read with READ_ONCE, written by nd_device_set_state()
 * @state_wait: woken when @state changes or the device goes
 * @gone: set once, before the device drains
 * @calls: calls inside the device; killed by removal, which then waits for @drained
 * @drained: the last call left
 * @hw: access to the hardware, NULL for a companion device
 * @hw_data: the provider's
 * @fwio: mailbox
 * @resets: resets asked for
 * @power: power samples
 * @locks: core locks and core initialisation
 * @nds: slabs of processes
 * @metrics: posting engine and thread
 * @relay: way out of posts when there is no hardware
 * @mem: memory held for the device
 * @sysfs: tree of attributes
 * @open_lock: guards @opens
 * @opens: normal-lane files that are open or being opened
 * @debugfs: directory of this device
 * @node: in the module's list of devices
 */
struct nd_device {
	struct device dev;
	struct cdev cdev;
	const struct nd_arch_info *arch;
	int index;
	u32 revision;
	int state;
	wait_queue_head_t state_wait;
	bool gone;
	struct percpu_ref calls;
	struct completion drained;
	const struct nd_hw_ops *hw;
	void *hw_data;
	struct nd_fwio fwio;
	struct nd_resets resets;
	struct nd_power power;
	struct nd_locks locks;
	struct nds_pool nds;
	struct nd_metrics metrics;
	struct nd_relay relay;
	struct nd_mem mem;
	struct nd_sysfs sysfs;
	struct mutex open_lock; /* guards opens */
	unsigned int opens;
	struct dentry *debugfs;
	struct list_head node;
};

#define ND_INDEX_ANY	(-1)

/**
 * struct nd_device_setup - what a device is made of
 * @arch: kind of device
 * @revision: PCI revision id
 * @index: wanted index, or ND_INDEX_ANY for the lowest free one
 * @hw: access to its hardware, or NULL
 * @hw_data: for @hw; from nd_device_create() on it is the device's, also when that fails
 */
struct nd_device_setup {
	const struct nd_arch_info *arch;
	u32 revision;
	int index;
	const struct nd_hw_ops *hw;
	void *hw_data;
};

struct nd_device *nd_device_create(const struct nd_device_setup *setup);
void nd_device_remove(struct nd_device *nd);
struct nd_device *nd_device_unlist(int index);
void nd_device_set_state(struct nd_device *nd, enum nd_state state);
void nd_device_for_each(void (*fn)(struct nd_device *nd));
void nd_device_indices(const struct nd_arch_info *arch, unsigned long *indices);
struct nd_device *nd_device_get(int index);

u64 nd_devices_present(void);
bool nd_device_enter(struct nd_device *nd);
void nd_device_leave(struct nd_device *nd);

int nd_device_init_class(void);
void nd_device_exit_class(void);

#endif /* NDTEL_DEVICE_H */
