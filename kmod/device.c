// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device lifecycle: everything works before the node appears; the node goes before anything stops
 * working.
 */
#include <linux/idr.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "cdev.h"
#include "compat.h"
#include "debugfs.h"
#include "device.h"
#include "params.h"

#define ND_V2_FACTS \
	.arch = ND_ARCH_V2, .nc_count = 2, .compatible_min = 5, .compatible_max = 7, .dice = 1, \
	.hbm_channels = 2, .host_bit = BIT_ULL(44), .miscram_addr = 0xFFFF0FA0000ULL, \
	.bar0_addr = 0xFFFC0000000ULL, .reset_accept_ms = 120000, .core_type = "NCv2"

#define ND_V3_FACTS \
	.nc_count = 8, .compatible_min = 10, .compatible_max = 11, .dice = 2, .hbm_channels = 4, \
	.hbm_repair = true, .host_bit = BIT_ULL(46), .miscram_addr = 0x8006C84000ULL, \
	.bar0_addr = 0x8000000000ULL, .reset_accept_ms = 480000, .wiring = ND_WIRING_TRN2

static const struct nd_arch_info nd_archs[] = {
	{
		.name = "v2",
		ND_V2_FACTS,
		.wiring = ND_WIRING_TRN1,
		.device_type = "NDv2",
		.instance_type = "Trn1",
		.device_name = "Trainium1",
	},
	{
		.name = "inf2",
		ND_V2_FACTS,
		.wiring = ND_WIRING_RING,
		/* As the reference has it; device_name tells it from Trn2. */
		.device_type = "NDv3",
		.instance_type = "Inf2",
		.device_name = "Inferentia2",
	},
	{
		.name = "v3",
		.arch = ND_ARCH_V3,
		ND_V3_FACTS,
		.device_type = "NDv3",
		.core_type = "NCv3",
		.instance_type = "Trn2",
		.device_name = "Trainium2",
	},
	{
		.name = "v4",
		.arch = ND_ARCH_V4,
		ND_V3_FACTS,
		.device_type = "NDv4",
		.core_type = "NCv4",
		.instance_type = "Trn3",
		.device_name = "Trainium3",
	},
};

static struct class nd_class = {
	.name = ND_NAMESPACE "_device",
	ND_CLASS_OWNER
	.class_groups = nd_sysfs_class_groups,
};

static dev_t nd_devt;
static DEFINE_IDA(nd_indices);

/* Guards nd_devices. */
static DEFINE_MUTEX(nd_devices_lock);
static LIST_HEAD(nd_devices);

/**
 * nd_arch_find() - look a kind of device up
 * @name: "v2", "inf2", "v3" or "v4"
 *
 * Return: its facts, or NULL.
 */
const struct nd_arch_info *nd_arch_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nd_archs); i++)
		if (!strcmp(nd_archs[i].name, name))
			return &nd_archs[i];
	return NULL;
}

/**
 * nd_device_enter() - begin a call into a device
 * @nd: device, kept alive by the caller's open file
 *
 * A count of calls and not a lock, because the calls touch user memory and mmap enters with
 * mmap_lock held.
 *
 * Return: false when the device is gone.
 */
bool nd_device_enter(struct nd_device *nd)
{
	return percpu_ref_tryget_live(&nd->calls);
}

/**
 * nd_device_leave() - end a call into a device
 * @nd: device that was entered
 */
void nd_device_leave(struct nd_device *nd)
{
	percpu_ref_put(&nd->calls);
}

static void nd_device_drained(struct percpu_ref *calls)
{
	complete(&container_of(calls, struct nd_device, calls)->drained);
}

/**
 * nd_device_set_state() - change the device's state and tell who waits for it
 * @nd: device
 * @state: enum nd_state
 */
void nd_device_set_state(struct nd_device *nd, enum nd_state state)
{
	WRITE_ONCE(nd->state, state);
	wake_up_all(&nd->state_wait);
	nd_metrics_kick(nd);
}

/**
 * nd_device_for_each() - call a function for every published device
 * @fn: must not create or remove devices
 */
void nd_device_for_each(void (*fn)(struct nd_device *nd))
{
	struct nd_device *nd;

	mutex_lock(&nd_devices_lock);
	list_for_each_entry(nd, &nd_devices, node)
		fn(nd);
	mutex_unlock(&nd_devices_lock);
}

/**
 * nd_device_indices() - which indices the published devices of a kind have
 * @arch: kind
 * @indices: bitmap of ND_MAX_DEVICES bits, filled
 */
