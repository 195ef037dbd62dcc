// SPDX-License-Identifier: GPL-2.0-only
/*
 * Companion devices. The vendor's driver keeps its hardware; processes count on the companion, and
 * an agent hands its posts to the vendor's driver.
 */
#include <linux/err.h>

#include "companion.h"
#include "device.h"

/**
 * nd_companion_create() - make a device without hardware
 * @arch: what the vendor's device is
 * @index: its index, which the companion gets too
 *
 * Return: 0; -EEXIST when we have a device with that index; errors of device creation.
 */
int nd_companion_create(const struct nd_arch_info *arch, int index)
{
	const struct nd_device_setup setup = {
		.arch = arch,
		.index = index,
	};

	return PTR_ERR_OR_ZERO(nd_device_create(&setup));
}
