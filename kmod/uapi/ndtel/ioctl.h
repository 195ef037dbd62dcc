/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ioctls of a Neuron device node. Pointer-form commands encode size 8 whatever the struct; the
 * direction bits follow the reference and do not predict who writes, so the encodings stand here
 * as they are on the wire. Pointers inside structs are __u64.
 *
 * Two access lanes: a node opened exactly O_WRONLY is on the free lane (only what is marked F
 * below); O_RDONLY and O_RDWR are the normal lane. An unknown command fails with ENOTTY, a known
 * one on the free lane that needs the normal lane with EINVAL.
 *
 * Marked W: needs a descriptor open for writing or CAP_SYS_ADMIN, else EACCES. Marked A: the
 * calling process itself opened the file, else EACCES. Everywhere: EFAULT for a bad pointer,
 * ENODEV once the device is gone. ENOTSUPP is ND_ENOTSUPP. Outputs have no byte that was not meant.
 */
#ifndef NDTEL_UAPI_IOCTL_H
#define NDTEL_UAPI_IOCTL_H

#include <linux/ioctl.h>
#include "abi.h"

#define ND_IOC_MAGIC 0x4E

/* ENOTSUPP of the kernel, which programs have no name for; the reference returns it. */
#define ND_ENOTSUPP 524

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

/* feature_flags1: only what the running module has. */
#define ND_FEATURE_BIG_CORE_MAPS	0x8ULL	/* NC_RANGE_MARK_EXT */

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
	__u8 nc_lock_map;			/* bit per core 0..7 whose model is the process's */
	__u8 uuid[4][32];			/* models of cores 0..3, 0 = not the process's */
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

/* Registers of the device's BAR, by offset from its start. */
struct nd_ioctl_bar_rw {
	__u32 bar;				/* 0 */
	__u32 pad;
	__u64 address;				/* of __u64[count]: offsets in the BAR */
	__u64 data;				/* of __u32[count] */
	__u32 count;				/* 1..ND_READS_MAX, else EINVAL or E2BIG */
	__u32 pad1;
};

struct nd_ioctl_read_hw_counters {
	__u64 address;				/* of __u64[count]: device addresses */
	__u64 data;				/* of __u32[count], out */
	__u32 count;				/* 1..ND_READS_MAX, else EINVAL or E2BIG */
	__u32 pad;
};

#define ND_READS_MAX	100

struct nd_ioctl_post_metric {
	__u64 data;				/* records, as the firmware takes them */
	__u32 data_size;			/* 1..128, else EINVAL or E2BIG */
	__u32 pad;
};

struct nd_ioctl_bdf {
	__u32 bus;
	__u8 slot;
	__u8 func;
	__u16 pad;
};

struct nd_ioctl_bdf_ext {
	__u32 nd_index;				/* in: relative to the opened device */
	__u32 domain;
	__u32 bus;
	__u8 slot;
	__u8 func;
	__u16 pad;
};

struct nd_ioctl_nc_reset {
	__u32 nc_map;				/* in: bit per core; 0xFFFFFFFF: the whole device */
	__u32 request_id;			/* out */
};

struct nd_ioctl_nc_reset_ready {
	__u32 request_id;			/* in */
	__s32 result;				/* out: 0 done, 1 failed */
};

/* Routing ids of the host's devices, as their firmware says. */
struct nd_ioctl_rid_map {
	__u32 count;				/* highest device index + 1 */
	__u32 rid[ND_MAX_DEVICES];		/* by device index; ND_RID_NONE: not known */
};

#define ND_RID_NONE	0xFFFFFFFFU

struct nd_ioctl_nc_mapping_entry {
	__u32 device;
	__u32 core;
};

#define ND_NC_MAPPING_DEVICES	16
#define ND_NC_MAPPING_ENTRIES	128

/* Where the logical cores of a full instance are. */
struct nd_ioctl_nc_mapping {
	__u32 count;				/* ND_NC_MAPPING_ENTRIES */
	struct nd_ioctl_nc_mapping_entry entry[ND_NC_MAPPING_ENTRIES];
};

struct nd_ioctl_get_nc_mapping {
	__u32 capacity;				/* in: entries that fit, else E2BIG */
	__u32 reserved;				/* in: 0 */
	__u64 mapping;				/* of struct nd_ioctl_nc_mapping, out */
};

