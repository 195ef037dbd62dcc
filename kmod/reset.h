/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resets: one at a time a device, in the order they were asked for. The device is not READY while
 * one runs. READY again after a success, INVALID after a whole-device reset that failed.
 */
#ifndef NDTEL_RESET_H
#define NDTEL_RESET_H

#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "uapi/ndtel/abi.h"

struct nd_device;

#define ND_RESET_WHOLE_DEVICE	0xFFFFFFFFU
#define ND_RESETS_KEPT		32	/* results that can still be asked for */

/**
 * struct nd_reset_request - a reset that was asked for
 * @id: as handed out; 0 = free
 * @map: cores, or ND_RESET_WHOLE_DEVICE
 * @done: it has ended
 * @result: 0 or a negative error
 */
struct nd_reset_request {
	u32 id;
	u32 map;
	bool done;
	int result;
};

/**
 * struct nd_resets - resets of one device
 * @lock: guards everything here but @work and @wait
 * @request: ring of the newest requests
 * @next_id: of the next request
 * @run_id: of the next request to run
 * @stopped: the device goes; nothing more is taken
 * @broken: the last whole-device reset failed
 * @requested: by core, resets asked for since the device was made
 * @failed: by core, of those, the ones that failed
 * @work: runs what is asked for
 * @wait: woken when one is done
 */
struct nd_resets {
	spinlock_t lock; /* guards the requests and tallies; see above */
	struct nd_reset_request request[ND_RESETS_KEPT];
	u32 next_id;
	u32 run_id;
	bool stopped;
	bool broken;
	u64 requested[ND_MAX_NC_PER_DEVICE];
	u64 failed[ND_MAX_NC_PER_DEVICE];
	struct work_struct work;
	wait_queue_head_t wait;
};

void nd_reset_init(struct nd_device *nd);
void nd_reset_stop(struct nd_device *nd);
int nd_reset_request(struct nd_device *nd, u32 map, u32 *id);
int nd_reset_wait(struct nd_device *nd, u32 id, int *result);

#endif /* NDTEL_RESET_H */
