// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls that talk to the firmware or read registers. What the firmware is asked for, and which
 * registers can be seen, is bounded here.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "cdev.h"
#include "cdev_ioctl.h"
#include "device.h"
#include "uapi/ndtel/ioctl.h"
#include "uapi/ndtel/miscram.h"

ND_ABI_EQUAL(ND_READS_MAX, FWIO_READ_MAX);

/**
 * struct nd_reads - what a caller wants to read
 * @count: how many, 1..ND_READS_MAX
 * @address: where
 * @value: results
 */
struct nd_reads {
	u32 count;
	u64 address[ND_READS_MAX];
	u32 value[ND_READS_MAX];
};

/* The caller's list of addresses; kfree() it. */
static struct nd_reads *nd_reads_get(u64 address, u32 count)
{
	struct nd_reads *reads;

	if (!count)
		return ERR_PTR(-EINVAL);
	if (count > ND_READS_MAX)
		return ERR_PTR(-E2BIG);
	reads = kzalloc(sizeof(*reads), GFP_KERNEL_ACCOUNT);
	if (!reads)
		return ERR_PTR(-ENOMEM);
	reads->count = count;
	if (copy_from_user(reads->address, u64_to_user_ptr(address),
			   count * sizeof(*reads->address))) {
		kfree(reads);
		return ERR_PTR(-EFAULT);
	}
	return reads;
}

static int nd_reads_put(const struct nd_reads *reads, u64 data)
{
	return copy_to_user(u64_to_user_ptr(data), reads->value,
			    reads->count * sizeof(*reads->value)) ? -EFAULT : 0;
}

/* Offset of a BAR's byte in MiscRAM; anything from ND_MISCRAM_SIZE on is not MiscRAM. */
static u64 nd_bar_miscram(const struct nd_device *nd, u64 offset)
{
	return offset - (nd->arch->miscram_addr - nd->arch->bar0_addr);
}

static int nd_bar_offset(const struct nd_device *nd, u32 bar, u64 offset, u32 *reg)
{
	u64 at = nd_bar_miscram(nd, offset);

	if (bar || at >= ND_MISCRAM_SIZE || at % sizeof(u32))
		return -EINVAL;
	*reg = at;
	return 0;
}

