// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated devices. They behave like hardware from the node upwards: slabs, ownership, metrics
 * thread, trace events, a mailbox with firmware behind it.
 */
#include <linux/err.h>
#include <linux/printk.h>

#include "device.h"
#include "params.h"
#include "sim.h"
#include "sim_fw.h"

#define ND_SIM_REVISION 0

/**
 * nd_sim_create() - make one more simulated device
 * @arch: its kind
 *
 * Return: 0; -ENOMEM; errors of device creation.
 */
int nd_sim_create(const struct nd_arch_info *arch)
{
	struct nd_device_setup setup = {
		.arch = arch,
		.revision = ND_SIM_REVISION,
		.index = ND_INDEX_ANY,
		.hw = &nd_sim_ops,
		.hw_data = nd_sim_fw_new(arch),
	};

	if (!setup.hw_data)
		return -ENOMEM;
	return PTR_ERR_OR_ZERO(nd_device_create(&setup));
}

/**
 * nd_sim_populate() - create what sim_devices and sim_arch ask for
 *
 * Return: 0; -EINVAL for an unknown sim_arch; errors of device creation, with some perhaps made.
 */
int nd_sim_populate(void)
{
	const struct nd_arch_info *arch = nd_arch_find(nd_sim_arch);
	unsigned int i;
	int ret = 0;

	if (!arch) {
		pr_err(ND_NAMESPACE ": sim_arch=%s is unknown; v2, inf2, v3 or v4\n", nd_sim_arch);
		return -EINVAL;
	}
	for (i = 0; i < nd_sim_devices && !ret; i++)
		ret = nd_sim_create(arch);
	return ret;
}
