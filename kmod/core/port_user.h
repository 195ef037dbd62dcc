/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What the core uses of the kernel, spelled for user space. Only port.h includes this. The kernel's
 * style checks do not apply here: it defines what they recommend.
 */
#ifndef NDTEL_CORE_PORT_USER_H
#define NDTEL_CORE_PORT_USER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX

#ifndef WRITE_ONCE
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
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
#ifndef __cold
#define __cold __attribute__((__cold__))
#endif

#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif

/*
 * One load of memory that somebody else may write, and the order of accesses to memory that a
 * device, or a thread that plays one, reads and writes too. The thread sanitizer knows neither
 * volatile loads nor fences: for it the order is in the loads.
 */
#ifdef __SANITIZE_THREAD__
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define nd_dma_rmb() __atomic_signal_fence(__ATOMIC_ACQUIRE)
#define nd_dma_wmb() __atomic_signal_fence(__ATOMIC_RELEASE)
#else
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define nd_dma_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define nd_dma_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

#endif /* NDTEL_CORE_PORT_USER_H */