static int nd_bar_read(struct nd_device *nd, u32 bar, struct nd_reads *reads)
{
	u32 i, reg;
	int ret;

	/* All are checked before any is read. */
	for (i = 0; i < reads->count; i++) {
		ret = nd_bar_offset(nd, bar, reads->address[i], &reg);
		if (ret)
			return ret;
	}
	for (i = 0; i < reads->count; i++) {
		nd_bar_offset(nd, bar, reads->address[i], &reg);
		ret = nd_reg_read(nd, reg, &reads->value[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * nd_ioc_bar_read() - BAR_READ
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_bar_rw
 *
 * Return: 0; -EINVAL for no or a wrong offset; -E2BIG for too many; as nd_reg_read(); -ENOMEM;
 * -EFAULT.
 */
long nd_ioc_bar_read(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_bar_rw request;
	struct nd_reads *reads;
	int ret;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	reads = nd_reads_get(request.address, request.count);
	if (IS_ERR(reads))
		return PTR_ERR(reads);
	ret = nd_bar_read(file->nd, request.bar, reads);
	if (!ret)
		ret = nd_reads_put(reads, request.data);
	kfree(reads);
	return ret;
}

/**
 * nd_ioc_bar_write() - BAR_WRITE: the whole of MiscRAM is the driver's and the firmware's, and no
 * provider has another register
 * @file: open file, its opener's
 * @cmd: unused
 * @arg: struct nd_ioctl_bar_rw
 *
 * Return: -EACCES for registers of MiscRAM; -EINVAL for no or other offsets; -E2BIG for too many;
 * -ENOMEM; -EFAULT. Nothing is written.
 */
long nd_ioc_bar_write(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_bar_rw request;
	struct nd_reads *writes;
	bool blocked = false;
	u32 i;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	writes = nd_reads_get(request.address, request.count);
	if (IS_ERR(writes))
		return PTR_ERR(writes);
	/* By range, so that an offset beside a register is refused as well. */
	for (i = 0; i < writes->count && !request.bar; i++)
		blocked |= nd_bar_miscram(file->nd, writes->address[i]) < ND_MISCRAM_SIZE;
	kfree(writes);
	return blocked ? -EACCES : -EINVAL;
}

/**
 * nd_ioc_post_metric() - POST_METRIC: records for the firmware that the caller made
 * @file: open file, its opener's
 * @cmd: unused
 * @arg: struct nd_ioctl_post_metric
 *
 * Return: 0; -EINVAL for no bytes; -E2BIG for more than ND_FWIO_DATA_MAX; the result of
 * nd_fwio_post(); -EFAULT.
 */
long nd_ioc_post_metric(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_post_metric request;
	u8 data[ND_FWIO_DATA_MAX];

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	if (!request.data_size)
		return -EINVAL;
	if (request.data_size > sizeof(data))
		return -E2BIG;
	if (copy_from_user(data, u64_to_user_ptr(request.data), request.data_size))
		return -EFAULT;
	return nd_fwio_post(file->nd, data, request.data_size).result;
}

/* Words that only tell: nothing in them is a mailbox, a doorbell, a payload or another host's. */
static bool nd_counter_readable(u64 offset)
{
	switch (offset) {
	case ND_MISCRAM_API_VERSION:
	case ND_MISCRAM_DEVICE_ID:
	case ND_MISCRAM_INSTANCE_PARTITION:
	case ND_MISCRAM_SERIAL_LO:
	case ND_MISCRAM_SERIAL_HI:
	case ND_MISCRAM_SRAM_ECC:
	case ND_MISCRAM_HBM_ECC(0):
	case ND_MISCRAM_HBM_ECC(1):
	case ND_MISCRAM_HBM_ECC(2):
	case ND_MISCRAM_HBM_ECC(3):
	case ND_MISCRAM_POWER_UTIL(0):
	case ND_MISCRAM_POWER_UTIL(1):
	case ND_MISCRAM_HBM_REPAIR:
	case ND_MISCRAM_SERVER_RACK:
	case ND_MISCRAM_RESERVATION_HI:
	case ND_MISCRAM_RESERVATION_LO:
	case ND_MISCRAM_FW_STATUS:
		return true;
	default:
		return false;
	}
}

static int nd_counters_read(struct nd_device *nd, struct nd_reads *reads)
{
	u32 i;
	int ret;

	for (i = 0; i < reads->count; i++)
		if (!nd_counter_readable(reads->address[i] - nd->arch->miscram_addr))
			return -EACCES;
	ret = nd_fwio_read(nd, reads->address, reads->value, reads->count);
	for (i = 0; i < reads->count && !ret; i++) {
		if (reads->value[i] == ND_MISCRAM_BUSY)
			ret = -EAGAIN;
		else if (reads->value[i] == ND_MISCRAM_GONE)
			ret = -EIO;
	}
	return ret;
}

/**
 * nd_ioc_read_hw_counters() - READ_HW_COUNTERS: registers as the firmware reads them
 * @file: open file, its opener's
 * @cmd: unused
 * @arg: struct nd_ioctl_read_hw_counters
 *
 * Return: 0; -EINVAL for none; -E2BIG for too many; -EACCES for an address that is not one of
 * nd_counter_readable(); -EAGAIN or -EIO for a register that does not answer, as nd_reg_read(); as
 * nd_fwio_read(); -ENOMEM; -EFAULT.
 */
long nd_ioc_read_hw_counters(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_read_hw_counters request;
	struct nd_reads *reads;
	int ret;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	reads = nd_reads_get(request.address, request.count);
	if (IS_ERR(reads))
		return PTR_ERR(reads);
	ret = nd_counters_read(file->nd, reads);
	if (!ret)
		ret = nd_reads_put(reads, request.data);
	kfree(reads);
	return ret;
}

static bool nd_has_profiles(const struct nd_device *nd)
{
	return nd->arch->arch != ND_ARCH_V2;
}

/**
 * nd_ioc_power_profile() - POWER_PROFILE
 * @file: open file
 * @cmd: unused
 * @arg: struct nd_ioctl_power_profile
 *
 * A profile is announced only after the firmware took it.
 *
 * Return: 0; -ENXIO for another size; -ENOTSUPP for a control; -EINVAL for a profile that is none;
 * as nd_fwio_set_profile(); -EFAULT.
 */
long nd_ioc_power_profile(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_power_profile request;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	if (request.sz != sizeof(request))
		return -ENXIO;
	if (request.ctrl)
		return -ND_ENOTSUPP;
	if (!nd_has_profiles(file->nd))
		return 0;
	if (request.profile > U8_MAX)
		return -EINVAL;
	return nd_fwio_set_profile(file->nd, request.profile);
}

/**
 * nd_ioc_performance_profile() - GET_PERFORMANCE_PROFILE
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_performance_profile
 *
 * Return: 0; -ENXIO for another size; -EOPNOTSUPP for V2; as nd_fwio_get_profile(); -EFAULT.
 */
long nd_ioc_performance_profile(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_performance_profile answer;
	u8 profile;
	int ret;

	if (copy_from_user(&answer, arg, sizeof(answer)))
		return -EFAULT;
	if (answer.sz != sizeof(answer))
		return -ENXIO;
	if (!nd_has_profiles(file->nd))
		return -EOPNOTSUPP;
	ret = nd_fwio_get_profile(file->nd, &profile);
	if (ret)
		return ret;
	answer.pad = 0;
	answer.profile = profile;
	return copy_to_user(arg, &answer, sizeof(answer)) ? -EFAULT : 0;
}

/**
 * nd_ioc_perf_profiles() - AVAILABLE_PERF_PROFILES
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_perf_profiles
 *
 * Return: 0; -ENXIO for another size; -EOPNOTSUPP for V2; as nd_fwio_get_profiles(); -EFAULT.
 */
long nd_ioc_perf_profiles(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_perf_profiles answer;
	struct nd_fwio_profiles profiles;
	int ret;

	if (copy_from_user(&answer, arg, sizeof(answer)))
		return -EFAULT;
	if (answer.sz != sizeof(answer))
		return -ENXIO;
	if (!nd_has_profiles(file->nd))
		return -EOPNOTSUPP;
	ret = nd_fwio_get_profiles(file->nd, ND_FWIO_PROFILES_ALL, &profiles);
	if (ret)
		return ret;
	answer.pad = 0;
	answer.count = profiles.count;
	memcpy(answer.bitmap, profiles.bitmap, sizeof(answer.bitmap));
	return copy_to_user(arg, &answer, sizeof(answer)) ? -EFAULT : 0;
}

/**
 * nd_ioc_throttling() - THROTTLING_NOTIFICATIONS; other features stay as they are
 * @file: open file
 * @cmd: unused
 * @arg: struct nd_ioctl_throttling
 *
 * Return: 0; -EINVAL for anything but 0 and 1; as nd_fwio_set_feature(); -EFAULT.
 */
long nd_ioc_throttling(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_throttling request;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	if (request.enable > 1)
		return -EINVAL;
	return nd_fwio_set_feature(file->nd, ND_FWIO_FEATURE_THROTTLING,
				   request.enable ? ND_FWIO_FEATURE_THROTTLING : 0);
}
