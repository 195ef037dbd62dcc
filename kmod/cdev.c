// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device node. A file is on one of two lanes for life: opened exactly O_WRONLY it may only
 * query (the free lane); otherwise it is on the normal lane. Opening takes no place: a place is
 * taken by acquiring a slab.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cdev.h"
#include "cookie.h"
#include "device.h"
#include "relay.h"
#include "uapi/ndtel/ioctl.h"

/* feature_flags1 bits of the reference announce DMA and memory commands; there are none here. */
#define ND_FEATURES 0ULL

/* ENOTSUPP never reaches programs by name, but the reference returns its number. */
#define ND_ENOTSUPP 524

static int nd_wait_ready(struct nd_device *nd, struct file *filp)
{
	if (READ_ONCE(nd->state) == ND_STATE_RESET && (filp->f_flags & O_NONBLOCK))
		return -EAGAIN;
	if (wait_event_interruptible(nd->state_wait, READ_ONCE(nd->state) != ND_STATE_RESET ||
				     READ_ONCE(nd->gone)))
		return -ERESTARTSYS;
	if (READ_ONCE(nd->gone))
		return -ENODEV;
	return READ_ONCE(nd->state) == ND_STATE_INVALID ? -EINVAL : 0;
}

/* Counted before the state is looked at: see reset_store(). */
static void nd_count_open(struct nd_device *nd, int change)
{
	mutex_lock(&nd->open_lock);
	nd->opens += change;
	mutex_unlock(&nd->open_lock);
}

static int nd_cdev_open(struct inode *inode, struct file *filp)
{
	struct nd_device *nd = container_of(inode->i_cdev, struct nd_device, cdev);
	bool free_lane = (filp->f_flags & O_ACCMODE) == O_WRONLY;
	struct nd_file *file;
	int ret = 0;

	if (READ_ONCE(nd->gone))
		return -ENODEV;
	if (!free_lane) {
		nd_count_open(nd, 1);
		ret = nd_wait_ready(nd, filp);
		if (ret)
			goto undo;
	}
	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file) {
		ret = -ENOMEM;
		goto undo;
	}
	file->nd = nd;
	file->free_lane = free_lane;
	nds_file_holds_init(&file->holds);
	filp->private_data = file;
	return nonseekable_open(inode, filp);

undo:
	if (!free_lane)
		nd_count_open(nd, -1);
	return ret;
}

static int nd_cdev_flush(struct file *filp, fl_owner_t id)
{
	struct nd_file *file = filp->private_data;

	/*
	 * Closing one of several descriptors releases nothing; the death of the whole process
	 * does, even when a child still holds the file. A dying thread with a file table of its
	 * own is not the process.
	 */
	if ((current->flags & PF_EXITING) && !atomic_read(&current->signal->live)) {
		nds_owner_exits(file->nd);
		nd_relay_owner_exits(file);
	}
	return 0;
}

static int nd_cdev_release(struct inode *inode, struct file *filp)
{
	struct nd_file *file = filp->private_data;

	nd_metrics_unvote(file);
	nd_relay_detach(file);
	nds_file_closed(file);
	if (!file->free_lane)
		nd_count_open(file->nd, -1);
	kfree(file);
	return 0;
}

