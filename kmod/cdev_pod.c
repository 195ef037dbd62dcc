// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls about the pod a host is part of.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <asm/byteorder.h>

#include "cdev.h"
#include "cdev_ioctl.h"
#include "pod.h"
#include "uapi/ndtel/ioctl.h"

/* Old programs leave the size out. */
static bool nd_pod_size_fits(u16 sz, unsigned int cmd)
{
	return !sz || sz == _IOC_SIZE(cmd);
}

static void nd_pod_id(const struct nd_pod *pod, u8 id[ND_POD_ID_MAX])
{
	__le64 serial = cpu_to_le64(pod->serial);

	memcpy(id, &serial, sizeof(serial));
}

/**
 * nd_ioc_pod_info() - POD_INFO
 * @file: open file, any lane
 * @cmd: has the size
 * @arg: struct nd_ioctl_pod_info
 *
 * Return: 0; -ENXIO for another size; -ENOMEM; -EFAULT.
 */
long nd_ioc_pod_info(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_pod_info *info;
	struct nd_pod pod;
	long ret = 0;
	u16 sz;

	if (get_user(sz, (u16 __user *)arg))
		return -EFAULT;
	if (!nd_pod_size_fits(sz, cmd))
		return -ENXIO;
	info = kzalloc(sizeof(*info), GFP_KERNEL_ACCOUNT);
	if (!info)
		return -ENOMEM;
	nd_pod_look(file->nd, &pod);
	info->sz = sizeof(*info);
	info->type = pod.type;
	info->size = pod.nodes;
	nd_pod_id(&pod, info->id);
	if (copy_to_user(arg, info, sizeof(*info)))
		ret = -EFAULT;
	kfree(info);
	return ret;
}

static void nd_pod_status_fill(const struct nd_pod *pod, u16 sz,
			       struct nd_ioctl_pod_status_v2 *status)
{
	status->v1.sz = sz;
	nd_pod_id(pod, status->v1.id);
	status->v1.state = pod->state;
	status->v1.type = pod->type;
	status->v1.size = pod->nodes;
	status->v1.node_id = pod->node_id;
	status->mode = pod->mode;
	status->modes_supported = pod->modes_supported;
}

/**
 * nd_ioc_pod_status() - POD_STATUS, both forms
 * @file: open file, any lane
 * @cmd: which form
 * @arg: struct nd_ioctl_pod_status or struct nd_ioctl_pod_status_v2
 *
 * Return: 0; -EBUSY with the answer filled while the election is not decided; -ENXIO for another
 * size; -ENOMEM; -EFAULT.
 */
long nd_ioc_pod_status(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_pod_status_v2 *status;
	struct nd_pod pod;
	long ret = 0;
	u16 sz;

	if (get_user(sz, (u16 __user *)arg))
		return -EFAULT;
	if (!nd_pod_size_fits(sz, cmd))
		return -ENXIO;
	status = kzalloc(sizeof(*status), GFP_KERNEL_ACCOUNT);
	if (!status)
		return -ENOMEM;
	nd_pod_look(file->nd, &pod);
	nd_pod_status_fill(&pod, _IOC_SIZE(cmd), status);
	if (pod.state == ND_POD_STATE_INIT || pod.state == ND_POD_STATE_IN_PROGRESS)
		ret = -EBUSY;
	if (copy_to_user(arg, status, _IOC_SIZE(cmd)))
		ret = -EFAULT;
	kfree(status);
	return ret;
}

static int nd_pod_control(struct nd_file *file, u32 control, u32 mode, bool longer)
{
	if (control > ND_POD_CTRL_SET_MODE)
		return -EINVAL;
	if (nd_pod_type(file->nd) == ND_POD_TYPE_NONE || control == ND_POD_CTRL_QUERY)
		return 0;
	if (control != ND_POD_CTRL_SET_MODE)
		return -EOPNOTSUPP;
	return longer ? nd_pod_set_mode(file->nd, mode) : -EINVAL;
}

/**
 * nd_ioc_pod_ctrl() - POD_CTRL, both forms
 * @file: open file, any lane
 * @cmd: which form
 * @arg: struct nd_ioctl_pod_ctrl or struct nd_ioctl_pod_ctrl_v2
 *
 * Return: 0; -EINVAL for a control that is none; -EOPNOTSUPP for one that would need an election;
 * as nd_pod_set_mode(); -ENXIO for another size; -EFAULT.
 */
long nd_ioc_pod_ctrl(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	bool longer = _IOC_SIZE(cmd) == sizeof(struct nd_ioctl_pod_ctrl_v2);
	struct nd_ioctl_pod_ctrl_v2 ctrl;
	struct nd_pod pod;
	int ret;

	if (copy_from_user(&ctrl, arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	/* Before anything changes: the caller will be able to learn the outcome. */
	if (copy_to_user(arg, &ctrl, _IOC_SIZE(cmd)))
		return -EFAULT;
	if (!nd_pod_size_fits(ctrl.v1.sz, cmd))
		return -ENXIO;
	ret = nd_pod_control(file, ctrl.v1.control, ctrl.mode, longer);
	if (ret)
		return ret;
	nd_pod_look(file->nd, &pod);
	ctrl.v1.sz = _IOC_SIZE(cmd);
	ctrl.v1.pad = 0;
	ctrl.v1.state = pod.state;
	ctrl.mode = pod.mode;
	return copy_to_user(arg, &ctrl, _IOC_SIZE(cmd)) ? -EFAULT : 0;
}
