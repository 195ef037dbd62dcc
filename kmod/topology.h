/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which devices are wired to which, by kind of instance.
 */
#ifndef NDTEL_TOPOLOGY_H
#define NDTEL_TOPOLOGY_H

#include <linux/types.h>

#include "uapi/ndtel/ioctl.h"

struct nd_device;

int nd_topology_neighbours(struct nd_device *nd, u32 ids[ND_MAX_CONNECTED_DEVICES]);

#endif /* NDTEL_TOPOLOGY_H */
