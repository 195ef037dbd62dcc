/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Facts shared by every part of the contract between ndtel's kernel module and its users:
 * fixed-size types, the layout assertion, device limits and architectures. All integers are
 * little-endian; only LP64 is supported.
 */
#ifndef NDTEL_UAPI_ABI_H
#define NDTEL_UAPI_ABI_H

#include <linux/types.h>

#ifndef __KERNEL__
#include <stddef.h>
#endif

/* Layout assertion that works in the kernel, in C11 and in C++. */
#if defined(__cplusplus)
#define ND_ABI_ASSERT(expr) static_assert(expr, #expr)
#else
#define ND_ABI_ASSERT(expr) _Static_assert(expr, #expr)
#endif
#define ND_ABI_EQUAL(a, b) ND_ABI_ASSERT((a) == (b))
#define ND_ABI_SIZE(type, size) ND_ABI_ASSERT(sizeof(type) == (size))
#define ND_ABI_OFFSET(type, member, off) ND_ABI_ASSERT(offsetof(type, member) == (off))

#define ND_MAX_DEVICES		64	/* minors 0..63; minor == device index */
#define ND_MAX_NC_PER_DEVICE	8	/* NeuronCores of a device; the slab has room for 16 */

/* Architecture as DEVICE_INFO, DEVICE_BASIC_INFO and DRIVER_INFO report it. */
enum nd_arch {
	ND_ARCH_INVALID = 0,
	ND_ARCH_V1 = 1,		/* Inf1 */
	ND_ARCH_V2 = 2,		/* Trn1, Inf2 */
	ND_ARCH_V3 = 3,		/* Trn2 */
	ND_ARCH_V4 = 4,		/* Trn3 */
};

/* Device state: opens wait while RESET, fail while INVALID; metrics are posted only while READY. */
enum nd_state {
	ND_STATE_RESET = 0,
	ND_STATE_READY = 1,
	ND_STATE_INVALID = 2,
};

#endif /* NDTEL_UAPI_ABI_H */
