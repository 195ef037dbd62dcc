/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mmap offsets. A cookie is opaque to users: a kind and a generation that is never used twice,
 * never an address.
 */
#ifndef NDTEL_COOKIE_H
#define NDTEL_COOKIE_H

#include <linux/mm.h>
#include <linux/types.h>

#define ND_COOKIE_KIND_SHIFT 56

enum nd_cookie_kind {
	ND_COOKIE_NDS = 1,
};

static inline u64 nd_cookie(enum nd_cookie_kind kind, u64 generation)
{
	return (u64)kind << ND_COOKIE_KIND_SHIFT | generation << PAGE_SHIFT;
}

static inline enum nd_cookie_kind nd_cookie_kind(u64 cookie)
{
	return cookie >> ND_COOKIE_KIND_SHIFT;
}

static inline u64 nd_cookie_generation(u64 cookie)
{
	return (cookie & ((1ULL << ND_COOKIE_KIND_SHIFT) - 1)) >> PAGE_SHIFT;
}

static inline u64 nd_cookie_of_vma(const struct vm_area_struct *vma)
{
	return (u64)vma->vm_pgoff << PAGE_SHIFT;
}

#endif /* NDTEL_COOKIE_H */
