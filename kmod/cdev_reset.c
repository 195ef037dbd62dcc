// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls about resets.
 */
#include <linux/uaccess.h>

#include "cdev.h"
#include "cdev_ioctl.h"
#include "device.h"
#include "uapi/ndtel/ioctl.h"

/**
 * nd_ioc_nc_reset() - NC_RESET: ask for a reset; the device is no longer READY when this returns
 * @file: open file, its opener's
 * @cmd: unused
 * @arg: struct nd_ioctl_nc_reset
 *
 * Return: as nd_reset_request(), or -EFAULT; a reset whose number could not be handed out runs
 * all the same.
 */
long nd_ioc_nc_reset(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_nc_reset reset;
	int ret;

	if (copy_from_user(&reset, arg, sizeof(reset)))
		return -EFAULT;
	/* Before anything happens: the caller will be able to learn the number. */
	if (copy_to_user(arg, &reset, sizeof(reset)))
		return -EFAULT;
	ret = nd_reset_request(file->nd, reset.nc_map, &reset.request_id);
	if (ret)
		return ret;
	return copy_to_user(arg, &reset, sizeof(reset)) ? -EFAULT : 0;
}

/**
 * nd_ioc_nc_reset_ready() - NC_RESET_READY: wait until a reset has ended
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_nc_reset_ready
 *
 * Return: 0, the outcome is in the answer; -EINVAL for a number that names no reset; a signal's or
 * the removal's error of nd_reset_wait(); -EFAULT.
 */
long nd_ioc_nc_reset_ready(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_nc_reset_ready ready;
	int result = 0;
	int ret;

	if (copy_from_user(&ready, arg, sizeof(ready)))
		return -EFAULT;
	ret = nd_reset_wait(file->nd, ready.request_id, &result);
	if (ret)
		return ret;
	ready.result = result ? 1 : 0;
	return copy_to_user(arg, &ready, sizeof(ready)) ? -EFAULT : 0;
}

/**
 * nd_ioc_reset_status() - DEVICE_RESET_STATUS
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: u8, out: 1 when no reset is running
 *
 * Return: 0 or -EFAULT.
 */
long nd_ioc_reset_status(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	u8 done = READ_ONCE(file->nd->state) != ND_STATE_RESET;

	return put_user(done, (u8 __user *)arg);
}
