// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated devices. They behave like hardware from the node upwards: slabs, ownership, metrics
 * thread, trace events.
 */
#include <linux/device/bus.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "compat.h"
#include "device.h"
#include "params.h"
#include "sim.h"
#include "sim_fw.h"

#define ND_SIM_REVISION 0

static int nd_sim_create(const struct nd_arch_info *arch)
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

/* "sim v3": one more simulated device. */
static ssize_t new_device_store(ND_BUS_CONST struct bus_type *bus, const char *buf, size_t count)
{
	const struct nd_arch_info *arch;
	char name[8];
	char rest;
	int ret;

	if (sscanf(buf, "sim %7s %c", name, &rest) != 1)
		return -EINVAL;
	arch = nd_arch_find(name);
	if (!arch)
		return -EINVAL;
	ret = nd_sim_create(arch);
	return ret ? ret : count;
}
static BUS_ATTR_WO(new_device);

/* "3": that device goes, whether or not it is in use. */
static ssize_t del_device_store(ND_BUS_CONST struct bus_type *bus, const char *buf, size_t count)
{
	struct nd_device *nd;
	unsigned int index;
	int ret = kstrtouint(buf, 10, &index);

	if (ret)
		return ret;
	if (index >= ND_MAX_DEVICES)
		return -EINVAL;
	nd = nd_device_unlist(index);
	if (!nd)
		return -ENODEV;
	nd_device_remove(nd);
	return count;
}
static BUS_ATTR_WO(del_device);

static struct attribute *nd_sim_bus_attrs[] = {
	&bus_attr_new_device.attr,
	&bus_attr_del_device.attr,
	NULL
};
ATTRIBUTE_GROUPS(nd_sim_bus);

static struct bus_type nd_sim_bus = {
	.name = ND_NAMESPACE,
	.bus_groups = nd_sim_bus_groups,
};

/**
 * nd_sim_init() - create what sim_devices asks for and open the bus attributes
 *
 * Return: 0; -EINVAL for an unknown sim_arch; errors of device creation, with nothing left behind.
 */
int nd_sim_init(void)
{
	const struct nd_arch_info *arch = nd_arch_find(nd_sim_arch);
	unsigned int i;
	int ret;

	if (!arch) {
		pr_err(ND_NAMESPACE ": sim_arch=%s is unknown; v2, inf2, v3 or v4\n", nd_sim_arch);
		return -EINVAL;
	}
	ret = bus_register(&nd_sim_bus);
	if (ret)
		return ret;
	for (i = 0; i < nd_sim_devices && !ret; i++)
		ret = nd_sim_create(arch);
	if (ret)
		nd_sim_exit();
	return ret;
}

/**
 * nd_sim_exit() - no new devices, and the existing ones go
 */
void nd_sim_exit(void)
{
	struct nd_device *nd;

	/*
	 * First the attributes: their stores are waited for, so that nothing is created behind
	 * our back.
	 */
	bus_unregister(&nd_sim_bus);
	while ((nd = nd_device_unlist(-1)))
		nd_device_remove(nd);
}