/*
 * Core locks: which process has which model on a core. The process that loads a model enters as
 * writer, downgrades when the model is in place; who runs it enters and exits as reader.
 */
struct nd_ioctl_crwl {
	__u32 nc_id;
	__u8 uuid[32];				/* of the model */
};

/*
 * Range marks: processes share out the cores of all devices. Cores are relative to the opened
 * device and may lie on the devices behind it.
 */
struct nd_ioctl_nc_range {
	__u32 nc_count;				/* in: cores wanted, next to each other */
	__u32 start;				/* in: first core looked at */
	__u32 end;				/* in: last core looked at */
	__u32 max_available;			/* out: with EBUSY, the longest free run */
	__u64 bitmap;				/* MARK: out; UNMARK: in */
};

struct nd_ioctl_nc_range_ext {
	__u32 nc_count;
	__u32 start;
	__u32 end;
	__u32 max_available;
	__u64 bitmap[8];
};

/* Of a core's initialisation. */
enum nd_cinit_state {
	ND_CINIT_STARTED = 1,
	ND_CINIT_COMPLETED = 2,
	ND_CINIT_INVALID = 3,
};

struct nd_ioctl_cinit {
	__u32 nc_id;
	__u32 state;				/* in: not INVALID, else EINVAL */
	__u32 new_state;			/* out */
};

struct nd_ioctl_model_started {
	__u32 nc_id;
	__u32 pad;
	__u64 count;				/* out: models put in place since the last reset */
};

struct nd_ioctl_printk {
	__u64 buffer;				/* text */
	__u32 size;				/* with the final NUL; 1..ND_PRINTK_MAX */
	__u32 action;				/* ignored */
};

#define ND_PRINTK_MAX	512

struct nd_ioctl_power_profile {
	__u16 sz;				/* 8, else ENXIO */
	__u16 ctrl;				/* 0, else ENOTSUPP */
	__u32 profile;				/* 0..255 */
};

struct nd_ioctl_performance_profile {
	__u16 sz;				/* in: 8, else ENXIO */
	__u16 pad;
	__u32 profile;				/* out */
};

struct nd_ioctl_perf_profiles {
	__u16 sz;				/* in: 36, else ENXIO */
	__u8 count;				/* out: profiles there are */
	__u8 bitmap[32];			/* out: profile p is byte p / 8, bit p % 8 */
	__u8 pad;
};

struct nd_ioctl_throttling {
	__u32 enable;				/* 0 or 1 */
};

/*
 * Pods. The election itself is run by the nodes' firmware and their agents; its words on device 0
 * are taken as they stand.
 */
enum nd_pod_type {
	ND_POD_TYPE_NONE = 0,
	ND_POD_TYPE_P2P = 1,			/* ultraserver */
	ND_POD_TYPE_SWITCH = 2,			/* PDS */
};

enum nd_pod_state {
	ND_POD_STATE_INIT = 0,			/* device 0 does not tell */
	ND_POD_STATE_IN_PROGRESS = 1,
	ND_POD_STATE_ELECTED = 2,
	ND_POD_STATE_FAILED = 3,
	ND_POD_STATE_SINGLE = 4,		/* no pod here */
};

enum nd_pod_mode {
	ND_POD_MODE_UNSET = 0,
	ND_POD_MODE_X4 = 1,
	ND_POD_MODE_X2H = 2,
	ND_POD_MODE_X2V = 3,
	ND_POD_MODE_X1 = 4,
};

#define ND_POD_ID_MAX	256

struct nd_ioctl_pod_info {
	__u16 sz;				/* in: 260 or 0, else ENXIO; out: 260 */
	__u8 type;				/* enum nd_pod_type */
	__u8 id[ND_POD_ID_MAX];			/* the pod's serial number in 8 bytes, then zeros */
	__u8 size;				/* nodes, 0 = not elected */
};

/* EBUSY while the election is not decided; the answer is there all the same. */
struct nd_ioctl_pod_status {
	__u16 sz;				/* in: 268 or 0, else ENXIO; out: 268 */
	__u8 id[ND_POD_ID_MAX];
	__u16 pad;
	__u32 state;				/* enum nd_pod_state */
	__u8 type;
	__u8 size;
	__s8 node_id;				/* -1 = not known */
	__u8 pad1;
};

