/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Companion devices: each stands for the vendor driver's device of the same index.
 */
#ifndef NDTEL_COMPANION_H
#define NDTEL_COMPANION_H

struct nd_arch_info;

int nd_companion_create(const struct nd_arch_info *arch, int index);

#endif /* NDTEL_COMPANION_H */
