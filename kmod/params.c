// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters. Names and meaning of the reference where it has them; writes take effect at
 * once.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/time64.h>

#include "device.h"
#include "params.h"

static unsigned int nmetric_metric_post_delay = 150000;
static unsigned int nmetric_log_posts = 1;

/**
 * nd_post_period_ns() - time between posts
 *
 * Return: nanoseconds, never 0.
 */
u64 nd_post_period_ns(void)
{
	return (u64)READ_ONCE(nmetric_metric_post_delay) * NSEC_PER_MSEC;
}

/**
 * nd_log_posts() - which sinks are switched on
 *
 * Return: ND_LOG_*.
 */
unsigned int nd_log_posts(void)
{
	return READ_ONCE(nmetric_log_posts);
}

static int nd_param_set_range(const char *val, const struct kernel_param *kp, unsigned int min,
			      unsigned int max)
{
	unsigned int v;

	if (kstrtouint(val, 0, &v) || v < min || v > max) {
		pr_err_ratelimited(ND_NAMESPACE ": parameter %s takes %u to %u\n", kp->name, min,
				   max);
		return -EINVAL;
	}
	WRITE_ONCE(*(unsigned int *)kp->arg, v);
	nd_device_for_each(nd_metrics_kick);
	return 0;
}

static int nd_param_set_delay(const char *val, const struct kernel_param *kp)
{
	return nd_param_set_range(val, kp, ND_POST_DELAY_MIN_MS, ND_POST_DELAY_MAX_MS);
}

static int nd_param_set_sinks(const char *val, const struct kernel_param *kp)
{
	return nd_param_set_range(val, kp, 0, ND_LOG_ALL);
}

static int nd_param_set_devices(const char *val, const struct kernel_param *kp)
{
	return nd_param_set_range(val, kp, 0, ND_MAX_DEVICES);
}

static int nd_param_set_timeout(const char *val, const struct kernel_param *kp)
{
	return nd_param_set_range(val, kp, 0, ND_TIMEOUT_MAX_MS);
}

static int nd_param_set_window(const char *val, const struct kernel_param *kp)
{
	return nd_param_set_range(val, kp, ND_POWER_WINDOW_MIN_MS, ND_TIMEOUT_MAX_MS);
}

static const struct kernel_param_ops nd_param_timeout_ops = {
	.set = nd_param_set_timeout,
	.get = param_get_uint,
};

static const struct kernel_param_ops nd_param_window_ops = {
	.set = nd_param_set_window,
	.get = param_get_uint,
};

static const struct kernel_param_ops nd_param_delay_ops = {
	.set = nd_param_set_delay,
	.get = param_get_uint,
};

static const struct kernel_param_ops nd_param_sinks_ops = {
	.set = nd_param_set_sinks,
	.get = param_get_uint,
};

static const struct kernel_param_ops nd_param_devices_ops = {
	.set = nd_param_set_devices,
	.get = param_get_uint,
};

module_param_cb(nmetric_metric_post_delay, &nd_param_delay_ops, &nmetric_metric_post_delay, 0644);
MODULE_PARM_DESC(nmetric_metric_post_delay,
		 "milliseconds between posts, 100 to 86400000 (default 150000)");

module_param_cb(nmetric_log_posts, &nd_param_sinks_ops, &nmetric_log_posts, 0644);
MODULE_PARM_DESC(nmetric_log_posts,
		 "sinks: bit 0 firmware, bit 1 trace events; 0 keeps everything pending (default 1)");

bool nd_restrict_readers;
module_param_named(restrict_readers, nd_restrict_readers, bool, 0644);
MODULE_PARM_DESC(restrict_readers,
		 "another process's slab needs equal uids and gids or CAP_SYS_PTRACE (default off)");

bool nd_quirks;
module_param_named(quirks, nd_quirks, bool, 0444);
MODULE_PARM_DESC(quirks, "post the reference's numbers, defects included (default off)");

unsigned int nd_sim_devices;
module_param_cb(sim_devices, &nd_param_devices_ops, &nd_sim_devices, 0444);
MODULE_PARM_DESC(sim_devices, "simulated devices to create at load, 0 to 64 (default 0)");

char *nd_sim_arch = "v3";
module_param_named(sim_arch, nd_sim_arch, charp, 0444);
MODULE_PARM_DESC(sim_arch, "their kind: v2, inf2, v3 or v4 (default v3)");

bool nd_no_reset;
module_param_named(no_reset, nd_no_reset, bool, 0444);
MODULE_PARM_DESC(no_reset, "leave out the reset of a new device (default off)");

unsigned int nd_reset_timeout_ms;
module_param_cb(reset_timeout_ms, &nd_param_timeout_ops, &nd_reset_timeout_ms, 0644);
MODULE_PARM_DESC(reset_timeout_ms,
		 "milliseconds for a reset, 0 = as long as the device's kind needs (default 0)");

unsigned int nd_fwio_timeout_ms;
module_param_cb(fwio_timeout_ms, &nd_param_timeout_ops, &nd_fwio_timeout_ms, 0644);
MODULE_PARM_DESC(fwio_timeout_ms,
		 "milliseconds at most for a call to firmware, 0 = as each command needs (default 0)");

unsigned int nd_power_window_ms = 60000;
module_param_cb(power_window_ms, &nd_param_window_ops, &nd_power_window_ms, 0444);
MODULE_PARM_DESC(power_window_ms, "milliseconds a power report covers (default 60000)");

char *nd_platform = "auto";
module_param_named(platform, nd_platform, charp, 0444);
MODULE_PARM_DESC(platform,
		 "auto (by the product name), standard, ultraserver or pds (default auto)");
