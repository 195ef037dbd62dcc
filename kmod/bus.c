// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/bus/<namespace>: devices are made and taken away by writing to new_device and del_device.
 * The first word names the provider, the rest is for it.
 */
#include <linux/device/bus.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "bus.h"
#include "companion.h"
#include "compat.h"
#include "device.h"
#include "sim.h"

#define ND_ARCH_NAME_MAX 7

/* "sim v3": one more simulated device. */
static int nd_bus_new_sim(const char *arguments)
{
	const struct nd_arch_info *arch;
	char name[ND_ARCH_NAME_MAX + 1];
	char rest;

	if (sscanf(arguments, "%7s %c", name, &rest) != 1)
		return -EINVAL;
	arch = nd_arch_find(name);
	return arch ? nd_sim_create(arch) : -EINVAL;
}

/* "companion 4 v3": a device of ours beside the vendor driver's device 4. */
static int nd_bus_new_companion(const char *arguments)
{
	const struct nd_arch_info *arch;
	char name[ND_ARCH_NAME_MAX + 1];
	unsigned int index;
	char rest;

	if (sscanf(arguments, "%3u %7s %c", &index, name, &rest) != 2)
		return -EINVAL;
	arch = nd_arch_find(name);
	if (!arch || index >= ND_MAX_DEVICES)
		return -EINVAL;
	return nd_companion_create(arch, index);
}

static const struct {
	const char *prefix;
	int (*create)(const char *arguments);
} nd_providers[] = {
	{ "sim ", nd_bus_new_sim },
	{ "companion ", nd_bus_new_companion },
};

static ssize_t new_device_store(ND_BUS_CONST struct bus_type *bus, const char *buf, size_t count)
{
	unsigned int i;
	size_t prefix;
	int ret;

	for (i = 0; i < ARRAY_SIZE(nd_providers); i++) {
		prefix = str_has_prefix(buf, nd_providers[i].prefix);
		if (!prefix)
			continue;
		ret = nd_providers[i].create(buf + prefix);
		return ret ? ret : count;
	}
	return -EINVAL;
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

static struct attribute *nd_bus_attrs[] = {
	&bus_attr_new_device.attr,
	&bus_attr_del_device.attr,
	NULL
};
ATTRIBUTE_GROUPS(nd_bus);

static struct bus_type nd_bus = {
	.name = ND_NAMESPACE,
	.bus_groups = nd_bus_groups,
};

/**
 * nd_bus_init() - open the bus attributes and create what sim_devices asks for
 *
 * Return: 0; -EINVAL for an unknown sim_arch; errors of device creation, with nothing left behind.
 */
int nd_bus_init(void)
{
	int ret = bus_register(&nd_bus);

	if (ret)
		return ret;
	ret = nd_sim_populate();
	if (ret)
		nd_bus_exit();
	return ret;
}

/**
 * nd_bus_exit() - no new devices, and the existing ones go
 */
void nd_bus_exit(void)
{
	struct nd_device *nd;

	/*
	 * First the attributes: their stores are waited for, so that nothing is created behind
	 * our back.
	 */
	bus_unregister(&nd_bus);
	while ((nd = nd_device_unlist(-1)))
		nd_device_remove(nd);
}
