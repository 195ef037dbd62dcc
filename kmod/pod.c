// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pods: platform, election words, mode.
 */
#include <linux/bitfield.h>
#include <linux/dmi.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "device.h"
#include "params.h"
#include "pod.h"
#include "uapi/ndtel/miscram.h"

#define ND_ELECTION_STATUS	GENMASK(7, 0)
#define ND_ELECTION_LINKS	GENMASK(15, 8)
#define ND_ELECTION_NODE	GENMASK(23, 16)
#define ND_ELECTION_NODES	GENMASK(31, 24)

#define ND_ELECTION_FAILED	2
#define ND_ELECTION_SUCCESS	3

#define ND_LINK_LEFT		0x1
#define ND_LINK_RIGHT		0x2

/* Product names by their beginnings. */
static const struct {
	const char *prefix;
	enum nd_pod_platform platform;
} nd_pod_products[] = {
	{ "trn2p.48xlarge", ND_POD_ULTRASERVER },
	{ "trn2eu.48xlarge", ND_POD_ULTRASERVER },
	{ "trn2u.48xlarge", ND_POD_ULTRASERVER },
	{ "trn2u-ac.24xlarge", ND_POD_ULTRASERVER },
	{ "trn2es.48xlarge", ND_POD_PDS },
	{ "trn3s.48xlarge", ND_POD_PDS },
	{ "trn3-dev0.48xlarge", ND_POD_PDS },
	{ "trn3p.48xlarge", ND_POD_ULTRASERVER },
};

static enum nd_pod_platform nd_pod_here;

/* Guards nd_pod_mode and nd_pod_modes_read. Innermost. */
static DEFINE_MUTEX(nd_pod_lock);
static u32 nd_pod_mode;
/* Modes by the last election words that could be read; X1 needs none. */
static u32 nd_pod_modes_read = BIT(ND_POD_MODE_X1);

static enum nd_pod_platform nd_pod_of_product(void)
{
	const char *product = dmi_get_system_info(DMI_PRODUCT_NAME);
	unsigned int i;

	for (i = 0; product && i < ARRAY_SIZE(nd_pod_products); i++)
		if (!strncmp(product, nd_pod_products[i].prefix, strlen(nd_pod_products[i].prefix)))
			return nd_pod_products[i].platform;
	return ND_POD_STANDARD;
}

/**
 * nd_pod_init() - find out what platform this is
 *
 * Return: 0, or -EINVAL for a parameter platform= that names none.
 */
int nd_pod_init(void)
{
	static const char * const names[] = {
		[ND_POD_STANDARD] = "standard",
		[ND_POD_ULTRASERVER] = "ultraserver",
		[ND_POD_PDS] = "pds",
	};
	unsigned int i;

	if (!strcmp(nd_platform, "auto")) {
		nd_pod_here = nd_pod_of_product();
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(nd_platform, names[i])) {
			nd_pod_here = i;
			return 0;
		}
	}
	pr_err(ND_NAMESPACE ": platform=%s is unknown; auto, standard, ultraserver or pds\n",
	       nd_platform);
	return -EINVAL;
}

/**
 * nd_pod_platform() - what platform this is
 *
 * Return: enum nd_pod_platform.
 */
enum nd_pod_platform nd_pod_platform(void)
{
	return nd_pod_here;
}

/**
 * nd_pod_type() - what kind of pod a device can be part of
 * @nd: device
 *
 * Return: enum nd_pod_type; none for V2, whatever the platform.
 */
enum nd_pod_type nd_pod_type(const struct nd_device *nd)
{
	if (nd->arch->arch == ND_ARCH_V2)
		return ND_POD_TYPE_NONE;
	switch (nd_pod_here) {
	case ND_POD_ULTRASERVER:
		return ND_POD_TYPE_P2P;
	case ND_POD_PDS:
		return ND_POD_TYPE_SWITCH;
	default:
		return ND_POD_TYPE_NONE;
	}
}

static u32 nd_pod_modes(u32 nodes, u32 links)
{
	u32 modes = BIT(ND_POD_MODE_X1);

	if (nodes == 4)
		modes |= BIT(ND_POD_MODE_X4);
	if (nodes >= 2 && (links & ND_LINK_LEFT))
		modes |= BIT(ND_POD_MODE_X2V);
	if (nodes == 2 && (links & ND_LINK_RIGHT))
		modes |= BIT(ND_POD_MODE_X2H);
	return modes;
}

