// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Posting schedule.
 */
#include "nmetric_sched.h"
#include "nmetric_defs.h"

/* Index of the interval that @now_ns lies in. */
static u64 interval(const struct nmetric_sched *s, u64 now_ns)
{
	return now_ns <= s->start_ns ? 0 : div64_u64(now_ns - s->start_ns, s->period_ns);
}

/**
 * nmetric_sched_init() - start a schedule
 * @s: schedule
 * @now_ns: origin of the grid; the first post is due one period later
 * @period_ns: length of an interval; 0 is taken as 1
 */
void nmetric_sched_init(struct nmetric_sched *s, u64 now_ns, u64 period_ns)
{
	memset(s, 0, sizeof(*s));
	s->tick = NMETRIC_TICK_0;
	nmetric_sched_set_period(s, now_ns, period_ns);
}

/**
 * nmetric_sched_set_period() - change the length of the interval
 * @s: schedule
 * @now_ns: new origin of the grid
 * @period_ns: length of an interval; 0 is taken as 1
 *
 * Intervals missed on the old grid are not made up; which tick comes next stays.
 */
void nmetric_sched_set_period(struct nmetric_sched *s, u64 now_ns, u64 period_ns)
{
	s->start_ns = now_ns;
	s->period_ns = period_ns ? period_ns : 1;
	s->done = 0;
	s->flush = false;
}

/**
 * nmetric_sched_pause() - stop posting
 * @s: schedule
 */
void nmetric_sched_pause(struct nmetric_sched *s)
{
	s->paused = true;
}

/**
 * nmetric_sched_resume() - post again, and make up what was missed
 * @s: schedule; nothing happens when it is not paused
 */
void nmetric_sched_resume(struct nmetric_sched *s)
{
	if (!s->paused)
		return;
	s->paused = false;
	s->flush = true;
}

/**
 * nmetric_sched_due() - how many posts to make now
 * @s: schedule
 * @now_ns: monotonic
 * @ready: the device can take posts
 *
 * The interval counts as done with this call, before the posts are made: a post that takes longer
 * than an interval is followed by the next one at once.
 *
 * Return: 0, or 1, or 2 after a pause of at least two intervals; each takes its own
 * nmetric_sched_take_tick().
 */
unsigned int nmetric_sched_due(struct nmetric_sched *s, u64 now_ns, bool ready)
{
	u64 now = interval(s, now_ns);
	unsigned int n = 1;

	if (s->paused)
		return 0;
	if (now <= s->done) {
		s->flush = false;	/* the pause missed nothing */
		return 0;
	}
	if (!ready)
		return 0;
	if (s->flush && now - s->done >= NMETRIC_TICKS)
		n = NMETRIC_TICKS;
	s->done = now;
	s->flush = false;
	return n;
}

/**
 * nmetric_sched_take_tick() - tick of the next post
 * @s: schedule
 *
 * Return: NMETRIC_TICK_0 or NMETRIC_TICK_1, in turns.
 */
u8 nmetric_sched_take_tick(struct nmetric_sched *s)
{
	u8 tick = s->tick;

	s->tick = tick == NMETRIC_TICK_0 ? NMETRIC_TICK_1 : NMETRIC_TICK_0;
	return tick;
}

/**
 * nmetric_sched_wait_ns() - time until the next post
 * @s: schedule
 * @now_ns: monotonic
 *
 * A device that is not ready leaves a due post due: the caller then needs a wait of its own.
 *
 * Return: nanoseconds to the next boundary of the grid, 0 when a post is due, U64_MAX while paused.
 */
u64 nmetric_sched_wait_ns(const struct nmetric_sched *s, u64 now_ns)
{
	u64 now = interval(s, now_ns);

	if (s->paused)
		return U64_MAX;
	if (now > s->done)
		return 0;
	if (now_ns < s->start_ns)
		return s->start_ns - now_ns + s->period_ns;
	return s->period_ns - (now_ns - s->start_ns - now * s->period_ns);
}
