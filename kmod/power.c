// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power sampling.
 */
#include <linux/ktime.h>

#include "device.h"
#include "params.h"
#include "power.h"

#define ND_REVISION_EMULATION	240
#define ND_REVISION_QEMU	255

/**
 * nd_power_init() - a device without samples
 * @nd: device, kind set
 */
void nd_power_init(struct nd_device *nd)
{
	spin_lock_init(&nd->power.lock);
	npower_init(&nd->power.window, nd->arch->dice,
		    nd_power_window_ms * (u64)NSEC_PER_MSEC);
}

static bool nd_power_supported(struct nd_device *nd)
{
	u32 api;

	if (!nd->hw || nd->revision == ND_REVISION_EMULATION || nd->revision == ND_REVISION_QEMU)
		return false;
	return !nd_fw_api_version(nd, &api) && api >= ND_FWIO_API_POWER;
}

/**
 * nd_power_sample() - look at the power registers
 * @nd: device, READY
 *
 * Firmware that measures no power is not asked, so that no zero is taken for a measurement.
 */
void nd_power_sample(struct nd_device *nd)
{
	u32 reg[NPOWER_DICE];
	int ret = 0;
	u32 die;

	if (!nd_power_supported(nd))
		return;
	for (die = 0; die < nd->arch->dice && !ret; die++)
		ret = nd_reg_read(nd, ND_MISCRAM_POWER_UTIL(die), &reg[die]);

	spin_lock(&nd->power.lock);
	if (ret)
		npower_unreadable(&nd->power.window, ktime_get_ns(), ktime_get_real_seconds());
	else
		npower_reading(&nd->power.window, reg, ktime_get_ns(), ktime_get_real_seconds());
	spin_unlock(&nd->power.lock);
}

/**
 * nd_power_last() - the last closed window
 * @nd: device
 * @report: out
 */
void nd_power_last(struct nd_device *nd, struct npower_report *report)
{
	spin_lock(&nd->power.lock);
	*report = nd->power.window.report;
	spin_unlock(&nd->power.lock);
}

/**
 * nd_power_tallies() - what became of the readings
 * @nd: device
 * @tallies: out
 */
void nd_power_tallies(struct nd_device *nd, struct npower_tallies *tallies)
{
	spin_lock(&nd->power.lock);
	*tallies = nd->power.window.tallies;
	spin_unlock(&nd->power.lock);
}
