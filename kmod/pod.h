/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods: several hosts that form one ultraserver. Which kind the host can be part of follows from
 * the platform; what it is part of stands in the election words of device 0, which survive resets
 * and reloads. The mode is the module's, for all devices.
 */
#ifndef NDTEL_POD_H
#define NDTEL_POD_H

#include <linux/types.h>

#include "uapi/ndtel/ioctl.h"

struct nd_device;
struct nmetric_userver;

enum nd_pod_platform {
	ND_POD_STANDARD,
	ND_POD_ULTRASERVER,
	ND_POD_PDS,
};

/**
 * struct nd_pod - what is known of the host's pod
 * @type: enum nd_pod_type
 * @state: enum nd_pod_state
 * @nodes: hosts, 0 = not elected
 * @node_id: this one, -1 = not known
 * @serial: the pod's serial number, 0 = not elected
 * @modes_supported: bit per enum nd_pod_mode
 * @mode: enum nd_pod_mode
 */
struct nd_pod {
	enum nd_pod_type type;
	enum nd_pod_state state;
	u8 nodes;
	s8 node_id;
	u64 serial;
	u32 modes_supported;
	u32 mode;
};

int nd_pod_init(void);
enum nd_pod_platform nd_pod_platform(void);
enum nd_pod_type nd_pod_type(const struct nd_device *nd);
void nd_pod_look(const struct nd_device *nd, struct nd_pod *pod);
int nd_pod_set_mode(const struct nd_device *nd, u32 mode);
void nd_pod_unmarked(void);
bool nd_pod_userver(struct nd_device *nd, struct nmetric_userver *userver);

#endif /* NDTEL_POD_H */
