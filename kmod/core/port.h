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

#else

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define U64_MAX UINT64_MAX

#ifndef READ_ONCE
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#endif
#ifndef BIT_ULL
#define BIT_ULL(n) (1ULL << (n))
#endif
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif
#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

#endif /* __KERNEL__ */

#endif /* NDTEL_CORE_PORT_H */
