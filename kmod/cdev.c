// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device node. A file is on one of two lanes for life: opened exactly O_WRONLY it may only
 * do what needs no device that is ready (the free lane); otherwise it is on the normal lane.
 * Opening takes no place: a place is taken by acquiring a slab.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cdev.h"
#include "cdev_ioctl.h"
#include "cookie.h"
#include "crwl_owner.h"
#include "device.h"
#include "relay.h"
#include "uapi/ndtel/ioctl.h"

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
	file->opener = get_pid(task_tgid(current));
	file->free_lane = free_lane;
	file->mode = filp->f_mode;
	nds_file_holds_init(&file->holds);
	nd_owner_file_opened(file);
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
		nd_owner_exits();
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
	nd_owner_file_closed(file);
	if (!file->free_lane)
		nd_count_open(file->nd, -1);
	put_pid(file->opener);
	kfree(file);
	return 0;
}

/* What a caller must be for a command. */
#define ND_GATE_FREE		0x1	/* works on the free lane too */
#define ND_GATE_WRITABLE	0x2	/* who may only look must not */
#define ND_GATE_ATTACHED	0x4	/* whoever opened the file, not who was handed it */
#define ND_GATE_BY_NR		0x8	/* whatever size and direction say; the handler looks */

/**
 * struct nd_ioc - one command
 * @cmd: number
 * @gate: ND_GATE_*
 * @handler: does it
 */
struct nd_ioc {
	u32 cmd;
	u32 gate;
	long (*handler)(struct nd_file *file, unsigned int cmd, void __user *arg);
};

static long nd_ioc_relay_attach(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	return nd_relay_attach(file);
}

static long nd_ioc_relay_ack(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	return nd_relay_ack(file, arg);
}

#define ND_F	ND_GATE_FREE
#define ND_W	ND_GATE_WRITABLE
#define ND_WA	(ND_GATE_WRITABLE | ND_GATE_ATTACHED)

