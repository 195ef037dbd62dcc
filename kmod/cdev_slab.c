// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls about slabs, about the processes that use a device, and about pausing its posts.
 */
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cdev.h"
#include "cdev_ioctl.h"
#include "crwl_locks.h"
#include "device.h"
#include "uapi/ndtel/ioctl.h"

/* Owners of slabs, and processes that only have models on cores. */
#define ND_APPS_MAX (NDS_SLABS_PER_DEVICE + ND_MAX_NC_PER_DEVICE)

/**
 * nd_ioc_acquire() - ACQUIRE_NEURON_DS
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_ds_info
 *
 * Return: as nds_acquire(), or -EFAULT.
 */
long nd_ioc_acquire(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_ds_info info;
	s32 pid;
	int ret;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	pid = info.pid;
	memset(&info, 0, sizeof(info));
	info.pid = pid;
	info.size = NDS_SLAB_SIZE;
	ret = nds_acquire(file, pid, &info.mmap_offset);
	if (ret)
		return ret;
	if (copy_to_user(arg, &info, sizeof(info))) {
		/* The caller never learns of what it acquired, so it cannot release it. */
		nds_release(file, pid);
		return -EFAULT;
	}
	return 0;
}

/**
 * nd_ioc_release() - RELEASE_NEURON_DS
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_ds_info
 *
 * Return: as nds_release(), or -EFAULT.
 */
long nd_ioc_release(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_ds_info info;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	return nds_release(file, info.pid);
}

/**
 * nd_ioc_app_pid() - DEVICE_APP_PID
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: s32, out: process in the lowest place that the caller's pid namespace has, 0 = none
 *
 * Return: 0 or -EFAULT.
 */
long nd_ioc_app_pid(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_device *nd = file->nd;
	s32 pid = 0;
	int i;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	for (i = 0; i < NDS_SLABS_PER_DEVICE && !pid; i++)
		if (nd->nds.place[i])
			pid = pid_vnr(nd->nds.place[i]->owner);
	nds_unlock(&nd->nds);
	return put_user(pid, (s32 __user *)arg);
}

static struct nd_ioctl_app_record *nd_apps_find(struct nd_ioctl_app_record *records,
						unsigned int *n, s32 pid)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (records[i].pid == pid)
			return &records[i];
	records[*n].pid = pid;
	return &records[(*n)++];
}

static void nd_apps_fill_slabs(struct nd_device *nd, u16 flags,
			       struct nd_ioctl_app_record *records, unsigned int *n)
{
	struct nd_ioctl_app_record *record;
	struct nds_slab *slab;
	int i;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++) {
		slab = nd->nds.place[i];
		/* A process outside the caller's pid namespace cannot be named. */
		if (!slab || !pid_vnr(slab->owner))
			continue;
		record = nd_apps_find(records, n, pid_vnr(slab->owner));
		if (flags & ND_APPS_MEM_USAGE)
			record->host_mem_size = NDS_SLAB_SIZE;
	}
	nds_unlock(&nd->nds);
}

static void nd_apps_fill_cores(struct nd_device *nd, u16 flags,
			       struct nd_ioctl_app_record *records, unsigned int *n)
{
	struct nd_lock_holder holder;
	struct nd_ioctl_app_record *record;
	u32 nc;

	for (nc = 0; nc < nd->arch->nc_count; nc++) {
		if (!nd_locks_holder(nd, nc, &holder))
			continue;
		record = nd_apps_find(records, n, holder.pid);
		if (!(flags & ND_APPS_NC_LOCK_INFO))
			continue;
		record->nc_lock_map |= BIT(nc);
		if (nc < ARRAY_SIZE(record->uuid))
			memcpy(record->uuid[nc], holder.uuid, sizeof(record->uuid[nc]));
	}
}

/**
 * nd_ioc_apps_info() - GET_ALL_APPS_INFO: who owns a slab or has a model on a core; who only looks
 * is none of them
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_apps_info_hdr and records
 *
 * Return: 0; -EINVAL for an unknown flag; -ENOMEM; -EFAULT.
 */
long nd_ioc_apps_info(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_app_record *records;
	struct nd_ioctl_apps_info_hdr hdr;
	unsigned int n = 0;
	long ret = 0;

	if (copy_from_user(&hdr, arg, sizeof(hdr)))
		return -EFAULT;
	if (hdr.flags & ~ND_APPS_ALL)
		return -EINVAL;
	records = kcalloc(ND_APPS_MAX, sizeof(*records), GFP_KERNEL_ACCOUNT);
	if (!records)
		return -ENOMEM;
	nd_apps_fill_slabs(file->nd, hdr.flags, records, &n);
	nd_apps_fill_cores(file->nd, hdr.flags, records, &n);
	hdr.size = min(n, hdr.capacity);
	hdr.pad = 0;
	hdr.pad1 = 0;
	if (copy_to_user(arg + sizeof(hdr), records, hdr.size * sizeof(*records)) ||
	    copy_to_user(arg, &hdr, sizeof(hdr)))
		ret = -EFAULT;
	kfree(records);
	return ret;
}

/**
 * nd_ioc_metrics_ctrl() - METRICS_CTRL
 * @file: open file, normal lane
 * @cmd: unused
 * @arg: struct nd_ioctl_metrics_ctrl
 *
 * Return: as nd_metrics_vote(), or -EFAULT.
 */
long nd_ioc_metrics_ctrl(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_metrics_ctrl ctrl;

	if (copy_from_user(&ctrl, arg, sizeof(ctrl)))
		return -EFAULT;
	return nd_metrics_vote(file, ctrl.mode);
}