struct nd_ioctl_pod_status_v2 {
	struct nd_ioctl_pod_status v1;		/* sz: 276 */
	__u32 mode;				/* enum nd_pod_mode */
	__u32 modes_supported;			/* bit per mode */
};

/*
 * Without a pod every control answers 0 and ND_POD_STATE_SINGLE. In a pod:
 * QUERY tells the state; SET_MODE (longer form only, else EINVAL) fails with EBUSY before the
 * election is decided, EEXIST while another mode is set, ENOTSUPP for a mode the pod does not have.
 * A mode is set until the last core of all devices is unmarked. Controls that would run, repeat or
 * end an election give EOPNOTSUPP.
 */
enum nd_pod_control {
	ND_POD_CTRL_QUERY = 0,
	ND_POD_CTRL_SINGLE = 1,			/* EOPNOTSUPP */
	ND_POD_CTRL_KILL = 2,			/* EOPNOTSUPP */
	ND_POD_CTRL_SET_MODE = 3,
};

struct nd_ioctl_pod_ctrl {
	__u16 sz;				/* in: 16 or 0, else ENXIO */
	__u16 pad;
	__u32 control;				/* enum nd_pod_control */
	__u32 timeout;				/* not used */
	__u32 state;				/* out: enum nd_pod_state */
};

struct nd_ioctl_pod_ctrl_v2 {
	struct nd_ioctl_pod_ctrl v1;		/* sz: 20 */
	__u32 mode;				/* in: for SET_MODE; out: the mode that is set */
};

#define ND_IOC_DEVICE_INIT		_IOR(ND_IOC_MAGIC, 4, __u64)
#define ND_IOC_DEVICE_RELEASE		_IOR(ND_IOC_MAGIC, 5, __u64)
#define ND_IOC_DEVICE_INFO		_IOR(ND_IOC_MAGIC, 3, __u64)
#define ND_IOC_GET_ALL_APPS_INFO	_IOR(ND_IOC_MAGIC, 7, __u64)
#define ND_IOC_ACQUIRE_NEURON_DS	_IOR(ND_IOC_MAGIC, 71, __u64)
#define ND_IOC_RELEASE_NEURON_DS	_IOR(ND_IOC_MAGIC, 72, __u64)
#define ND_IOC_COMPATIBLE_VERSION	_IOW(ND_IOC_MAGIC, 93, __u64)		/* F, out */
#define ND_IOC_DEVICE_BASIC_INFO	_IOW(ND_IOC_MAGIC, 100, __u64)		/* F, out */
/*
 * F. By number: a size above 24 is served too, GET with another direction or a smaller size is
 * EINVAL, writing fails with ENOTSUPP.
 */
#define ND_IOC_DRIVER_INFO_GET		_IOR(ND_IOC_MAGIC, 110, struct nd_ioctl_driver_info)
#define ND_IOC_DRIVER_INFO_SET		_IOW(ND_IOC_MAGIC, 110, struct nd_ioctl_driver_info)
#define ND_IOC_HOST_DEVICE_ID		_IOR(ND_IOC_MAGIC, 114, __u32)
/* W */
#define ND_IOC_METRICS_CTRL		_IOW(ND_IOC_MAGIC, 128, struct nd_ioctl_metrics_ctrl)

/* The process in the lowest place, 0 = none; deprecated. */
#define ND_IOC_DEVICE_APP_PID		_IOR(ND_IOC_MAGIC, 6, __s32)
/*
 * BAR 0 has MiscRAM, readable as a whole; EINVAL for every other offset; EAGAIN while the firmware
 * is busy, EIO when the device does not answer; EOPNOTSUPP without hardware. Writing to it is
 * always refused with EACCES.
 */
#define ND_IOC_BAR_READ			_IOR(ND_IOC_MAGIC, 11, __u64)
#define ND_IOC_BAR_WRITE		_IOW(ND_IOC_MAGIC, 12, __u64)		/* W, A */
/*
 * Calls to the firmware: EREMOTEIO it refused; EAGAIN a reset runs, it was not asked; ETIMEDOUT,
 * EBADMSG, ECANCELED (a reset came): nobody knows whether it did it; EOPNOTSUPP without hardware or
 * when it does not know the command.
 */
