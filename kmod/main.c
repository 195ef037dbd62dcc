// SPDX-License-Identifier: GPL-2.0-only
/*
 * ndtel: telemetry plane for AWS Neuron devices.
 */
#include <linux/module.h>

#include "bus.h"
#include "crwl_owner.h"
#include "debugfs.h"
#include "device.h"
#include "nds.h"
#include "pod.h"

static int __init nd_init(void)
{
	int ret = nd_pod_init();

	if (ret)
		return ret;
	ret = nds_init();
	if (ret)
		return ret;
	ret = nd_owner_init();
	if (ret)
		goto exit_nds;
	ret = nd_device_init_class();
	if (ret)
		goto exit_owner;
	nd_debugfs_init();
	ret = nd_bus_init();
	if (ret)
		goto exit_class;
	return 0;

exit_class:
	nd_debugfs_exit();
	nd_device_exit_class();
exit_owner:
	nd_owner_exit();
exit_nds:
	nds_exit();
	return ret;
}

static void __exit nd_exit(void)
{
	nd_bus_exit();
	nd_debugfs_exit();
	nd_owner_exit();
	/*
	 * Work of dead owners still holds slabs, and those their devices, until the queue is
	 * gone.
	 */
	nds_exit();
	nd_device_exit_class();
}

module_init(nd_init);
module_exit(nd_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Neuron device telemetry");
MODULE_VERSION(ND_VERSION);
