// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls about core locks, range marks and core initialisation.
 */
#include <linux/uaccess.h>

#include "cdev.h"
#include "cdev_ioctl.h"
#include "crwl_locks.h"
#include "crwl_owner.h"
#include "device.h"
#include "uapi/ndtel/ioctl.h"

/**
 * nd_ioc_crwl() - CRWL_READER_ENTER, _READER_EXIT, _WRITER_ENTER, _WRITER_DOWNGRADE
 * @file: open file, normal lane, its opener's
 * @cmd: which
 * @arg: struct nd_ioctl_crwl
 *
 * Return: as nd_crwl_enter(), nd_crwl_exit(), nd_crwl_downgrade(); -ENOMEM; -EFAULT.
 */
long nd_ioc_crwl(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_device *nd = file->nd;
	struct nd_ioctl_crwl crwl;
	int ret;

	if (copy_from_user(&crwl, arg, sizeof(crwl)))
		return -EFAULT;
	ret = nd_owner_register(file);
	if (ret)
		return ret;
	switch (cmd) {
	case ND_IOC_CRWL_READER_ENTER:
		return nd_crwl_enter(nd, crwl.nc_id, crwl.uuid, ND_CRWL_READER);
	case ND_IOC_CRWL_READER_EXIT:
		return nd_crwl_exit(nd, crwl.nc_id, crwl.uuid);
	case ND_IOC_CRWL_WRITER_ENTER:
		return nd_crwl_enter(nd, crwl.nc_id, crwl.uuid, ND_CRWL_WRITER);
	default:
		return nd_crwl_downgrade(nd, crwl.nc_id, crwl.uuid);
	}
}

/* Both forms have the same head; what differs is how far the bitmap goes. */
static size_t nd_range_size(unsigned int cmd)
{
	return cmd == ND_IOC_NC_RANGE_MARK || cmd == ND_IOC_NC_RANGE_UNMARK ?
		       sizeof(struct nd_ioctl_nc_range) :
		       sizeof(struct nd_ioctl_nc_range_ext);
}

static u32 nd_range_words(unsigned int cmd)
{
	return (nd_range_size(cmd) - offsetof(struct nd_ioctl_nc_range_ext, bitmap)) / sizeof(u64);
}

/**
 * nd_ioc_range_mark() - CRWL_NC_RANGE_MARK, both forms
 * @file: open file, any lane, its opener's
 * @cmd: which form
 * @arg: struct nd_ioctl_nc_range or struct nd_ioctl_nc_range_ext
 *
 * Return: 0; -EBUSY, with max_available filled; as nd_marks_mark(); -ENOMEM; -EFAULT, with nothing
 * marked.
 */
long nd_ioc_range_mark(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	u32 words = nd_range_words(cmd);
	struct nd_ioctl_nc_range_ext range;
	int ret;

	if (copy_from_user(&range, arg, nd_range_size(cmd)))
		return -EFAULT;
	ret = nd_owner_register(file);
	if (ret)
		return ret;
	memset(range.bitmap, 0, sizeof(range.bitmap));
	ret = nd_marks_mark(file->nd, range.nc_count, range.start, range.end, range.bitmap, words,
			    &range.max_available);
	if (ret && ret != -EBUSY)
		return ret;
	if (copy_to_user(arg, &range, nd_range_size(cmd))) {
		/* The caller never learns what it marked, so it cannot give it back. */
		nd_marks_unmark(file->nd, range.bitmap, words);
		return -EFAULT;
	}
	return ret;
}

/**
 * nd_ioc_range_unmark() - CRWL_NC_RANGE_UNMARK, both forms
 * @file: open file, any lane, its opener's
 * @cmd: which form
 * @arg: struct nd_ioctl_nc_range or struct nd_ioctl_nc_range_ext
 *
 * Return: 0, also for cores that are not the caller's; -EFAULT.
 */
long nd_ioc_range_unmark(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_nc_range_ext range;

	if (copy_from_user(&range, arg, nd_range_size(cmd)))
		return -EFAULT;
	nd_marks_unmark(file->nd, range.bitmap, nd_range_words(cmd));
	return 0;
}

/**
 * nd_ioc_cinit() - CINIT_SET_STATE
 * @file: open file, normal lane, its opener's
 * @cmd: unused
 * @arg: struct nd_ioctl_cinit
 *
 * Return: as nd_cinit_set(); -ENOMEM; -EFAULT.
 */
long nd_ioc_cinit(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_cinit cinit;
	int ret;

	if (copy_from_user(&cinit, arg, sizeof(cinit)))
		return -EFAULT;
	/* Before anything changes: the caller will be able to learn the outcome. */
	if (copy_to_user(arg, &cinit, sizeof(cinit)))
		return -EFAULT;
	ret = nd_owner_register(file);
	if (ret)
		return ret;
	ret = nd_cinit_set(file->nd, cinit.nc_id, cinit.state, &cinit.new_state);
	if (ret)
		return ret;
	return copy_to_user(arg, &cinit, sizeof(cinit)) ? -EFAULT : 0;
}

/**
 * nd_ioc_model_started() - NC_MODEL_STARTED_COUNT
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_model_started
 *
 * Return: 0; -E2BIG for a core that is none; -EFAULT.
 */
long nd_ioc_model_started(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_model_started started;
	int ret;

	if (copy_from_user(&started, arg, sizeof(started)))
		return -EFAULT;
	started.pad = 0;
	ret = nd_cinit_models(file->nd, started.nc_id, &started.count);
	if (ret)
		return ret;
	return copy_to_user(arg, &started, sizeof(started)) ? -EFAULT : 0;
}
