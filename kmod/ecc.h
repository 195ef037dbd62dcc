/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ECC tallies: the registers, read whole or not at all, and the repair rules of core/necc.h.
 */
#ifndef NDTEL_ECC_H
#define NDTEL_ECC_H

#include "core/necc.h"

struct nd_device;

int nd_ecc_sram(struct nd_device *nd, u32 *uncorrected);
int nd_ecc_hbm(struct nd_device *nd, struct necc_hbm *tally);

#endif /* NDTEL_ECC_H */