void nd_device_indices(const struct nd_arch_info *arch, unsigned long *indices)
{
	struct nd_device *nd;

	bitmap_zero(indices, ND_MAX_DEVICES);
	mutex_lock(&nd_devices_lock);
	list_for_each_entry(nd, &nd_devices, node)
		if (nd->arch == arch)
			__set_bit(nd->index, indices);
	mutex_unlock(&nd_devices_lock);
}

/**
 * nd_device_get() - find a published device
 * @index: its index
 *
 * Return: the device with a reference for put_device(), or NULL. It may be going: enter it.
 */
struct nd_device *nd_device_get(int index)
{
	struct nd_device *nd, *found = NULL;

	mutex_lock(&nd_devices_lock);
	list_for_each_entry(nd, &nd_devices, node) {
		if (nd->index == index) {
			get_device(&nd->dev);
			found = nd;
			break;
		}
	}
	mutex_unlock(&nd_devices_lock);
	return found;
}

/**
 * nd_devices_present() - which devices there are, of whatever kind
 *
 * Return: bit per index of a published device.
 */
u64 nd_devices_present(void)
{
	struct nd_device *nd;
	u64 indices = 0;

	mutex_lock(&nd_devices_lock);
	list_for_each_entry(nd, &nd_devices, node)
		indices |= BIT_ULL(nd->index);
	mutex_unlock(&nd_devices_lock);
	return indices;
}

static void nd_device_release(struct device *dev)
{
	struct nd_device *nd = container_of(dev, struct nd_device, dev);

	nd_metrics_destroy(nd);
	nd_fwio_exit(nd);
	if (nd->hw)
		nd->hw->destroy(nd);
	/* The index is free only now: a node that is still open keeps its name to itself. */
	ida_free(&nd_indices, nd->index);
	mutex_destroy(&nd->nds.lock);
	mutex_destroy(&nd->open_lock);
	percpu_ref_exit(&nd->calls);
	kfree(nd);
}

static int nd_index_alloc(int index)
{
	if (index == ND_INDEX_ANY)
		return ida_alloc_max(&nd_indices, ND_MAX_DEVICES - 1, GFP_KERNEL);
	index = ida_alloc_range(&nd_indices, index, index, GFP_KERNEL);
	return index == -ENOSPC ? -EEXIST : index;
}

/* A device that nothing knows of yet; put_device() undoes it. */
static struct nd_device *nd_device_alloc(const struct nd_device_setup *setup)
{
	struct nd_device *nd = kzalloc(sizeof(*nd), GFP_KERNEL);
	int ret;

	if (!nd)
		return ERR_PTR(-ENOMEM);
	ret = percpu_ref_init(&nd->calls, nd_device_drained, 0, GFP_KERNEL);
	if (ret)
		goto free;
	ret = nd_index_alloc(setup->index);
	if (ret < 0)
		goto exit_calls;
	nd->index = ret;
	nd->arch = setup->arch;
	nd->revision = setup->revision;
	nd->hw = setup->hw;
	nd->hw_data = setup->hw_data;
	nd->state = ND_STATE_READY;
	mutex_init(&nd->open_lock);
	init_waitqueue_head(&nd->state_wait);
	init_completion(&nd->drained);
	INIT_LIST_HEAD(&nd->node);
	nd_sysfs_init(nd);
	nd_mem_init(nd);
	nd_mem_add(nd, ND_MEM_NCDEV_HOST, 0, PAGE_ALIGN(sizeof(*nd)));
	nds_pool_init(&nd->nds);
	ncounter_init(&nd->nds.totals, nd->arch->nc_count);
	nd_locks_init(nd);
	nd_reset_init(nd);
	nd_power_init(nd);
	nd_relay_init(nd);

	device_initialize(&nd->dev);
	nd->dev.class = &nd_class;
	nd->dev.groups = nd_sysfs_device_groups;
	nd->dev.devt = MKDEV(MAJOR(nd_devt), nd->index);
	nd->dev.release = nd_device_release;
	cdev_init(&nd->cdev, &nd_cdev_fops);
	nd->cdev.owner = THIS_MODULE;
	return nd;

exit_calls:
	percpu_ref_exit(&nd->calls);
free:
	kfree(nd);
	return ERR_PTR(ret);
}

