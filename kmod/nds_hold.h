/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who acquired which slab through which open file. An owner's acquires are counted, so that one
 * of several releases does not take the slab from the rest; a reader's are remembered only so
 * that its release can be told from a stranger's.
 */
#ifndef NDTEL_NDS_HOLD_H
#define NDTEL_NDS_HOLD_H

#include <linux/list.h>
#include <linux/types.h>

struct nd_device;
struct nd_file;
struct nds_slab;

/**
 * struct nds_file_holds - one open file's acquires
 * @owned: struct nds_hold
 * @read: struct nds_reader
 * @readers: length of @read
 */
struct nds_file_holds {
	struct list_head owned;
	struct list_head read;
	unsigned int readers;
};

void nds_file_holds_init(struct nds_file_holds *holds);
void nds_slab_drop_holds(struct nds_slab *slab);

int nds_acquire(struct nd_file *file, pid_t nr, u64 *cookie);
int nds_release(struct nd_file *file, pid_t nr);
void nds_file_closed(struct nd_file *file);

#endif /* NDTEL_NDS_HOLD_H */
