/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The only place that knows whether the core is compiled into the kernel module or into a
 * user-space library. The core itself calls no kernel API, allocates nothing, takes no lock and
 * reads no clock.
 */
#ifndef NDTEL_CORE_PORT_H
#define NDTEL_CORE_PORT_H

#ifdef __KERNEL__

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>

/* Order accesses to memory that a device reads and writes too. */
#define nd_dma_rmb()	dma_rmb()
#define nd_dma_wmb()	dma_wmb()

#else

#include "port_user.h"

#endif /* __KERNEL__ */

#endif /* NDTEL_CORE_PORT_H */
