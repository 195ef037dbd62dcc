/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Core reader-writer locks (CRWL) of one device: which process has which model on a core. The
 * process that loads a model enters as the writer, downgrades when the model is in place, and its
 * inferences enter and exit as readers.
 *
 * A core remembers the process and the model of its last writer after all have left. That memory
 * is what readers are checked against, what tells the next writer that its model is still in place,
 * and what the list of applications shows. It ends when another writer enters or the process dies.
 *
 *   state of the core       reader enter        reader exit  writer enter        downgrade
 *   free, never used        -ENOENT             -ENOENT      0                   -EINVAL
 *   free, of the same (*)   0                   -EINVAL      -EALREADY, entered  -EINVAL
 *   free, of another        -ENOENT             -ENOENT      0, now the caller's -EINVAL
 *   readers, of the same    0                   0            -EBUSY              -EINVAL
 *   readers, of another     -ENOENT             -ENOENT      -EBUSY              -EINVAL
 *   writer, of the same     -EBUSY              -EINVAL      -EBUSY              0
 *   writer, of another      -EBUSY              -ENOENT      -EBUSY              -ENOENT
 *
 *   (*) of the same process and the same model; another model of the same process is another
 *
 * In front of all that: -EINVAL for a core the device does not have, or without a process.
 *
 * These functions decide and never wait. -EBUSY means: nothing changed; wait until a call returned
 * true from crwl_drop(), or 0 from crwl_reader_exit() or crwl_writer_downgrade(), and ask again
 * until patience ends (readers about 0.5 s, writers 2 s), then hand -EBUSY on. Whoever waits must
 * also give up on a signal and when the device goes.
 *
 * The caller serialises all calls for one device.
 */
#ifndef NDTEL_CORE_CRWL_H
#define NDTEL_CORE_CRWL_H

#include "port.h"
#include "../uapi/ndtel/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CRWL_UUID_SIZE	32

/**
 * struct crwl_core - lock of one core
 * @owner: process of the last writer, NULL when there is none; compared, never followed
 * @uuid: its model
 * @readers: how many times readers entered and have not left
 * @writer: the writer is inside
 */
struct crwl_core {
	const void *owner;
	u8 uuid[CRWL_UUID_SIZE];
	u32 readers;
	bool writer;
};

/**
 * struct crwl - locks of one device
 * @nc_count: cores
 * @core: by core
 */
struct crwl {
	u32 nc_count;
	struct crwl_core core[ND_MAX_NC_PER_DEVICE];
};

void crwl_init(struct crwl *locks, u32 nc_count);
int crwl_reader_enter(struct crwl *locks, u32 nc, const void *owner, const u8 *uuid);
int crwl_reader_exit(struct crwl *locks, u32 nc, const void *owner, const u8 *uuid);
int crwl_writer_enter(struct crwl *locks, u32 nc, const void *owner, const u8 *uuid);
int crwl_writer_downgrade(struct crwl *locks, u32 nc, const void *owner, const u8 *uuid);
bool crwl_drop(struct crwl *locks, const void *owner);
u32 crwl_map(const struct crwl *locks, const void *owner);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_CRWL_H */
