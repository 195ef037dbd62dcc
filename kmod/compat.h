/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels the module builds on (5.10 and later), in one place.
 */
#ifndef NDTEL_COMPAT_H
#define NDTEL_COMPAT_H

#include <linux/device/class.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define ND_CLASS_OWNER .owner = THIS_MODULE,
#define ND_CLASS_CONST
#define ND_BUS_CONST
#else
#define ND_CLASS_OWNER
#define ND_CLASS_CONST const
#define ND_BUS_CONST const
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif /* NDTEL_COMPAT_H */
