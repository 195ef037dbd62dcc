// SPDX-License-Identifier: GPL-2.0-only
/*
 * PRINTK: a process that uses a device writes a line into the kernel's log. The line names its
 * writer, has no byte that could make it look like another line, and there are few of them.
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "cdev.h"
#include "cdev_ioctl.h"
#include "device.h"
#include "uapi/ndtel/ioctl.h"

static DEFINE_RATELIMIT_STATE(nd_printk_limit, 5 * HZ, 20);

static bool nd_may_print(struct nd_device *nd)
{
	bool uses;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	uses = nds_slab_of(&nd->nds, task_tgid(current));
	nds_unlock(&nd->nds);
	return uses || capable(CAP_SYSLOG);
}

static void nd_only_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/* Text of the caller, at most @size bytes up to a NUL, without a newline at its end. */
static char *nd_printk_text(const void __user *from, u32 size)
{
	char *text = kmalloc(size + 1, GFP_KERNEL_ACCOUNT);
	size_t n;

	if (!text)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(text, from, size)) {
		kfree(text);
		return ERR_PTR(-EFAULT);
	}
	text[size] = 0;
	n = strlen(text);
	if (n && text[n - 1] == '\n')
		text[n - 1] = 0;
	nd_only_printable(text);
	return text;
}

/**
 * nd_ioc_printk() - PRINTK
 * @file: open file, any lane
 * @cmd: unused
 * @arg: struct nd_ioctl_printk
 *
 * Return: 0; -EINVAL for no bytes; -E2BIG for more than ND_PRINTK_MAX; -EPERM for a caller that
 * neither owns a slab of the device nor has CAP_SYSLOG; -EBUSY when too much was printed lately;
 * -ENOMEM; -EFAULT.
 */
long nd_ioc_printk(struct nd_file *file, unsigned int cmd, void __user *arg)
{
	struct nd_ioctl_printk request;
	char comm[TASK_COMM_LEN];
	char *text;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	if (!request.size)
		return -EINVAL;
	if (request.size > ND_PRINTK_MAX)
		return -E2BIG;
	if (!nd_may_print(file->nd))
		return -EPERM;
	text = nd_printk_text(u64_to_user_ptr(request.buffer), request.size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (!__ratelimit(&nd_printk_limit)) {
		kfree(text);
		return -EBUSY;
	}
	get_task_comm(comm, current);
	nd_only_printable(comm);
	dev_info(&file->nd->dev, "%s[%d]: %s\n", comm, task_tgid_nr(current), text);
	kfree(text);
	return 0;
}
