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

#include "metrics.h"
#include "nds.h"
#include "uapi/ndtel/abi.h"

/*
 * Module name, class prefix, node prefix and trace system, all from the build variable NAMESPACE.
 */
#define ND_NAMESPACE __stringify(ND_NAMESPACE_ID)

#define ND_VERSION "0.1.0"

/**
 * struct nd_arch_info - what a generation of devices has
 * @name: as written to new_device and sim_arch
 * @arch: enum nd_arch
 * @nc_count: NeuronCores
 * @compatible_min: lowest runtime interface number
 * @compatible_max: highest runtime interface number
 */
struct nd_arch_info {
	const char *name;
	enum nd_arch arch;
	u32 nc_count;
	u32 compatible_min;
	u32 compatible_max;
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
 * @nds: slabs of processes
 * @metrics: posting engine and thread
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
	struct nds_pool nds;
	struct nd_metrics metrics;
	struct dentry *debugfs;
	struct list_head node;
};

struct nd_device *nd_device_create(const struct nd_arch_info *arch, u32 revision);
void nd_device_remove(struct nd_device *nd);
struct nd_device *nd_device_unlist(int index);
void nd_device_set_state(struct nd_device *nd, enum nd_state state);
void nd_device_for_each(void (*fn)(struct nd_device *nd));

bool nd_device_enter(struct nd_device *nd);
void nd_device_leave(struct nd_device *nd);

int nd_device_init_class(void);
void nd_device_exit_class(void);

#endif /* NDTEL_DEVICE_H */
