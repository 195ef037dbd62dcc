// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls that say what a device is and where it is.
 */
#include <linux/bits.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "cdev.h"
#include "cdev_ioctl.h"
#include "device.h"
#include "topology.h"
#include "uapi/ndtel/ioctl.h"
#include "uapi/ndtel/miscram.h"

/**
 * nd_ioc_nothing() - commands of old that only succeed
 * @file: open file
 * @cmd: unused
 * @arg: unused
 *
 * Return: 0.
 */
long nd_ioc_nothing(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	return 0;
}

/**
 * nd_ioc_device_info() - DEVICE_INFO
 * @file: open file
 * @cmd: unused
 * @arg: struct nd_ioctl_device_info, out
 *
 * Return: 0 or -EFAULT.
 */
long nd_ioc_device_info(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_device_info info = {
		.architecture = file->nd->arch->arch,
		.revision = file->nd->revision,
	};
	u32 neighbours[ND_MAX_CONNECTED_DEVICES];
	int n = nd_topology_neighbours(file->nd, neighbours);

	info.connected_device_count = n;
	memcpy(info.connected_devices, neighbours, n * sizeof(*neighbours));
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

/**
 * nd_ioc_basic_info() - DEVICE_BASIC_INFO
 * @file: open file
 * @cmd: unused
 * @arg: struct nd_ioctl_basic_info, out
 *
 * Return: 0 or -EFAULT.
 */
long nd_ioc_basic_info(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_basic_info info = {
		.architecture = file->nd->arch->arch,
		.revision = file->nd->revision,
	};

	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

/**
 * nd_ioc_compatible_version() - COMPATIBLE_VERSION
 * @file: open file
 * @cmd: unused
 * @arg: struct nd_ioctl_compatible_version, out
 *
 * Return: 0 or -EFAULT.
 */
long nd_ioc_compatible_version(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_compatible_version version = {
		.max = file->nd->arch->compatible_max,
		.min = file->nd->arch->compatible_min,
	};

	return copy_to_user(arg, &version, sizeof(version)) ? -EFAULT : 0;
}

/**
 * nd_ioc_driver_info() - DRIVER_INFO, by number
 * @file: open file
 * @cmd: its direction tells GET from SET, its size what the caller has room for
 * @arg: struct nd_ioctl_driver_info, out
 *
 * Return: 0; -ENOTSUPP for writing; -EINVAL for another direction or too little room; -EFAULT.
 */
long nd_ioc_driver_info(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_driver_info info = {
		.architecture = file->nd->arch->arch,
		.revision = file->nd->revision,
		.size = sizeof(info),
		.feature_flags1 = ND_FEATURE_BIG_CORE_MAPS,
	};

	if (_IOC_DIR(cmd) == _IOC_WRITE)
		return -ND_ENOTSUPP;
	if (_IOC_DIR(cmd) != _IOC_READ || _IOC_SIZE(cmd) < sizeof(info))
		return -EINVAL;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

/**
 * nd_ioc_host_device_id() - HOST_DEVICE_ID
 * @file: open file
 * @cmd: unused
 * @arg: u32, out
 *
 * Return: 0 or -EFAULT.
 */
long nd_ioc_host_device_id(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	return put_user((u32)file->nd->index, (u32 __user *)arg);
}

/* Routing id of the device with an index: what its firmware says. */
static u32 nd_rid(int index)
{
	struct nd_device *nd = nd_device_get(index);
	u32 rid = ND_RID_NONE;

	if (!nd)
		return rid;
	if (nd_device_enter(nd)) {
		if (nd_reg_read(nd, ND_MISCRAM_DEVICE_ID, &rid))
			rid = ND_RID_NONE;
		nd_device_leave(nd);
	}
	put_device(&nd->dev);
	return rid;
}

/**
 * nd_ioc_rid_map() - HOST_DEVICE_ID_TO_RID_MAP, by number
 * @file: open file
 * @cmd: its size must be that of the map
 * @arg: struct nd_ioctl_rid_map, out
 *
 * Return: 0; -EINVAL for another size; -ENOMEM; -EFAULT.
 */
long nd_ioc_rid_map(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_rid_map *map;
	u64 present;
	long ret = 0;
	u32 i;

	if (_IOC_SIZE(cmd) != sizeof(*map))
		return -EINVAL;
	map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map)
		return -ENOMEM;
	present = nd_devices_present();
	for (i = 0; i < ND_MAX_DEVICES; i++)
		map->rid[i] = present & BIT_ULL(i) ? nd_rid(i) : ND_RID_NONE;
	map->count = fls64(present);
	if (copy_to_user(arg, map, sizeof(*map)))
		ret = -EFAULT;
	kfree(map);
	return ret;
}

/*
 * Order of a device's cores. It is known for devices 0, 1, 4 and 5 of the 4 x 4 torus, one for each
 * parity of row and column; the others follow by theirs.
 */
static const u8 nd_core_order[2][2][ND_MAX_NC_PER_DEVICE] = {
	{ { 4, 5, 6, 7, 2, 3, 0, 1 }, { 2, 3, 0, 1, 4, 5, 6, 7 } },
	{ { 0, 1, 2, 3, 6, 7, 4, 5 }, { 6, 7, 4, 5, 0, 1, 2, 3 } },
};

static void nd_nc_mapping_fill(struct nd_ioctl_nc_mapping *mapping)
{
	u32 i, device;

	mapping->count = ND_NC_MAPPING_ENTRIES;
	for (i = 0; i < ND_NC_MAPPING_ENTRIES; i++) {
		device = i / ND_MAX_NC_PER_DEVICE;
		mapping->entry[i].device = device;
		mapping->entry[i].core =
			nd_core_order[device / 4 % 2][device % 2][i % ND_MAX_NC_PER_DEVICE];
	}
}

/**
 * nd_ioc_nc_mapping() - GET_LOGICAL_TO_PHYSICAL_NC_MAP
 * @file: open file
 * @cmd: unused
 * @arg: struct nd_ioctl_get_nc_mapping
 *
 * Return: 0; -ENOTSUPP for V2; -EINVAL for a reserved word that is not 0; -E2BIG when the map does
 * not fit; -ENOMEM; -EFAULT.
 */
long nd_ioc_nc_mapping(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_get_nc_mapping request;
	struct nd_ioctl_nc_mapping *mapping;
	long ret = 0;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	if (file->nd->arch->arch == ND_ARCH_V2)
		return -ND_ENOTSUPP;
	if (request.reserved)
		return -EINVAL;
	if (request.capacity < ND_NC_MAPPING_ENTRIES)
		return -E2BIG;
	mapping = kzalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return -ENOMEM;
	nd_nc_mapping_fill(mapping);
	if (copy_to_user(u64_to_user_ptr(request.mapping), mapping, sizeof(*mapping)))
		ret = -EFAULT;
	kfree(mapping);
	return ret;
}

/**
 * nd_ioc_bdf() - DEVICE_BDF
 * @file: open file
 * @cmd: unused
 * @arg: unused: no provider has a PCI address
 *
 * Return: -ENODEV.
 */
long nd_ioc_bdf(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	return -ENODEV;
}

/**
 * nd_ioc_bdf_ext() - DEVICE_BDF_EXT
 * @file: open file
 * @cmd: unused
 * @arg: struct nd_ioctl_bdf_ext: which device
 *
 * Return: -EINVAL when there is no such device; -ENODEV: none has a PCI address; -EFAULT.
 */
long nd_ioc_bdf_ext(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_bdf_ext bdf;
	u64 index;

	if (copy_from_user(&bdf, arg, sizeof(bdf)))
		return -EFAULT;
	index = (u64)bdf.nd_index + file->nd->index;
	if (index >= ND_MAX_DEVICES || !(nd_devices_present() & BIT_ULL(index)))
		return -EINVAL;
	return -ENODEV;
}