static long nd_ioc_device_info(struct nd_file *file, void __user *arg)
{
	struct nd_ioctl_device_info info = {
		.architecture = file->nd->arch->arch,
		.revision = file->nd->revision,
	};

	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long nd_ioc_basic_info(struct nd_file *file, void __user *arg)
{
	struct nd_ioctl_basic_info info = {
		.architecture = file->nd->arch->arch,
		.revision = file->nd->revision,
	};

	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long nd_ioc_compatible_version(struct nd_file *file, void __user *arg)
{
	struct nd_ioctl_compatible_version version = {
		.max = file->nd->arch->compatible_max,
		.min = file->nd->arch->compatible_min,
	};

	return copy_to_user(arg, &version, sizeof(version)) ? -EFAULT : 0;
}

static long nd_ioc_driver_info(struct nd_file *file, void __user *arg)
{
	struct nd_ioctl_driver_info info = {
		.architecture = file->nd->arch->arch,
		.revision = file->nd->revision,
		.size = sizeof(info),
		.feature_flags1 = ND_FEATURES,
	};

	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long nd_ioc_host_device_id(struct nd_file *file, void __user *arg)
{
	return put_user((u32)file->nd->index, (u32 __user *)arg);
}

static long nd_ioc_acquire(struct nd_file *file, void __user *arg)
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

static long nd_ioc_release(struct nd_file *file, void __user *arg)
{
	struct nd_ioctl_ds_info info;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	return nds_release(file, info.pid);
}

/* Processes that use the device are those that own a slab; who only looks is none. */
static unsigned int nd_apps_fill(struct nd_device *nd, u16 flags,
				 struct nd_ioctl_app_record *records)
{
	struct nds_slab *slab;
	unsigned int n = 0;
	int i;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++) {
		slab = nd->nds.place[i];
		/* A process outside the caller's pid namespace cannot be named. */
		if (!slab || !pid_vnr(slab->owner))
			continue;
		records[n].pid = pid_vnr(slab->owner);
		if (flags & ND_APPS_MEM_USAGE)
			records[n].host_mem_size = NDS_SLAB_SIZE;
		n++;
	}
	nds_unlock(&nd->nds);
	return n;
}

static long nd_ioc_apps_info(struct nd_file *file, void __user *arg)
{
	struct nd_ioctl_app_record *records;
	struct nd_ioctl_apps_info_hdr hdr;
	long ret = 0;

	if (copy_from_user(&hdr, arg, sizeof(hdr)))
		return -EFAULT;
	if (hdr.flags & ~ND_APPS_ALL)
		return -EINVAL;
	records = kcalloc(NDS_SLABS_PER_DEVICE, sizeof(*records), GFP_KERNEL_ACCOUNT);
	if (!records)
		return -ENOMEM;
	hdr.size = min(nd_apps_fill(file->nd, hdr.flags, records), hdr.capacity);
	hdr.pad = 0;
	hdr.pad1 = 0;
	if (copy_to_user(arg + sizeof(hdr), records, hdr.size * sizeof(*records)) ||
	    copy_to_user(arg, &hdr, sizeof(hdr)))
		ret = -EFAULT;
	kfree(records);
	return ret;
}

static long nd_ioc_metrics_ctrl(struct nd_file *file, struct file *filp, void __user *arg)
{
	struct nd_ioctl_metrics_ctrl ctrl;

	/* Who may only look must not silence a device. */
	if (!(filp->f_mode & FMODE_WRITE) && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	if (copy_from_user(&ctrl, arg, sizeof(ctrl)))
		return -EFAULT;
	return nd_metrics_vote(file, ctrl.mode);
}

static long nd_ioctl_free(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case ND_IOC_COMPATIBLE_VERSION:
		return nd_ioc_compatible_version(file, arg);
	case ND_IOC_DEVICE_BASIC_INFO:
		return nd_ioc_basic_info(file, arg);
	case ND_IOC_DRIVER_INFO_GET:
		return nd_ioc_driver_info(file, arg);
	case ND_IOC_DRIVER_INFO_SET:
		return -ND_ENOTSUPP;
	default:
		return -ENOTTY;
	}
}

static long nd_ioctl_normal(struct nd_file *file, struct file *filp, unsigned int cmd,
			    void __user *arg)
{
	switch (cmd) {
	case ND_IOC_DEVICE_INIT:
	case ND_IOC_DEVICE_RELEASE:
		return 0;
	case ND_IOC_DEVICE_INFO:
		return nd_ioc_device_info(file, arg);
	case ND_IOC_GET_ALL_APPS_INFO:
		return nd_ioc_apps_info(file, arg);
	case ND_IOC_ACQUIRE_NEURON_DS:
		return nd_ioc_acquire(file, arg);
	case ND_IOC_RELEASE_NEURON_DS:
		return nd_ioc_release(file, arg);
	case ND_IOC_HOST_DEVICE_ID:
		return nd_ioc_host_device_id(file, arg);
	case ND_IOC_METRICS_CTRL:
		return nd_ioc_metrics_ctrl(file, filp, arg);
	case ND_IOC_RELAY_ATTACH:
		return nd_relay_attach(file, filp);
	case ND_IOC_RELAY_ACK:
		return nd_relay_ack(file, arg);
	default:
		return nd_ioctl_free(file, cmd, arg);
	}
}

/*
 * On the free lane a command of the normal lane is an argument that does not fit, an unknown one
 * is unknown.
 */
static bool nd_ioctl_needs_normal_lane(unsigned int cmd)
{
	switch (cmd) {
	case ND_IOC_DEVICE_INIT:
	case ND_IOC_DEVICE_RELEASE:
	case ND_IOC_DEVICE_INFO:
	case ND_IOC_GET_ALL_APPS_INFO:
	case ND_IOC_ACQUIRE_NEURON_DS:
	case ND_IOC_RELEASE_NEURON_DS:
	case ND_IOC_HOST_DEVICE_ID:
	case ND_IOC_METRICS_CTRL:
	case ND_IOC_RELAY_ATTACH:
	case ND_IOC_RELAY_ACK:
		return true;
	default:
		return false;
	}
}

static long nd_cdev_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct nd_file *file = filp->private_data;
	void __user *uarg = (void __user *)arg;
	long ret;

	if (!nd_device_enter(file->nd))
		return -ENODEV;
	if (!file->free_lane)
		ret = nd_ioctl_normal(file, filp, cmd, uarg);
	else if (nd_ioctl_needs_normal_lane(cmd))
		ret = -EINVAL;
	else
		ret = nd_ioctl_free(file, cmd, uarg);
	nd_device_leave(file->nd);
	return ret;
}

static int nd_cdev_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct nd_file *file = filp->private_data;
	int ret;

	if (!nd_device_enter(file->nd))
		return -ENODEV;
	switch (nd_cookie_kind(nd_cookie_of_vma(vma))) {
	case ND_COOKIE_NDS:
		ret = nds_mmap(file->nd, vma);
		break;
	default:
		ret = -ENXIO;
		break;
	}
	nd_device_leave(file->nd);
	return ret;
}

static ssize_t nd_cdev_read(struct file *filp, char __user *buf, size_t count, loff_t *pos)
{
	struct nd_file *file = filp->private_data;
	ssize_t ret;

	if (!nd_device_enter(file->nd))
		return -ENODEV;
	ret = nd_relay_read(file, filp->f_flags & O_NONBLOCK, buf, count);
	nd_device_leave(file->nd);
	return ret;
}

static __poll_t nd_cdev_poll(struct file *filp, poll_table *wait)
{
	return nd_relay_poll(filp->private_data, filp, wait);
}

const struct file_operations nd_cdev_fops = {
	.owner = THIS_MODULE,
	.open = nd_cdev_open,
	.flush = nd_cdev_flush,
	.release = nd_cdev_release,
	.unlocked_ioctl = nd_cdev_ioctl,
	.mmap = nd_cdev_mmap,
	.read = nd_cdev_read,
	.poll = nd_cdev_poll,
};
