// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of the device's own directory.
 */
#include "device.h"
#include "topology.h"

static struct nd_device *nd_of(struct device *dev)
{
	return container_of(dev, struct nd_device, dev);
}

static ssize_t reset_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(nd_of(dev)->state));
}

/*
 * Only while nobody has the node open. Whoever opens it from then on finds the device in reset, and
 * waits.
 */
static ssize_t reset_store(struct device *dev, struct device_attribute *attr, const char *text,
			   size_t size)
{
	struct nd_device *nd = nd_of(dev);
	int ret;

	mutex_lock(&nd->open_lock);
	if (!nd->hw)
		ret = -EOPNOTSUPP;
	else if (nd->opens)
		ret = -EBUSY;
	else
		ret = nd_reset_request(nd, ND_RESET_WHOLE_DEVICE, NULL);
	mutex_unlock(&nd->open_lock);
	return ret < 0 ? ret : size;
}
static DEVICE_ATTR_ADMIN_RW(reset);

/* Without a newline, for programs that know it so. */
static ssize_t core_count_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit_at(page, 0, "%u", nd_of(dev)->arch->nc_count);
}
static DEVICE_ATTR_RO(core_count);

static ssize_t connected_devices_show(struct device *dev, struct device_attribute *attr,
				      char *page)
{
	u32 ids[ND_MAX_CONNECTED_DEVICES];
	int n = nd_topology_neighbours(nd_of(dev), ids);
	int i, at = 0;

	if (n < 0)
		return n;
	for (i = 0; i < n; i++)
		at += sysfs_emit_at(page, at, "%s%u", i ? ", " : "", ids[i]);
	return at + sysfs_emit_at(page, at, "\n");
}
static DEVICE_ATTR_RO(connected_devices);

static ssize_t fw_api_version_show(struct device *dev, struct device_attribute *attr, char *page)
{
	u32 version;
	int ret = nd_fw_api_version(nd_of(dev), &version);

	if (ret == -EAGAIN)
		return sysfs_emit(page, "busy\n");
	return ret ? ret : sysfs_emit(page, "%u\n", version);
}
static DEVICE_ATTR_RO(fw_api_version);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *page)
{
	static const char * const name[] = {
		[ND_STATE_RESET] = "reset",
		[ND_STATE_READY] = "ready",
		[ND_STATE_INVALID] = "invalid",
	};

	return sysfs_emit(page, "%s\n", name[READ_ONCE(nd_of(dev)->state)]);
}
static DEVICE_ATTR_RO(state);

static ssize_t provider_show(struct device *dev, struct device_attribute *attr, char *page)
{
	struct nd_device *nd = nd_of(dev);

	return sysfs_emit(page, "%s\n", nd->hw ? nd->hw->name : "companion");
}
static DEVICE_ATTR_RO(provider);

static umode_t nd_sysfs_device_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	if (attr == &dev_attr_fw_api_version.attr && !nd_of(kobj_to_dev(kobj))->hw)
		return 0;
	return attr->mode;
}

static struct attribute *nd_sysfs_device_attrs[] = {
	&dev_attr_reset.attr,
	&dev_attr_core_count.attr,
	&dev_attr_connected_devices.attr,
	&dev_attr_fw_api_version.attr,
	&dev_attr_state.attr,
	&dev_attr_provider.attr,
	NULL
};

static const struct attribute_group nd_sysfs_device_group = {
	.attrs = nd_sysfs_device_attrs,
	.is_visible = nd_sysfs_device_visible,
};

const struct attribute_group *nd_sysfs_device_groups[] = {
	&nd_sysfs_device_group,
	NULL
};
