// SPDX-License-Identifier: GPL-2.0-only
/*
 * ECC tallies.
 */
#include "device.h"
#include "ecc.h"

/**
 * nd_ecc_sram() - uncorrected SRAM errors since firmware start
 * @nd: device
 * @uncorrected: out, only on success
 *
 * Return: as nd_reg_read().
 */
int nd_ecc_sram(struct nd_device *nd, u32 *uncorrected)
{
	u32 value;
	int ret = nd_reg_read(nd, ND_MISCRAM_SRAM_ECC, &value);

	if (!ret)
		*uncorrected = value & 0xFFFF;
	return ret;
}

/**
 * nd_ecc_hbm() - uncorrected HBM errors since firmware start
 * @nd: device
 * @tally: out, only on success
 *
 * Return: as nd_reg_read(); -EAGAIN also when tallies and repair state contradict each other, which
 * they do for a moment while the firmware updates them.
 */
int nd_ecc_hbm(struct nd_device *nd, struct necc_hbm *tally)
{
	struct necc_registers regs = {
		.channels = nd->arch->hbm_channels,
		.has_repair = nd->arch->hbm_repair,
	};
	int ret = nd_fw_api_version(nd, &regs.api);
	u32 ch;

	/* Tallies first: a repair that begins in between is then seen as one that contradicts. */
	for (ch = 0; ch < regs.channels && !ret; ch++)
		ret = nd_reg_read(nd, ND_MISCRAM_HBM_ECC(ch), &regs.hbm[ch]);
	if (!ret && regs.has_repair)
		ret = nd_reg_read(nd, ND_MISCRAM_HBM_REPAIR, &regs.repair);
	return ret ? ret : necc_hbm(&regs, tally);
}