static void nd_pod_read_election(struct nd_device *first, struct nd_pod *pod)
{
	u64 serial;
	u32 word;

	if (nd_reg_read(first, ND_MISCRAM_POD_ELECTION, &word))
		return;
	switch (FIELD_GET(ND_ELECTION_STATUS, word)) {
	case ND_ELECTION_FAILED:
		pod->state = ND_POD_STATE_FAILED;
		return;
	case ND_ELECTION_SUCCESS:
		break;
	default:
		pod->state = ND_POD_STATE_IN_PROGRESS;
		return;
	}
	/* Elected is only who knows its pod. */
	if (nd_reg_read_pair(first, ND_MISCRAM_POD_SERIAL_HI, ND_MISCRAM_POD_SERIAL_LO, &serial))
		return;
	pod->state = ND_POD_STATE_ELECTED;
	pod->serial = serial;
	pod->nodes = FIELD_GET(ND_ELECTION_NODES, word);
	pod->node_id = (s8)FIELD_GET(ND_ELECTION_NODE, word);
	pod->modes_supported = nd_pod_modes(pod->nodes, FIELD_GET(ND_ELECTION_LINKS, word));
}

/**
 * nd_pod_look() - what is known of the pod right now
 * @nd: device whose user asks
 * @pod: filled; while device 0 cannot tell, the modes are those it told last
 */
void nd_pod_look(const struct nd_device *nd, struct nd_pod *pod)
{
	struct nd_device *first;

	*pod = (struct nd_pod){
		.type = nd_pod_type(nd),
		.state = ND_POD_STATE_SINGLE,
		.node_id = -1,
	};
	if (pod->type == ND_POD_TYPE_NONE)
		return;
	pod->state = ND_POD_STATE_INIT;
	pod->modes_supported = nd_pod_modes(0, 0);
	first = nd_device_get(0);
	if (first) {
		if (nd_device_enter(first)) {
			nd_pod_read_election(first, pod);
			nd_device_leave(first);
		}
		put_device(&first->dev);
	}
	mutex_lock(&nd_pod_lock);
	pod->mode = nd_pod_mode;
	/* A reset of device 0 does not change the pod. */
	if (pod->state == ND_POD_STATE_INIT)
		pod->modes_supported = nd_pod_modes_read;
	else
		nd_pod_modes_read = pod->modes_supported;
	mutex_unlock(&nd_pod_lock);
}

/**
 * nd_pod_set_mode() - set the pod's mode
 * @nd: device, in a pod
 * @mode: enum nd_pod_mode
 *
 * Return: 0, also when it is set already; -EINVAL for a mode that is none; -EBUSY before the
 * election is decided; -ENOTSUPP for a mode the pod does not have; -EEXIST while another is set.
 */
int nd_pod_set_mode(const struct nd_device *nd, u32 mode)
{
	struct nd_pod pod;
	int ret = 0;

	if (mode == ND_POD_MODE_UNSET || mode > ND_POD_MODE_X1)
		return -EINVAL;
	nd_pod_look(nd, &pod);
	if (pod.state == ND_POD_STATE_INIT || pod.state == ND_POD_STATE_IN_PROGRESS)
		return -EBUSY;
	if (!(pod.modes_supported & BIT(mode)))
		return -ND_ENOTSUPP;
	mutex_lock(&nd_pod_lock);
	if (nd_pod_mode && nd_pod_mode != mode)
		ret = -EEXIST;
	else
		nd_pod_mode = mode;
	mutex_unlock(&nd_pod_lock);
	return ret;
}

/**
 * nd_pod_unmarked() - the last core of all devices was unmarked: the mode is free again
 */
void nd_pod_unmarked(void)
{
	mutex_lock(&nd_pod_lock);
	nd_pod_mode = ND_POD_MODE_UNSET;
	mutex_unlock(&nd_pod_lock);
}

/**
 * nd_pod_userver() - the pod as the metrics have it
 * @nd: device
 * @userver: filled when it can be part of one
 *
 * Return: false when it cannot.
 */
bool nd_pod_userver(struct nd_device *nd, struct nmetric_userver *userver)
{
	struct nd_pod pod;

	nd_pod_look(nd, &pod);
	if (pod.type == ND_POD_TYPE_NONE)
		return false;
	userver->modes_supported = pod.modes_supported;
	userver->mode = pod.mode;
	return true;
}