static int nd_device_prepare(struct nd_device *nd)
{
	int ret = dev_set_name(&nd->dev, ND_NAMESPACE "%d", nd->index);

	if (ret)
		return ret;
	if (nd->hw)
		nd->hw->bind(nd);
	ret = nd_fwio_init(nd);
	if (!ret)
		ret = nd_metrics_init(nd);
	return ret;
}

/**
 * nd_device_create() - make a device and publish its node
 * @setup: what it is made of
 *
 * The first reset runs behind the published node: opening it waits.
 *
 * Return: the device, listed; an error pointer: -EEXIST when the wanted index is taken, -ENOSPC
 * when all are, -ENOMEM, or what registration says.
 */
struct nd_device *nd_device_create(const struct nd_device_setup *setup)
{
	struct nd_device *nd = nd_device_alloc(setup);
	int ret;

	if (IS_ERR(nd)) {
		if (setup->hw)
			setup->hw->discard(setup->hw_data);
		return nd;
	}
	ret = nd_device_prepare(nd);
	if (ret)
		goto put;
	ret = nd_metrics_start(nd);
	if (ret)
		goto put;
	if (nd->hw && !nd_no_reset)
		nd_reset_request(nd, ND_RESET_WHOLE_DEVICE, NULL);
	nd_debugfs_add(nd);
	/* Whoever hears of the device finds all its attributes. */
	dev_set_uevent_suppress(&nd->dev, true);
	ret = cdev_device_add(&nd->cdev, &nd->dev);
	if (ret)
		goto stop;
	ret = nd_sysfs_add(nd);
	if (ret) {
		nd_device_remove(nd);
		return ERR_PTR(ret);
	}
	mutex_lock(&nd_devices_lock);
	list_add_tail(&nd->node, &nd_devices);
	mutex_unlock(&nd_devices_lock);
	dev_set_uevent_suppress(&nd->dev, false);
	kobject_uevent(&nd->dev.kobj, KOBJ_ADD);
	/* A parameter may have changed between the thread's first look and the listing. */
	nd_metrics_kick(nd);
	return nd;

stop:
	nd_debugfs_remove(nd);
	nd_reset_stop(nd);
	nd_metrics_stop(nd);
put:
	put_device(&nd->dev);
	return ERR_PTR(ret);
}

/**
 * nd_device_unlist() - take a device out of the list, so that one caller removes it
 * @index: device index, or -1 for any
 *
 * Return: the device, or NULL.
 */
struct nd_device *nd_device_unlist(int index)
{
	struct nd_device *nd, *found = NULL;

	mutex_lock(&nd_devices_lock);
	list_for_each_entry(nd, &nd_devices, node) {
		if (index < 0 || nd->index == index) {
			found = nd;
			list_del_init(&nd->node);
			break;
		}
	}
	mutex_unlock(&nd_devices_lock);
	return found;
}

/**
 * nd_device_remove() - withdraw a device
 * @nd: from nd_device_unlist()
 *
 * Files that are open stay open and get ENODEV; slabs that are mapped stay readable. Returns when
 * no call is inside.
 */
void nd_device_remove(struct nd_device *nd)
{
	nd_sysfs_remove(nd);
	cdev_device_del(&nd->cdev, &nd->dev);
	WRITE_ONCE(nd->gone, true);
	wake_up_all(&nd->state_wait);
	nd_locks_gone(nd);
	percpu_ref_kill(&nd->calls);
	/* Whoever waits for a reset, for a post or for the firmware leaves at once. */
	nd_reset_stop(nd);
	nd_relay_stop(nd);
	nd_fwio_interrupt(nd, true);
	wait_for_completion(&nd->drained);

	nd_metrics_stop(nd);
	nds_pool_release_all(nd);
	nd_fwio_interrupt(nd, false);
	nd_sinks_drain(nd);
	nd_debugfs_remove(nd);
	put_device(&nd->dev);
}

/**
 * nd_device_init_class() - device numbers and class
 *
 * Return: 0 or an error of registration.
 */
int nd_device_init_class(void)
{
	int ret = alloc_chrdev_region(&nd_devt, 0, ND_MAX_DEVICES, ND_NAMESPACE);

	if (ret)
		return ret;
	ret = class_register(&nd_class);
	if (ret)
		unregister_chrdev_region(nd_devt, ND_MAX_DEVICES);
	return ret;
}

/**
 * nd_device_exit_class() - undo nd_device_init_class()
 */
void nd_device_exit_class(void)
{
	class_unregister(&nd_class);
	unregister_chrdev_region(nd_devt, ND_MAX_DEVICES);
	ida_destroy(&nd_indices);
}
