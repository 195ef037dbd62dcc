// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree as tables.
 */
#include "device.h"
#include "sysfs_tree.h"

#define CHILDREN(nodes) .children = (nodes), .child_count = ARRAY_SIZE(nodes)
#define PLAIN .slot = ND_SYSFS_NO_SLOT

static bool has_hardware(const struct nd_device *nd)
{
	return nd->hw;
}

static bool has_tensor_engine(const struct nd_device *nd)
{
	return nd->hw && nd->hw->pe_counter;
}

#define COUNTER_NODE(counter, id, directory, factor) { \
	.name = (directory), \
	.files = &nd_sysfs_counter_files, \
	.index = NCOUNTER_##counter, \
	.slot = ND_SLOT_COUNTERS + NCOUNTER_##counter, \
},

static const struct nd_sysfs_node status_nodes[] = {
	NCOUNTER_STATUS(COUNTER_NODE)
};

static const struct nd_sysfs_node dynamic_nodes[] = {
	NCOUNTER_DYNAMIC(COUNTER_NODE)
};

static const struct nd_sysfs_node other_nodes[] = {
	NCOUNTER_OTHER(COUNTER_NODE)
	{
		.name = "reset_req_count",
		.files = &nd_sysfs_reset_files,
		.index = 0,
		.slot = ND_SLOT_RESET_REQUESTED,
	},
	{
		.name = "reset_fail_count",
		.files = &nd_sysfs_reset_files,
		.index = 1,
		.slot = ND_SLOT_RESET_FAILED,
	},
};

#define CORE_MEMORY(directory, cell) \
	.name = (directory), \
	.files = &nd_sysfs_memory_files, \
	.index = (cell), \
	.slot = ND_SLOT_MEMORY + (cell)

static const struct nd_sysfs_node device_mem_nodes[] = {
	{ CORE_MEMORY("model_code", ND_MEM_CORE_CODE) },
	{ CORE_MEMORY("tensors", ND_MEM_CORE_TENSORS) },
	{ CORE_MEMORY("constants", ND_MEM_CORE_CONSTANTS) },
	{ CORE_MEMORY("model_shared_scratchpad", ND_MEM_CORE_SHARED_SCRATCHPAD) },
	{ CORE_MEMORY("runtime_memory", ND_MEM_CORE_RUNTIME) },
	{ CORE_MEMORY("driver_memory", ND_MEM_CORE_DRIVER) },
	{ CORE_MEMORY("collectives", ND_MEM_CORE_COLLECTIVES) },
	{ CORE_MEMORY("nonshared_scratchpad", ND_MEM_CORE_NONSHARED_SCRATCHPAD) },
	{ CORE_MEMORY("notifications", ND_MEM_CORE_NOTIFICATIONS) },
	{ CORE_MEMORY("dma_rings", ND_MEM_CORE_DMA_RINGS) },
	{ CORE_MEMORY("uncategorized", ND_MEM_CORE_UNCATEGORIZED) },
};

static const struct nd_sysfs_node core_memory_nodes[] = {
	{ CORE_MEMORY("host_mem", ND_MEM_CORE_HOST) },
	{ CORE_MEMORY("device_mem", ND_MEM_CORE_DEVICE), CHILDREN(device_mem_nodes) },
};

static const struct nd_sysfs_node core_stats_nodes[] = {
	{ .name = "status", PLAIN, CHILDREN(status_nodes) },
	{ .name = "memory_usage", PLAIN, CHILDREN(core_memory_nodes) },
	{ .name = "other_info", PLAIN, CHILDREN(other_nodes) },
	{
		.name = "tensor_engine",
		PLAIN,
		.files = &nd_sysfs_pe_files,
		.present = has_tensor_engine,
	},
};

static const struct nd_sysfs_node core_info_nodes[] = {
	{ .name = "architecture", PLAIN, .files = &nd_sysfs_core_arch_files },
};

const struct nd_sysfs_node nd_sysfs_core_nodes[] = {
	{ .name = "stats", PLAIN, CHILDREN(core_stats_nodes) },
	{ .name = "info", PLAIN, CHILDREN(core_info_nodes) },
};

const u32 nd_sysfs_core_node_count = ARRAY_SIZE(nd_sysfs_core_nodes);

#define HOST_MEMORY(directory, cell) { \
	.name = (directory), \
	.files = &nd_sysfs_memory_files, \
	.index = (cell), \
	.slot = ND_SLOT_HOST_MEMORY + (cell), \
}

static const struct nd_sysfs_node host_mem_nodes[] = {
	HOST_MEMORY("dma_buffers", ND_MEM_HOST_DMA_BUFFERS),
	HOST_MEMORY("tensors", ND_MEM_HOST_TENSORS),
	HOST_MEMORY("constants", ND_MEM_HOST_CONSTANTS),
	HOST_MEMORY("application_memory", ND_MEM_HOST_APPLICATION),
	HOST_MEMORY("driver_memory", ND_MEM_HOST_DRIVER),
	HOST_MEMORY("notifications", ND_MEM_HOST_NOTIFICATIONS),
	HOST_MEMORY("dma_rings", ND_MEM_HOST_DMA_RINGS),
	HOST_MEMORY("uncategorized", ND_MEM_HOST_UNCATEGORIZED),
};

static const struct nd_sysfs_node memory_nodes[] = {
	{ .name = "host_mem", PLAIN, CHILDREN(host_mem_nodes) },
};

static const struct nd_sysfs_node stats_nodes[] = {
	{ .name = "memory_usage", PLAIN, CHILDREN(memory_nodes) },
	{
		.name = "hardware",
		PLAIN,
		.files = &nd_sysfs_ecc_files,
		.present = has_hardware,
	},
	{
		.name = "power",
		PLAIN,
		.files = &nd_sysfs_power_files,
		.present = has_hardware,
	},
};

static const struct nd_sysfs_node info_nodes[] = {
	{ .name = "architecture", PLAIN, .files = &nd_sysfs_device_arch_files },
};

const struct nd_sysfs_node nd_sysfs_device_nodes[] = {
	{ .name = "info", PLAIN, .files = &nd_sysfs_info_files, CHILDREN(info_nodes) },
	{ .name = "stats", PLAIN, CHILDREN(stats_nodes) },
};

const u32 nd_sysfs_device_node_count = ARRAY_SIZE(nd_sysfs_device_nodes);

static int add_dynamic_node(struct nd_device *nd, const struct nd_sysfs_node *node)
{
	u32 nc;
	int ret;

	for (nc = 0; nc < nd->arch->nc_count; nc++) {
		/* What a failed attempt left is kept. */
		if (nd->sysfs.slot[nc * ND_SLOTS_PER_CORE + node->slot])
			continue;
		ret = nd_sysfs_add_nodes(nd, &nd->sysfs.other_info[nc]->kobj, node, 1, nc);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * nd_sysfs_add_dynamic() - make the directories of counters that processes asked to see
 * @nd: device, its tree built
 * @counters: bit per NDS core counter; those that have a directory, or no name, are passed over
 *
 * Return: 0, or the error of the first that could not be made.
 */
int nd_sysfs_add_dynamic(struct nd_device *nd, u64 counters)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(dynamic_nodes); i++) {
		if (!(counters & BIT_ULL(ncounter_defs[dynamic_nodes[i].index].id)))
			continue;
		ret = add_dynamic_node(nd, &dynamic_nodes[i]);
		if (ret)
			return ret;
	}
	return 0;
}