#define ND_IOC_POST_METRIC		_IOW(ND_IOC_MAGIC, 13, __u64)		/* W, A */
/*
 * Only MiscRAM's identity, ECC, power and state words; EACCES for every other address, and
 * nothing is read.
 */
#define ND_IOC_READ_HW_COUNTERS		_IOR(ND_IOC_MAGIC, 61, __u64)		/* W, A */
/*
 * Locks and marks belong to the process and go with its death. Locks of a device also go with the
 * close of the process's last file of that device, marks with that of its last file of any device.
 *
 * EINVAL no such core, or nothing to leave; ENOENT the core has not this model of this process.
 * READER_ENTER waits 0.5 s for a writer, WRITER_ENTER 2 s for everybody, then EBUSY. EALREADY from
 * WRITER_ENTER: entered, and the model is still in place.
 */
#define ND_IOC_CRWL_READER_ENTER	_IOW(ND_IOC_MAGIC, 81, __u64)		/* W, A */
#define ND_IOC_CRWL_READER_EXIT		_IOW(ND_IOC_MAGIC, 82, __u64)		/* W, A */
#define ND_IOC_CRWL_WRITER_ENTER	_IOW(ND_IOC_MAGIC, 83, __u64)		/* W, A */
#define ND_IOC_CRWL_WRITER_DOWNGRADE	_IOW(ND_IOC_MAGIC, 84, __u64)		/* W, A */
/* MARK: EINVAL a range that makes no sense, EBUSY no free run is long enough. */
#define ND_IOC_NC_RANGE_MARK		_IOW(ND_IOC_MAGIC, 85, __u64)		/* F, W, A */
#define ND_IOC_NC_RANGE_MARK_EXT	_IOWR(ND_IOC_MAGIC, 85, struct nd_ioctl_nc_range_ext)
#define ND_IOC_NC_RANGE_UNMARK		_IOW(ND_IOC_MAGIC, 86, __u64)		/* F, W, A */
#define ND_IOC_NC_RANGE_UNMARK_EXT	_IOW(ND_IOC_MAGIC, 86, struct nd_ioctl_nc_range_ext)
/* E2BIG: no such core. Setting STARTED waits 5 s for another process to complete. */
#define ND_IOC_CINIT_SET_STATE		_IOW(ND_IOC_MAGIC, 91, __u64)		/* W, A */
#define ND_IOC_NC_MODEL_STARTED_COUNT	_IOW(ND_IOC_MAGIC, 92, __u64)

/* A device without a PCI address gives ENODEV; an index without a device EINVAL. */
#define ND_IOC_DEVICE_BDF		_IOR(ND_IOC_MAGIC, 101, __u64)
#define ND_IOC_DEVICE_BDF_EXT		_IOR(ND_IOC_MAGIC, 106, __u64)		/* F */
/* RESET takes the device out of READY at once; READY waits until that request has ended. */
#define ND_IOC_NC_RESET			_IOR(ND_IOC_MAGIC, 103, __u64)		/* W, A */
#define ND_IOC_NC_RESET_READY		_IOR(ND_IOC_MAGIC, 104, __u64)
/* 1: no reset is running; deprecated. */
#define ND_IOC_DEVICE_RESET_STATUS	_IOR(ND_IOC_MAGIC, 106, __u8)
/* Needs CAP_SYSLOG or a slab of the device, else EPERM. EBUSY: too much was printed. */
#define ND_IOC_PRINTK			_IOW(ND_IOC_MAGIC, 113, struct nd_ioctl_printk) /* F */
#define ND_IOC_RID_MAP			_IOWR(ND_IOC_MAGIC, 115, struct nd_ioctl_rid_map) /* F */
/* F. ENOTSUPP where there is no such map (V2). */
#define ND_IOC_GET_NC_MAPPING		_IOWR(ND_IOC_MAGIC, 120, struct nd_ioctl_get_nc_mapping)
/* All F; CTRL: W. */
#define ND_IOC_POD_INFO			_IOWR(ND_IOC_MAGIC, 121, struct nd_ioctl_pod_info)
#define ND_IOC_POD_STATUS		_IOWR(ND_IOC_MAGIC, 122, struct nd_ioctl_pod_status)
#define ND_IOC_POD_STATUS_V2		_IOWR(ND_IOC_MAGIC, 122, struct nd_ioctl_pod_status_v2)
#define ND_IOC_POD_CTRL			_IOWR(ND_IOC_MAGIC, 123, struct nd_ioctl_pod_ctrl)
#define ND_IOC_POD_CTRL_V2		_IOWR(ND_IOC_MAGIC, 123, struct nd_ioctl_pod_ctrl_v2)
/*
 * Setting: W; a profile the firmware refuses is an error. V2 has no profiles: setting does nothing,
 * asking gives EOPNOTSUPP.
 */
