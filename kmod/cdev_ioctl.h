/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handlers of the node's ioctls, by the file that has them. cdev.c has the table that says which
 * command goes where and what a caller must be for it; a handler finds that checked.
 */
#ifndef NDTEL_CDEV_IOCTL_H
#define NDTEL_CDEV_IOCTL_H

#include <linux/types.h>

struct nd_file;

/* cdev_info.c: what the device is and where */
long nd_ioc_nothing(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_device_info(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_basic_info(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_compatible_version(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_driver_info(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_host_device_id(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_rid_map(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_nc_mapping(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_bdf(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_bdf_ext(struct nd_file *file, unsigned int cmd, void __user *arg);

/* cdev_slab.c: slabs, who uses the device, pausing of posts */
long nd_ioc_acquire(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_release(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_app_pid(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_apps_info(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_metrics_ctrl(struct nd_file *file, unsigned int cmd, void __user *arg);

/* cdev_fw.c: calls to the firmware, registers */
long nd_ioc_bar_read(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_bar_write(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_post_metric(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_read_hw_counters(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_power_profile(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_performance_profile(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_perf_profiles(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_throttling(struct nd_file *file, unsigned int cmd, void __user *arg);

/* cdev_reset.c */
long nd_ioc_nc_reset(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_nc_reset_ready(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_reset_status(struct nd_file *file, unsigned int cmd, void __user *arg);

/* cdev_locks.c: core locks, range marks, core initialisation */
long nd_ioc_crwl(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_range_mark(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_range_unmark(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_cinit(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_model_started(struct nd_file *file, unsigned int cmd, void __user *arg);

/* cdev_pod.c */
long nd_ioc_pod_info(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_pod_status(struct nd_file *file, unsigned int cmd, void __user *arg);
long nd_ioc_pod_ctrl(struct nd_file *file, unsigned int cmd, void __user *arg);

/* cdev_log.c */
long nd_ioc_printk(struct nd_file *file, unsigned int cmd, void __user *arg);

#endif /* NDTEL_CDEV_IOCTL_H */
