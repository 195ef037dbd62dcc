// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wiring of the known instances. A host is taken for one when it has as many devices of the
 * kind as that instance, at the indices the wiring names.
 */
#include <linux/bitmap.h>

#include "device.h"
#include "topology.h"

#define ND_MESH		16	/* devices of one mesh; the ends of its rows are joined */
#define ND_MESH_LINKS	4
#define ND_RING		12	/* inf2.48xlarge */
#define ND_CHAIN	6	/* inf2.24xlarge */

static const u8 nd_mesh_trn1[ND_MESH][ND_MESH_LINKS] = {
	{ 12, 3, 4, 1 }, { 13, 0, 5, 2 }, { 14, 1, 6, 3 }, { 15, 2, 7, 0 },
	{ 0, 7, 8, 5 }, { 1, 4, 9, 6 }, { 2, 5, 10, 7 }, { 3, 6, 11, 4 },
	{ 4, 11, 12, 9 }, { 5, 8, 13, 10 }, { 6, 9, 14, 11 }, { 7, 10, 15, 8 },
	{ 8, 15, 0, 13 }, { 9, 12, 1, 14 }, { 10, 13, 2, 15 }, { 11, 14, 3, 12 },
};

static const u8 nd_mesh_trn2[ND_MESH][ND_MESH_LINKS] = {
	{ 12, 1, 3, 4 }, { 0, 13, 5, 2 }, { 14, 3, 1, 6 }, { 2, 15, 7, 0 },
	{ 8, 5, 7, 0 }, { 4, 9, 1, 6 }, { 10, 7, 5, 2 }, { 6, 11, 3, 4 },
	{ 4, 9, 11, 12 }, { 8, 5, 13, 10 }, { 6, 11, 9, 14 }, { 10, 7, 15, 8 },
	{ 0, 13, 15, 8 }, { 12, 1, 9, 14 }, { 2, 15, 13, 10 }, { 14, 3, 11, 12 },
};

static int nd_mesh_neighbours(const u8 mesh[ND_MESH][ND_MESH_LINKS], u32 id, u32 *ids)
{
	int i;

	for (i = 0; i < ND_MESH_LINKS; i++)
		ids[i] = (id & ~(u32)(ND_MESH - 1)) | mesh[id % ND_MESH][i];
	return ND_MESH_LINKS;
}

static int nd_ring_neighbours(u32 id, u32 *ids)
{
	if (id >= ND_RING)
		return 0;
	ids[0] = (id + ND_RING - 1) % ND_RING;
	ids[1] = (id + 1) % ND_RING;
	return 2;
}

static int nd_chain_neighbours(u32 id, u32 *ids)
{
	int n = 0;

	if (id >= ND_CHAIN)
		return 0;
	if (id > 0)
		ids[n++] = id - 1;
	if (id < ND_CHAIN - 1)
		ids[n++] = id + 1;
	return n;
}

static int nd_wired(const struct nd_arch_info *arch, unsigned int devices, u32 id, u32 *ids)
{
	if (arch->wiring == ND_WIRING_RING) {
		if (devices == ND_RING)
			return nd_ring_neighbours(id, ids);
		return devices == ND_CHAIN ? nd_chain_neighbours(id, ids) : 0;
	}
	if (devices % ND_MESH)
		return 0;
	return nd_mesh_neighbours(arch->wiring == ND_WIRING_TRN1 ? nd_mesh_trn1 : nd_mesh_trn2, id,
				  ids);
}

/**
 * nd_topology_neighbours() - devices that a device is wired to
 * @nd: device
 * @ids: filled with their indices, in the order of the wiring
 *
 * Only devices that are there, of the same kind, are ever named.
 *
 * Return: how many; 0 when the host is no known instance.
 */
int nd_topology_neighbours(struct nd_device *nd, u32 ids[ND_MAX_CONNECTED_DEVICES])
{
	DECLARE_BITMAP(present, ND_MAX_DEVICES);
	int i, n;

	nd_device_indices(nd->arch, present);
	n = nd_wired(nd->arch, bitmap_weight(present, ND_MAX_DEVICES), nd->index, ids);
	for (i = 0; i < n; i++)
		if (ids[i] >= ND_MAX_DEVICES || !test_bit(ids[i], present))
			return 0;
	return n;
}
