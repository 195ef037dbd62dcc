/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ioctls of a Neuron device node. Pointer-form commands encode size 8 whatever the struct; the
 * direction bits follow the reference and do not predict who writes, so the encodings stand here
 * as they are on the wire.
 *
 * Two access lanes: a node opened exactly O_WRONLY is on the free lane (queries only, marked F
 * below); O_RDONLY and O_RDWR are the normal lane. An unknown command fails with ENOTTY, a known
 * one on the free lane that needs the normal lane with EINVAL.
 */
#ifndef NDTEL_UAPI_IOCTL_H
#define NDTEL_UAPI_IOCTL_H

#include <linux/ioctl.h>
#include "abi.h"

#define ND_IOC_MAGIC 0x4E

#define ND_MAX_CONNECTED_DEVICES 8

struct nd_ioctl_device_info {
	__u32 architecture;			/* enum nd_arch */
	__u32 revision;				/* PCI revision id */
	__u32 connected_device_count;
	__u32 connected_devices[ND_MAX_CONNECTED_DEVICES];
	__u32 pad;
	__u64 bar_address[2];			/* 0: addresses are not given to users */
	__u64 bar_size[2];
};

struct nd_ioctl_basic_info {
	__u32 architecture;
	__u32 revision;
};

struct nd_ioctl_driver_info {
	__u32 architecture;
	__u32 revision;
	__u32 version;				/* of this struct: 0 */
	__u32 size;				/* of this struct: 24 */
	__u64 feature_flags1;			/* only what the running module has */
};

struct nd_ioctl_compatible_version {
	__u32 max;		/* highest runtime interface number, first on the wire */
	__u32 min;
};

struct nd_ioctl_ds_info {
	__s32 pid;		/* in: 0 = caller, else a process of the caller's namespace */
	__u32 pad0;
	__u64 mmap_offset;	/* out: opaque cookie for mmap() */
	__u32 size;		/* out: bytes to map */
	__u32 pad1;
};

struct nd_ioctl_apps_info_hdr {
	__u16 flags;				/* in: ND_APPS_*; out: what the records hold */
	__u16 pad;
	__u32 capacity;				/* in: records that fit behind this header */
	__u32 size;				/* out: records written */
	__u32 pad1;
};

struct nd_ioctl_app_record {
	__s32 pid;				/* in the caller's namespace */
	__u8 nc_lock_map;			/* bit per core 0..3 the process has locked */
	__u8 uuid[4][32];
	__u8 pad[3];
	__u64 host_mem_size;	/* bytes the module holds on the host for the process */
	__u64 device_mem_size;
};

#define ND_APPS_NC_LOCK_INFO	0x1
#define ND_APPS_MEM_USAGE	0x2
#define ND_APPS_ALL		0xF

struct nd_ioctl_metrics_ctrl {
	__u32 mode;				/* enum nd_metrics_mode */
};

/*
 * A vote of the open file: the device's periodic posting is paused while any open file votes
 * DISABLE; the vote goes with ENABLE or with the last close. Counting goes on while paused;
 * nothing is lost.
 */
enum nd_metrics_mode {
	ND_METRICS_PERIODIC_ENABLE = 0,
	ND_METRICS_PERIODIC_DISABLE = 1,
};

#define ND_IOC_DEVICE_INIT		_IOR(ND_IOC_MAGIC, 4, __u64)
#define ND_IOC_DEVICE_RELEASE		_IOR(ND_IOC_MAGIC, 5, __u64)
#define ND_IOC_DEVICE_INFO		_IOR(ND_IOC_MAGIC, 3, __u64)
#define ND_IOC_GET_ALL_APPS_INFO	_IOR(ND_IOC_MAGIC, 7, __u64)
#define ND_IOC_ACQUIRE_NEURON_DS	_IOR(ND_IOC_MAGIC, 71, __u64)
#define ND_IOC_RELEASE_NEURON_DS	_IOR(ND_IOC_MAGIC, 72, __u64)
#define ND_IOC_COMPATIBLE_VERSION	_IOW(ND_IOC_MAGIC, 93, __u64)		/* F, out */
#define ND_IOC_DEVICE_BASIC_INFO	_IOW(ND_IOC_MAGIC, 100, __u64)		/* F, out */
/* Both on the free lane too; SET always fails with ENOTSUPP (524). */
#define ND_IOC_DRIVER_INFO_GET		_IOR(ND_IOC_MAGIC, 110, struct nd_ioctl_driver_info)
#define ND_IOC_DRIVER_INFO_SET		_IOW(ND_IOC_MAGIC, 110, struct nd_ioctl_driver_info)
#define ND_IOC_HOST_DEVICE_ID		_IOR(ND_IOC_MAGIC, 114, __u32)
#define ND_IOC_METRICS_CTRL		_IOW(ND_IOC_MAGIC, 128, struct nd_ioctl_metrics_ctrl)

ND_ABI_SIZE(struct nd_ioctl_device_info, 80);
ND_ABI_OFFSET(struct nd_ioctl_device_info, bar_address, 48);
ND_ABI_SIZE(struct nd_ioctl_basic_info, 8);
ND_ABI_SIZE(struct nd_ioctl_driver_info, 24);
ND_ABI_SIZE(struct nd_ioctl_compatible_version, 8);
ND_ABI_SIZE(struct nd_ioctl_ds_info, 24);
ND_ABI_OFFSET(struct nd_ioctl_ds_info, mmap_offset, 8);
ND_ABI_OFFSET(struct nd_ioctl_ds_info, size, 16);
ND_ABI_SIZE(struct nd_ioctl_apps_info_hdr, 16);
ND_ABI_OFFSET(struct nd_ioctl_apps_info_hdr, size, 8);
ND_ABI_SIZE(struct nd_ioctl_app_record, 152);
ND_ABI_OFFSET(struct nd_ioctl_app_record, uuid, 5);
ND_ABI_OFFSET(struct nd_ioctl_app_record, host_mem_size, 136);
ND_ABI_SIZE(struct nd_ioctl_metrics_ctrl, 4);
ND_ABI_EQUAL(ND_IOC_DEVICE_INFO, 0x80084E03);
ND_ABI_EQUAL(ND_IOC_GET_ALL_APPS_INFO, 0x80084E07);
ND_ABI_EQUAL(ND_IOC_ACQUIRE_NEURON_DS, 0x80084E47);
ND_ABI_EQUAL(ND_IOC_RELEASE_NEURON_DS, 0x80084E48);
ND_ABI_EQUAL(ND_IOC_COMPATIBLE_VERSION, 0x40084E5D);
ND_ABI_EQUAL(ND_IOC_DEVICE_BASIC_INFO, 0x40084E64);
ND_ABI_EQUAL(ND_IOC_DRIVER_INFO_GET, 0x80184E6E);
ND_ABI_EQUAL(ND_IOC_DRIVER_INFO_SET, 0x40184E6E);
ND_ABI_EQUAL(ND_IOC_HOST_DEVICE_ID, 0x80044E72);
ND_ABI_EQUAL(ND_IOC_METRICS_CTRL, 0x40044E80);

#endif /* NDTEL_UAPI_IOCTL_H */