#define ND_IOC_POWER_PROFILE		_IOW(ND_IOC_MAGIC, 127, struct nd_ioctl_power_profile)
/* W */
#define ND_IOC_THROTTLING_NOTIFICATIONS	_IOW(ND_IOC_MAGIC, 130, struct nd_ioctl_throttling)
#define ND_IOC_GET_PERFORMANCE_PROFILE \
	_IOWR(ND_IOC_MAGIC, 132, struct nd_ioctl_performance_profile)
#define ND_IOC_AVAILABLE_PERF_PROFILES	_IOWR(ND_IOC_MAGIC, 134, struct nd_ioctl_perf_profiles)

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
ND_ABI_SIZE(struct nd_ioctl_bar_rw, 32);
ND_ABI_OFFSET(struct nd_ioctl_bar_rw, address, 8);
ND_ABI_OFFSET(struct nd_ioctl_bar_rw, data, 16);
ND_ABI_OFFSET(struct nd_ioctl_bar_rw, count, 24);
ND_ABI_SIZE(struct nd_ioctl_read_hw_counters, 24);
ND_ABI_OFFSET(struct nd_ioctl_read_hw_counters, data, 8);
ND_ABI_OFFSET(struct nd_ioctl_read_hw_counters, count, 16);
ND_ABI_SIZE(struct nd_ioctl_post_metric, 16);
ND_ABI_OFFSET(struct nd_ioctl_post_metric, data_size, 8);
ND_ABI_SIZE(struct nd_ioctl_bdf, 8);
ND_ABI_OFFSET(struct nd_ioctl_bdf, func, 5);
ND_ABI_SIZE(struct nd_ioctl_bdf_ext, 16);
ND_ABI_OFFSET(struct nd_ioctl_bdf_ext, func, 13);
ND_ABI_SIZE(struct nd_ioctl_nc_reset, 8);
ND_ABI_SIZE(struct nd_ioctl_nc_reset_ready, 8);
ND_ABI_SIZE(struct nd_ioctl_rid_map, 260);
ND_ABI_SIZE(struct nd_ioctl_nc_mapping, 1028);
ND_ABI_SIZE(struct nd_ioctl_get_nc_mapping, 16);
ND_ABI_SIZE(struct nd_ioctl_crwl, 36);
ND_ABI_SIZE(struct nd_ioctl_nc_range, 24);
ND_ABI_OFFSET(struct nd_ioctl_nc_range, bitmap, 16);
ND_ABI_SIZE(struct nd_ioctl_nc_range_ext, 80);
ND_ABI_OFFSET(struct nd_ioctl_nc_range_ext, bitmap, 16);
ND_ABI_SIZE(struct nd_ioctl_cinit, 12);
ND_ABI_SIZE(struct nd_ioctl_model_started, 16);
ND_ABI_OFFSET(struct nd_ioctl_model_started, count, 8);
ND_ABI_SIZE(struct nd_ioctl_printk, 16);
ND_ABI_SIZE(struct nd_ioctl_power_profile, 8);
ND_ABI_SIZE(struct nd_ioctl_performance_profile, 8);
ND_ABI_SIZE(struct nd_ioctl_perf_profiles, 36);
ND_ABI_OFFSET(struct nd_ioctl_perf_profiles, bitmap, 3);
ND_ABI_SIZE(struct nd_ioctl_throttling, 4);
ND_ABI_SIZE(struct nd_ioctl_pod_info, 260);
ND_ABI_OFFSET(struct nd_ioctl_pod_info, id, 3);
ND_ABI_OFFSET(struct nd_ioctl_pod_info, size, 259);
ND_ABI_SIZE(struct nd_ioctl_pod_status, 268);
ND_ABI_OFFSET(struct nd_ioctl_pod_status, id, 2);
ND_ABI_OFFSET(struct nd_ioctl_pod_status, state, 260);
ND_ABI_OFFSET(struct nd_ioctl_pod_status, node_id, 266);
ND_ABI_SIZE(struct nd_ioctl_pod_status_v2, 276);
ND_ABI_OFFSET(struct nd_ioctl_pod_status_v2, mode, 268);
ND_ABI_SIZE(struct nd_ioctl_pod_ctrl, 16);
ND_ABI_OFFSET(struct nd_ioctl_pod_ctrl, control, 4);
ND_ABI_SIZE(struct nd_ioctl_pod_ctrl_v2, 20);
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
ND_ABI_EQUAL(ND_IOC_DEVICE_APP_PID, 0x80044E06);
ND_ABI_EQUAL(ND_IOC_BAR_READ, 0x80084E0B);
ND_ABI_EQUAL(ND_IOC_BAR_WRITE, 0x40084E0C);
ND_ABI_EQUAL(ND_IOC_POST_METRIC, 0x40084E0D);
ND_ABI_EQUAL(ND_IOC_READ_HW_COUNTERS, 0x80084E3D);
ND_ABI_EQUAL(ND_IOC_CRWL_READER_ENTER, 0x40084E51);
ND_ABI_EQUAL(ND_IOC_CRWL_READER_EXIT, 0x40084E52);
ND_ABI_EQUAL(ND_IOC_CRWL_WRITER_ENTER, 0x40084E53);
ND_ABI_EQUAL(ND_IOC_CRWL_WRITER_DOWNGRADE, 0x40084E54);
ND_ABI_EQUAL(ND_IOC_NC_RANGE_MARK, 0x40084E55);
ND_ABI_EQUAL(ND_IOC_NC_RANGE_MARK_EXT, 0xC0504E55);
ND_ABI_EQUAL(ND_IOC_NC_RANGE_UNMARK, 0x40084E56);
ND_ABI_EQUAL(ND_IOC_NC_RANGE_UNMARK_EXT, 0x40504E56);
ND_ABI_EQUAL(ND_IOC_CINIT_SET_STATE, 0x40084E5B);
ND_ABI_EQUAL(ND_IOC_NC_MODEL_STARTED_COUNT, 0x40084E5C);
ND_ABI_EQUAL(ND_IOC_DEVICE_BDF, 0x80084E65);
ND_ABI_EQUAL(ND_IOC_NC_RESET, 0x80084E67);
ND_ABI_EQUAL(ND_IOC_NC_RESET_READY, 0x80084E68);
ND_ABI_EQUAL(ND_IOC_DEVICE_RESET_STATUS, 0x80014E6A);
ND_ABI_EQUAL(ND_IOC_DEVICE_BDF_EXT, 0x80084E6A);
ND_ABI_EQUAL(ND_IOC_PRINTK, 0x40104E71);
ND_ABI_EQUAL(ND_IOC_RID_MAP, 0xC1044E73);
ND_ABI_EQUAL(ND_IOC_GET_NC_MAPPING, 0xC0104E78);
ND_ABI_EQUAL(ND_IOC_POD_INFO, 0xC1044E79);
ND_ABI_EQUAL(ND_IOC_POD_STATUS, 0xC10C4E7A);
ND_ABI_EQUAL(ND_IOC_POD_STATUS_V2, 0xC1144E7A);
ND_ABI_EQUAL(ND_IOC_POD_CTRL, 0xC0104E7B);
ND_ABI_EQUAL(ND_IOC_POD_CTRL_V2, 0xC0144E7B);
ND_ABI_EQUAL(ND_IOC_POWER_PROFILE, 0x40084E7F);
ND_ABI_EQUAL(ND_IOC_THROTTLING_NOTIFICATIONS, 0x40044E82);
ND_ABI_EQUAL(ND_IOC_GET_PERFORMANCE_PROFILE, 0xC0084E84);
ND_ABI_EQUAL(ND_IOC_AVAILABLE_PERF_PROFILES, 0xC0244E86);

#endif /* NDTEL_UAPI_IOCTL_H */
