// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a device is, and the switch of notifications.
 */
#include <linux/kernel.h>

#include "device.h"
#include "sysfs_tree.h"
#include "uapi/ndtel/miscram.h"

static ssize_t notify_delay_show(struct nd_sysfs_dir *dir, char *page)
{
	return sysfs_emit(page, "%d\n", nd_sysfs_notifies(dir->nd) ? 0 : -1);
}

static int notify_delay_store(struct nd_sysfs_dir *dir, const char *text, size_t size)
{
	int delay;
	int ret = kstrtoint(text, 10, &delay);

	if (ret)
		return ret;
	if (delay != 0 && delay != -1)
		return -EINVAL;
	nd_sysfs_set_notify(dir->nd, !delay);
	return 0;
}

ND_SYSFS_RW(, notify_delay);

static ssize_t serial_number_show(struct nd_sysfs_dir *dir, char *page)
{
	u64 serial;
	int ret = nd_reg_read_pair(dir->nd, ND_MISCRAM_SERIAL_HI, ND_MISCRAM_SERIAL_LO, &serial);

	if (ret)
		return ret;
	/* The device has none. */
	if (!serial)
		return sysfs_emit(page, "\n");
	return sysfs_emit(page, "%016llx\n", serial);
}

ND_SYSFS_RO(, serial_number);

static umode_t nd_sysfs_info_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	if (attr == &serial_number_attr.attr && !nd_sysfs_dir_of(kobj)->nd->hw)
		return 0;
	return attr->mode;
}

static struct attribute *nd_sysfs_info_attrs[] = {
	&notify_delay_attr.attr,
	&serial_number_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_info_files = {
	.attrs = nd_sysfs_info_attrs,
	.is_visible = nd_sysfs_info_visible,
};

static ssize_t device_arch_type_show(struct nd_sysfs_dir *dir, char *page)
{
	return sysfs_emit(page, "%s\n", dir->nd->arch->device_type);
}

static ssize_t device_instance_type_show(struct nd_sysfs_dir *dir, char *page)
{
	return sysfs_emit(page, "%s\n", dir->nd->arch->instance_type);
}

static ssize_t device_device_name_show(struct nd_sysfs_dir *dir, char *page)
{
	return sysfs_emit(page, "%s\n", dir->nd->arch->device_name);
}

ND_SYSFS_RO(device_, arch_type);
ND_SYSFS_RO(device_, instance_type);
ND_SYSFS_RO(device_, device_name);

static struct attribute *nd_sysfs_device_arch_attrs[] = {
	&device_arch_type_attr.attr,
	&device_instance_type_attr.attr,
	&device_device_name_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_device_arch_files = { .attrs = nd_sysfs_device_arch_attrs };

static ssize_t core_arch_type_show(struct nd_sysfs_dir *dir, char *page)
{
	return sysfs_emit(page, "%s\n", dir->nd->arch->core_type);
}

ND_SYSFS_RO(core_, arch_type);

static struct attribute *nd_sysfs_core_arch_attrs[] = {
	&core_arch_type_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_core_arch_files = { .attrs = nd_sysfs_core_arch_attrs };
