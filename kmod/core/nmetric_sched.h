/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * When to post: a fixed grid of intervals from the start, two alternating ticks, pause with
 * catch-up. Time is passed in.
 */
#ifndef NDTEL_CORE_NMETRIC_SCHED_H
#define NDTEL_CORE_NMETRIC_SCHED_H

#include "port.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct nmetric_sched - posting schedule of one device
 * @start_ns: origin of the grid, monotonic
 * @period_ns: length of an interval, never 0
 * @done: index of the last interval that was posted or deliberately skipped
 * @tick: tick the next post carries; advances per post, not per interval
 * @paused: no posts
 * @flush: a resume asks for what was missed, at most one post of each tick
 */
struct nmetric_sched {
	u64 start_ns;
	u64 period_ns;
	u64 done;
	u8 tick;
	bool paused;
	bool flush;
};

void nmetric_sched_init(struct nmetric_sched *s, u64 now_ns, u64 period_ns);
void nmetric_sched_set_period(struct nmetric_sched *s, u64 now_ns, u64 period_ns);
void nmetric_sched_pause(struct nmetric_sched *s);
void nmetric_sched_resume(struct nmetric_sched *s);
unsigned int nmetric_sched_due(struct nmetric_sched *s, u64 now_ns, bool ready);
u8 nmetric_sched_take_tick(struct nmetric_sched *s);
u64 nmetric_sched_wait_ns(const struct nmetric_sched *s, u64 now_ns);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NMETRIC_SCHED_H */