static const struct nd_ioc nd_iocs[] = {
	{ ND_IOC_ACQUIRE_NEURON_DS,		0, nd_ioc_acquire },
	{ ND_IOC_RELEASE_NEURON_DS,		0, nd_ioc_release },
	{ ND_IOC_DEVICE_APP_PID,		0, nd_ioc_app_pid },
	{ ND_IOC_GET_ALL_APPS_INFO,		0, nd_ioc_apps_info },
	{ ND_IOC_METRICS_CTRL,			ND_W, nd_ioc_metrics_ctrl },

	{ ND_IOC_DEVICE_INIT,			0, nd_ioc_nothing },
	{ ND_IOC_DEVICE_RELEASE,		0, nd_ioc_nothing },
	{ ND_IOC_DEVICE_INFO,			0, nd_ioc_device_info },
	{ ND_IOC_DEVICE_BASIC_INFO,		ND_F, nd_ioc_basic_info },
	{ ND_IOC_COMPATIBLE_VERSION,		ND_F, nd_ioc_compatible_version },
	{ ND_IOC_DRIVER_INFO_GET,		ND_F | ND_GATE_BY_NR, nd_ioc_driver_info },
	{ ND_IOC_HOST_DEVICE_ID,		0, nd_ioc_host_device_id },
	{ ND_IOC_RID_MAP,			ND_F | ND_GATE_BY_NR, nd_ioc_rid_map },
	{ ND_IOC_GET_NC_MAPPING,		ND_F, nd_ioc_nc_mapping },
	{ ND_IOC_DEVICE_BDF,			0, nd_ioc_bdf },
	{ ND_IOC_DEVICE_BDF_EXT,		ND_F, nd_ioc_bdf_ext },

	{ ND_IOC_NC_RESET,			ND_WA, nd_ioc_nc_reset },
	{ ND_IOC_NC_RESET_READY,		0, nd_ioc_nc_reset_ready },
	{ ND_IOC_DEVICE_RESET_STATUS,		0, nd_ioc_reset_status },

	{ ND_IOC_BAR_READ,			0, nd_ioc_bar_read },
	{ ND_IOC_BAR_WRITE,			ND_WA, nd_ioc_bar_write },
	{ ND_IOC_POST_METRIC,			ND_WA, nd_ioc_post_metric },
	{ ND_IOC_READ_HW_COUNTERS,		ND_WA, nd_ioc_read_hw_counters },
	{ ND_IOC_POWER_PROFILE,			ND_W, nd_ioc_power_profile },
	{ ND_IOC_GET_PERFORMANCE_PROFILE,	0, nd_ioc_performance_profile },
	{ ND_IOC_AVAILABLE_PERF_PROFILES,	0, nd_ioc_perf_profiles },
	{ ND_IOC_THROTTLING_NOTIFICATIONS,	ND_W, nd_ioc_throttling },

	{ ND_IOC_CRWL_READER_ENTER,		ND_WA, nd_ioc_crwl },
	{ ND_IOC_CRWL_READER_EXIT,		ND_WA, nd_ioc_crwl },
	{ ND_IOC_CRWL_WRITER_ENTER,		ND_WA, nd_ioc_crwl },
	{ ND_IOC_CRWL_WRITER_DOWNGRADE,		ND_WA, nd_ioc_crwl },
	{ ND_IOC_NC_RANGE_MARK,			ND_F | ND_WA, nd_ioc_range_mark },
	{ ND_IOC_NC_RANGE_MARK_EXT,		ND_F | ND_WA, nd_ioc_range_mark },
	{ ND_IOC_NC_RANGE_UNMARK,		ND_F | ND_WA, nd_ioc_range_unmark },
	{ ND_IOC_NC_RANGE_UNMARK_EXT,		ND_F | ND_WA, nd_ioc_range_unmark },
	{ ND_IOC_CINIT_SET_STATE,		ND_WA, nd_ioc_cinit },
	{ ND_IOC_NC_MODEL_STARTED_COUNT,	0, nd_ioc_model_started },

	{ ND_IOC_POD_INFO,			ND_F, nd_ioc_pod_info },
	{ ND_IOC_POD_STATUS,			ND_F, nd_ioc_pod_status },
	{ ND_IOC_POD_STATUS_V2,			ND_F, nd_ioc_pod_status },
	{ ND_IOC_POD_CTRL,			ND_F | ND_W, nd_ioc_pod_ctrl },
	{ ND_IOC_POD_CTRL_V2,			ND_F | ND_W, nd_ioc_pod_ctrl },

	{ ND_IOC_PRINTK,			ND_F, nd_ioc_printk },

	{ ND_IOC_RELAY_ATTACH,			0, nd_ioc_relay_attach },
	{ ND_IOC_RELAY_ACK,			0, nd_ioc_relay_ack },
};

static bool nd_ioc_is(const struct nd_ioc *ioc, unsigned int cmd)
{
	if (ioc->gate & ND_GATE_BY_NR)
		return _IOC_TYPE(cmd) == ND_IOC_MAGIC && _IOC_NR(cmd) == _IOC_NR(ioc->cmd);
	return ioc->cmd == cmd;
}

static const struct nd_ioc *nd_ioc_find(unsigned int cmd)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nd_iocs); i++)
		if (nd_ioc_is(&nd_iocs[i], cmd))
			return &nd_iocs[i];
	return NULL;
}

static int nd_ioc_check(const struct nd_ioc *ioc, const struct nd_file *file)
{
	/* On the free lane a command of the normal lane is an argument that does not fit. */
	if (file->free_lane && !(ioc->gate & ND_GATE_FREE))
		return -EINVAL;
	if ((ioc->gate & ND_GATE_ATTACHED) && file->opener != task_tgid(current))
		return -EACCES;
	if ((ioc->gate & ND_GATE_WRITABLE) && !(file->mode & FMODE_WRITE) &&
	    !capable(CAP_SYS_ADMIN))
		return -EACCES;
	return 0;
}

static long nd_cdev_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct nd_file *file = filp->private_data;
	const struct nd_ioc *ioc;
	long ret;

	if (!nd_device_enter(file->nd))
		return -ENODEV;
	ioc = nd_ioc_find(cmd);
	ret = ioc ? nd_ioc_check(ioc, file) : -ENOTTY;
	if (!ret)
		ret = ioc->handler(file, cmd, (void __user *)arg);
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
