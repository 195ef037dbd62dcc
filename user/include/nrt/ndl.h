/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device layer: open a Neuron device node, map a process's datastore slab, vote on metric posting.
 *
 * Every function returns 0 or a negative errno and never prints, throws or aborts, whatever the
 * arguments.
 */
#ifndef NRT_NDL_H
#define NRT_NDL_H

#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open device node. */
typedef struct ndl_device ndl_device_t;

/**
 * Opens the device with this index, whichever driver it belongs to: /dev/ndtelN first, then
 * /dev/neuronN.
 *
 * @param index      device index, 0..63
 * @param open_flags O_RDONLY (readers), O_RDWR (producers) or O_WRONLY (free lane: queries only)
 * @param device     receives the handle
 * @return 0, -EINVAL, -ENOMEM, or what open(2) said (-ENOENT when there is no such node)
 */
int ndl_open_device(int index, int open_flags, ndl_device_t** device) NRT_NOEXCEPT;

/** As ndl_open_device(), with the path of the node. */
int ndl_open_path(const char* path, int open_flags, ndl_device_t** device) NRT_NOEXCEPT;

/** Closes the handle. Slabs opened through it keep the node open until they are closed themselves.
 * NULL: -EINVAL. */
int ndl_close_device(ndl_device_t* device) NRT_NOEXCEPT;

/** @return the descriptor of the handle, valid until it is closed, or -EINVAL. */
int ndl_device_fd(const ndl_device_t* device) NRT_NOEXCEPT;

/**
 * Acquires a slab and maps it: for pid 0 the caller's own, writable; else that process's,
 * read-only.
 *
 * @param pid  process id in the caller's namespace, 0 for the caller
 * @param data receives the address
 * @param size receives the length of the mapping in bytes
 * @return 0; -ENOMEM all slabs of the device are owned; -ENOENT the process owns none here;
 * -EINVAL; -EACCES
 */
int ndl_nds_open(ndl_device_t* device, int32_t pid, void** data, size_t* size) NRT_NOEXCEPT;

/** Unmaps what ndl_nds_open() mapped and releases the slab when pid is 0. Never call it in a forked
 * child. */
int ndl_nds_close(ndl_device_t* device, int32_t pid, void* data, size_t size) NRT_NOEXCEPT;

/**
 * Votes on periodic posting of the device's metrics; the vote ends with the handle.
 *
 * @param mode 0 enable, 1 disable (enum nd_metrics_mode of <ndtel/ioctl.h>)
 * @return 0; -EINVAL unknown mode or the driver has no such command; another negative errno
 */
int ndl_metrics_ctrl(ndl_device_t* device, uint32_t mode) NRT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NRT_NDL_H */
