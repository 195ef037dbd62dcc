/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Core initialisation (CINIT) of one device: the first process that starts is told to do it, the
 * others wait until it is completed. Also how many models were started on each core.
 *
 *   state       set STARTED             set COMPLETED
 *   INVALID     STARTED: caller's job   INVALID
 *   STARTED     -EBUSY, wait            COMPLETED
 *   COMPLETED   COMPLETED               COMPLETED
 *
 * A reset makes all cores INVALID again, and so does, for the cores it had started, the death of a
 * process: whoever waits is then the next to do it.
 *
 * The caller serialises all calls for one device.
 */
#ifndef NDTEL_CORE_CINIT_H
#define NDTEL_CORE_CINIT_H

#include "port.h"
#include "../uapi/ndtel/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbering of the reference. */
enum cinit_state {
	CINIT_STARTED = 1,
	CINIT_COMPLETED = 2,
	CINIT_INVALID = 3,
};

/**
 * struct cinit_core - initialisation of one core
 * @state: enum cinit_state
 * @owner: process that started it, while STARTED; compared, never followed
 * @models: models started since the last reset
 */
struct cinit_core {
	u32 state;
	const void *owner;
	u64 models;
};

/**
 * struct cinit - initialisation of one device's cores
 * @nc_count: cores
 * @core: by core
 */
struct cinit {
	u32 nc_count;
	struct cinit_core core[ND_MAX_NC_PER_DEVICE];
};

void cinit_init(struct cinit *init, u32 nc_count);
void cinit_reset(struct cinit *init, u32 nc_map);
int cinit_set(struct cinit *init, u32 nc, const void *owner, u32 state, u32 *new_state);
bool cinit_drop(struct cinit *init, const void *owner);
int cinit_model_started(struct cinit *init, u32 nc);
int cinit_models(const struct cinit *init, u32 nc, u64 *count);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_CINIT_H */
