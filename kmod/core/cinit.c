// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Core initialisation.
 */
#include "cinit.h"

/**
 * cinit_init() - a new device: all cores INVALID, no model started
 * @init: state
 * @nc_count: cores; more than ND_MAX_NC_PER_DEVICE do not exist
 */
void cinit_init(struct cinit *init, u32 nc_count)
{
	init->nc_count = nc_count < ND_MAX_NC_PER_DEVICE ? nc_count : ND_MAX_NC_PER_DEVICE;
	cinit_reset(init, ~0U);
}

/**
 * cinit_reset() - cores were reset
 * @init: state; those who wait should ask again
 * @nc_map: which, bit per core
 */
void cinit_reset(struct cinit *init, u32 nc_map)
{
	u32 nc;

	for (nc = 0; nc < ND_MAX_NC_PER_DEVICE; nc++) {
		if (nc_map & (1U << nc))
			init->core[nc] = (struct cinit_core){ .state = CINIT_INVALID };
	}
}

/**
 * cinit_set() - a process starts or has completed to initialise a core
 * @init: state
 * @nc: core
 * @owner: process
 * @state: CINIT_STARTED or CINIT_COMPLETED
 * @new_state: filled with the resulting state, also with -EBUSY; else unchanged
 *
 * Return: 0; -E2BIG for a core that is none; -EINVAL for another @state; -EBUSY when it was started
 * and is not completed: wait until a cinit_set() of CINIT_COMPLETED, a cinit_drop() or a
 * cinit_reset(), and ask again until patience ends (about 5 s); then the call as such has
 * succeeded, with CINIT_STARTED as the resulting state.
 */
int cinit_set(struct cinit *init, u32 nc, const void *owner, u32 state, u32 *new_state)
{
	struct cinit_core *core;
	int ret = 0;

	if (nc >= init->nc_count)
		return -E2BIG;
	core = &init->core[nc];
	switch (state) {
	case CINIT_STARTED:
		if (core->state == CINIT_STARTED)
			ret = -EBUSY;
		if (core->state != CINIT_INVALID)
			break;
		core->state = CINIT_STARTED;
		core->owner = owner;
		break;
	case CINIT_COMPLETED:
		if (core->state != CINIT_STARTED)
			break;
		core->state = CINIT_COMPLETED;
		core->owner = NULL;
		break;
	default:
		return -EINVAL;
	}
	*new_state = core->state;
	return ret;
}

/**
 * cinit_drop() - a process closed the device for the last time or died
 * @init: state; what it started and did not complete is INVALID again
 * @owner: process
 *
 * Return: true when there was any, so that those who wait should ask again.
 */
bool cinit_drop(struct cinit *init, const void *owner)
{
	bool any = false;
	u32 nc;

	for (nc = 0; nc < init->nc_count; nc++) {
		struct cinit_core *core = &init->core[nc];

		if (core->state != CINIT_STARTED || core->owner != owner)
			continue;
		core->state = CINIT_INVALID;
		core->owner = NULL;
		any = true;
	}
	return any;
}

/**
 * cinit_model_started() - a model was started on a core
 * @init: state
 * @nc: core
 *
 * Return: 0, or -E2BIG for a core that is none.
 */
int cinit_model_started(struct cinit *init, u32 nc)
{
	if (nc >= init->nc_count)
		return -E2BIG;
	init->core[nc].models++;
	return 0;
}

/**
 * cinit_models() - models started on a core since its last reset
 * @init: state
 * @nc: core
 * @count: filled on success
 *
 * Return: 0, or -E2BIG for a core that is none.
 */
int cinit_models(const struct cinit *init, u32 nc, u64 *count)
{
	if (nc >= init->nc_count)
		return -E2BIG;
	*count = init->core[nc].models;
	return 0;
}
