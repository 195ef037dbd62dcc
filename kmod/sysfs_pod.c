// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of the class on platforms whose hosts form pods. What stands there is what device 0 knows
 * of the pod; without a device 0 nothing is known, and the files are empty.
 */
#include "compat.h"
#include "device.h"
#include "pod.h"
#include "sysfs_tree.h"

/* Shows something of the pod, with device 0 at hand. */
typedef ssize_t (*nd_pod_show)(struct nd_device *first, const struct nd_pod *pod, char *page,
			       u32 nodes);

static ssize_t nd_pod_with_first(nd_pod_show show, char *page, u32 nodes)
{
	struct nd_device *first = nd_device_get(0);
	struct nd_pod pod;
	ssize_t ret = 0;

	if (!first)
		return 0;
	if (nd_device_enter(first)) {
		nd_pod_look(first, &pod);
		ret = show(first, &pod, page, nodes);
		nd_device_leave(first);
	}
	put_device(&first->dev);
	return ret;
}

static bool nd_pod_undecided(const struct nd_pod *pod)
{
	return pod->state == ND_POD_STATE_INIT || pod->state == ND_POD_STATE_IN_PROGRESS;
}

/* An election that names a number of hosts there are no pods of. */
static bool nd_pod_implausible(const struct nd_pod *pod)
{
	return pod->state == ND_POD_STATE_ELECTED && pod->nodes != 1 && pod->nodes != 2 &&
	       pod->nodes != 4;
}

/* Is the host in a pod of @nodes hosts; 0 stands for any. */
static bool nd_pod_of(const struct nd_pod *pod, u32 nodes)
{
	return pod->state == ND_POD_STATE_ELECTED && (!nodes || pod->nodes == nodes);
}

static ssize_t nd_pod_node_id(struct nd_device *first, const struct nd_pod *pod, char *page,
			      u32 nodes)
{
	if (nd_pod_undecided(pod))
		return sysfs_emit(page, "busy\n");
	if (nodes && nd_pod_implausible(pod))
		return sysfs_emit(page, "invalid\n");
	return sysfs_emit(page, "%d\n", nd_pod_of(pod, nodes) ? pod->node_id : -1);
}

static ssize_t nd_pod_server_id(struct nd_device *first, const struct nd_pod *pod, char *page,
				u32 nodes)
{
	if (nd_pod_implausible(pod))
		return sysfs_emit(page, "invalid\n");
	return sysfs_emit(page, "%016llx\n", nd_pod_of(pod, nodes) ? pod->serial : 0);
}

static ssize_t nd_pod_node_cnt(struct nd_device *first, const struct nd_pod *pod, char *page,
			       u32 nodes)
{
	if (nd_pod_undecided(pod))
		return sysfs_emit(page, "busy\n");
	return sysfs_emit(page, "%u\n", pod->nodes);
}

/* From a register of its own; the server's id is another number. */
static ssize_t nd_pod_reservation_id(struct nd_device *first, const struct nd_pod *pod,
				     char *page, u32 nodes)
{
	u64 id;
	int ret = nd_reg_read_pair(first, ND_MISCRAM_RESERVATION_HI, ND_MISCRAM_RESERVATION_LO,
				   &id);

	if (ret == -EAGAIN)
		return sysfs_emit(page, "busy\n");
	return ret ? ret : sysfs_emit(page, "%016llx\n", id);
}

static ssize_t nd_pod_modes(struct nd_device *first, const struct nd_pod *pod, char *page,
			    u32 nodes)
{
	int at = 0;
	u32 mode;

	if (nd_pod_undecided(pod))
		return sysfs_emit(page, "busy\n");
	for (mode = ND_POD_MODE_X4; mode <= ND_POD_MODE_X1; mode++)
		if (pod->modes_supported & BIT(mode))
			at += sysfs_emit_at(page, at, "%s%u", at ? "," : "", mode);
	return at + sysfs_emit_at(page, at, "\n");
}

#define ND_POD_ATTR(_name, _what, _nodes) \
static ssize_t _name##_show(ND_CLASS_CONST struct class *class, \
			    ND_CLASS_CONST struct class_attribute *attr, char *page) \
{ \
	return nd_pod_with_first(_what, page, _nodes); \
} \
static CLASS_ATTR_RO(_name)

ND_POD_ATTR(node_id_2, nd_pod_node_id, 2);
ND_POD_ATTR(node_id_4, nd_pod_node_id, 4);
ND_POD_ATTR(server_id_2, nd_pod_server_id, 2);
ND_POD_ATTR(server_id_4, nd_pod_server_id, 4);
ND_POD_ATTR(node_id, nd_pod_node_id, 0);
ND_POD_ATTR(node_cnt, nd_pod_node_cnt, 0);
ND_POD_ATTR(reservation_id, nd_pod_reservation_id, 0);
ND_POD_ATTR(ultraserver_mode, nd_pod_modes, 0);

static struct attribute *nd_sysfs_userver_attrs[] = {
	&class_attr_node_id_2.attr,
	&class_attr_node_id_4.attr,
	&class_attr_server_id_2.attr,
	&class_attr_server_id_4.attr,
	NULL
};

static struct attribute *nd_sysfs_pds_attrs[] = {
	&class_attr_node_id.attr,
	&class_attr_node_cnt.attr,
	&class_attr_reservation_id.attr,
	NULL
};

static struct attribute *nd_sysfs_pod_attrs[] = {
	&class_attr_ultraserver_mode.attr,
	NULL
};

static umode_t nd_sysfs_userver_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	return nd_pod_platform() == ND_POD_ULTRASERVER ? attr->mode : 0;
}

static umode_t nd_sysfs_pds_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	return nd_pod_platform() == ND_POD_PDS ? attr->mode : 0;
}

static umode_t nd_sysfs_pod_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	return nd_pod_platform() == ND_POD_STANDARD ? 0 : attr->mode;
}

const struct attribute_group nd_sysfs_userver_files = {
	.attrs = nd_sysfs_userver_attrs,
	.is_visible = nd_sysfs_userver_visible,
};

const struct attribute_group nd_sysfs_pds_files = {
	.attrs = nd_sysfs_pds_attrs,
	.is_visible = nd_sysfs_pds_visible,
};

const struct attribute_group nd_sysfs_pod_files = {
	.attrs = nd_sysfs_pod_attrs,
	.is_visible = nd_sysfs_pod_visible,
};
