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

static const struct nd_arch_info nd_archs[] = {
	{
		.name = "v2",
		.arch = ND_ARCH_V2,
		.nc_count = 2,
		.compatible_min = 5,
		.compatible_max = 7,
	},
	{
		.name = "v3",
		.arch = ND_ARCH_V3,
		.nc_count = 8,
		.compatible_min = 10,
		.compatible_max = 11,
	},
	{
		.name = "v4",
		.arch = ND_ARCH_V4,
		.nc_count = 8,
		.compatible_min = 10,
		.compatible_max = 11,
	},
};

static struct class *nd_class;
static dev_t nd_devt;
static DEFINE_IDA(nd_indices);

/* Guards nd_devices. */
static DEFINE_MUTEX(nd_devices_lock);
static LIST_HEAD(nd_devices);

/**
 * nd_arch_find() - look a generation up
 * @name: "v2", "v3" or "v4"
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

static void nd_device_release(struct device *dev)
{
	struct nd_device *nd = container_of(dev, struct nd_device, dev);

	nd_metrics_destroy(nd);
	/* The index is free only now: a node that is still open keeps its name to itself. */
	ida_free(&nd_indices, nd->index);
	mutex_destroy(&nd->nds.lock);
	percpu_ref_exit(&nd->calls);
	kfree(nd);
}

static struct nd_device *nd_device_alloc(const struct nd_arch_info *arch, u32 revision)
{
	struct nd_device *nd = kzalloc(sizeof(*nd), GFP_KERNEL);
	int ret;

	if (!nd)
		return ERR_PTR(-ENOMEM);
	ret = percpu_ref_init(&nd->calls, nd_device_drained, 0, GFP_KERNEL);
	if (ret)
		goto free;
	ret = ida_alloc_max(&nd_indices, ND_MAX_DEVICES - 1, GFP_KERNEL);
	if (ret < 0)
		goto exit_calls;
	nd->index = ret;
	nd->arch = arch;
	nd->revision = revision;
	nd->state = ND_STATE_READY;
	init_waitqueue_head(&nd->state_wait);
	init_completion(&nd->drained);
	INIT_LIST_HEAD(&nd->node);
	nds_pool_init(&nd->nds);

	device_initialize(&nd->dev);
	nd->dev.class = nd_class;
	nd->dev.devt = MKDEV(MAJOR(nd_devt), nd->index);
	nd->dev.release = nd_device_release;
	cdev_init(&nd->cdev, &nd_cdev_fops);
	nd->cdev.owner = THIS_MODULE;

	ret = dev_set_name(&nd->dev, ND_NAMESPACE "%d", nd->index);
	if (!ret)
		ret = nd_metrics_init(nd);
	if (ret) {
		put_device(&nd->dev);
		return ERR_PTR(ret);
	}
	return nd;

exit_calls:
	percpu_ref_exit(&nd->calls);
free:
	kfree(nd);
	return ERR_PTR(ret);
}

/**
 * nd_device_create() - make a device and publish its node
 * @arch: generation
 * @revision: PCI revision id
 *
 * Return: the device, listed; an error pointer: -ENOSPC when all indices are taken, -ENOMEM, or
 * what registration says.
 */
struct nd_device *nd_device_create(const struct nd_arch_info *arch, u32 revision)
{
	struct nd_device *nd = nd_device_alloc(arch, revision);
	int ret;

	if (IS_ERR(nd))
		return nd;
	ret = nd_metrics_start(nd);
	if (ret)
		goto put;
	nd_debugfs_add(nd);
	ret = cdev_device_add(&nd->cdev, &nd->dev);
	if (ret)
		goto stop;

	mutex_lock(&nd_devices_lock);
	list_add_tail(&nd->node, &nd_devices);
	mutex_unlock(&nd_devices_lock);
	/* A parameter may have changed between the thread's first look and the listing. */
	nd_metrics_kick(nd);
	return nd;

stop:
	nd_debugfs_remove(nd);
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
	cdev_device_del(&nd->cdev, &nd->dev);
	WRITE_ONCE(nd->gone, true);
	wake_up_all(&nd->state_wait);
	percpu_ref_kill(&nd->calls);
	wait_for_completion(&nd->drained);

	nd_metrics_stop(nd);
	nds_pool_release_all(nd);
	nd_metrics_drain(nd);
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
	nd_class = nd_class_create(ND_NAMESPACE "_device");
	if (IS_ERR(nd_class)) {
		unregister_chrdev_region(nd_devt, ND_MAX_DEVICES);
		return PTR_ERR(nd_class);
	}
	return 0;
}

/**
 * nd_device_exit_class() - undo nd_device_init_class()
 */
void nd_device_exit_class(void)
{
	class_destroy(nd_class);
	unregister_chrdev_region(nd_devt, ND_MAX_DEVICES);
	ida_destroy(&nd_indices);
}
