// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Power utilisation: freshness by die, and windows.
 */
#include "npower.h"
#include "../uapi/ndtel/miscram.h"

#define UTIL(reg)	((u16)((reg) & 0xFFFF))
#define NUMBER(reg)	((u16)((reg) >> 16))

/**
 * npower_init() - start sampling a device
 * @p: sampling state
 * @dice: dice of the device; taken as the nearest of 1..NPOWER_DICE
 * @window_ns: length of a window; 0 is taken as NPOWER_WINDOW_NS
 */
void npower_init(struct npower *p, u32 dice, u64 window_ns)
{
	memset(p, 0, sizeof(*p));
	p->dice = dice < 1 ? 1 : dice > NPOWER_DICE ? NPOWER_DICE : dice;
	p->window_ns = window_ns ? window_ns : NPOWER_WINDOW_NS;
	p->report.status = NPOWER_NO_DATA;
}

/* Begins a window without samples. Sample numbers seen stay seen. */
static void restart(struct npower *p)
{
	p->total = 0;
	p->count = 0;
	p->min = NPOWER_UTIL_MAX;
	p->max = 0;
}

/*
 * Closes the window that @now_ns lies behind. When more than one passed, the last of them is
 * reported, and it had no samples.
 */
static void close_window(struct npower *p, u64 now_ns, u64 epoch_s)
{
	struct npower_report report = { .status = NPOWER_NO_DATA, .epoch_s = epoch_s };
	u64 passed;

	if (!p->open || now_ns < p->start_ns || now_ns - p->start_ns < p->window_ns)
		return;
	passed = div64_u64(now_ns - p->start_ns, p->window_ns);
	if (passed == 1 && p->count >= NPOWER_SAMPLES_MIN) {
		report.status = NPOWER_VALID;
		report.min = p->min;
		report.max = p->max;
		report.avg = (u32)div64_u64(p->total, p->count);
	}
	p->report = report;
	p->start_ns += passed * p->window_ns;
	restart(p);
}

/*
 * Takes the samples with new numbers. A die whose newest sample is implausible waits for its next
 * one. Return: was any implausible?
 */
static bool take_samples(struct npower *p, const u32 *reg)
{
	bool implausible = false;
	u32 die;

	for (die = 0; die < p->dice; die++) {
		if (p->known[die] && p->number[die] == NUMBER(reg[die]))
			continue;
		p->known[die] = true;
		p->number[die] = NUMBER(reg[die]);
		p->util[die] = UTIL(reg[die]);
		p->fresh[die] = p->util[die] <= NPOWER_UTIL_MAX;
		if (!p->fresh[die])
			implausible = true;
	}
	return implausible;
}

/* Adds the highest of the dice to the window; each die must show a new sample before the next. */
static void accept(struct npower *p, u64 now_ns)
{
	u16 util = 0;
	u32 die;

	for (die = 0; die < p->dice; die++) {
		if (p->util[die] > util)
			util = p->util[die];
		p->fresh[die] = false;
	}
	if (!p->open) {
		p->open = true;
		p->start_ns = now_ns;
		restart(p);
	}
	p->total += util;
	p->count++;
	if (util < p->min)
		p->min = util;
	if (util > p->max)
		p->max = util;
	p->tallies.accepted++;
}

/**
 * npower_reading() - the power registers of all dice were read
 * @p: sampling state
 * @reg: by die, ND_MISCRAM_POWER_UTIL as read
 * @now_ns: monotonic time
 * @epoch_s: wall clock, seconds
 *
 * A reading is accepted when every die has shown a new sample number since the last accepted one;
 * dice need not change together. A register that reads as ND_MISCRAM_BUSY or ND_MISCRAM_GONE makes
 * the whole reading an unreadable one.
 *
 * Return: true when it was accepted.
 */
bool npower_reading(struct npower *p, const u32 *reg, u64 now_ns, u64 epoch_s)
{
	u32 die;

	for (die = 0; die < p->dice; die++) {
		if (reg[die] == ND_MISCRAM_BUSY || reg[die] == ND_MISCRAM_GONE) {
			npower_unreadable(p, now_ns, epoch_s);
			return false;
		}
	}
	close_window(p, now_ns, epoch_s);
	if (take_samples(p, reg)) {
		p->tallies.implausible++;
		return false;
	}
	for (die = 0; die < p->dice; die++) {
		if (!p->fresh[die]) {
			p->tallies.stale++;
			return false;
		}
	}
	accept(p, now_ns);
	return true;
}

/**
 * npower_unreadable() - the power registers could not be read
 * @p: sampling state
 * @now_ns: monotonic time
 * @epoch_s: wall clock, seconds
 *
 * A window closes although nothing comes.
 */
void npower_unreadable(struct npower *p, u64 now_ns, u64 epoch_s)
{
	close_window(p, now_ns, epoch_s);
	p->tallies.failed++;
}

/**
 * npower_status_name() - what the tree calls a status
 * @status: enum npower_status; anything else is called as NPOWER_MAX
 *
 * Return: the name.
 */
const char *npower_status_name(u32 status)
{
	switch (status) {
	case NPOWER_VALID:
		return "POWER_STATUS_VALID";
	case NPOWER_NO_DATA:
		return "POWER_STATUS_NO_DATA";
	case NPOWER_INVALID:
		return "POWER_STATUS_INVALID";
	default:
		return "POWER_STATUS_MAX";
	}
}

/**
 * npower_format() - the line of stats/power/utilization
 * @report: a closed window, or that of npower_init()
 * @line: filled with the line, its newline and a NUL
 * @size: bytes of @line; NPOWER_LINE_MAX always suffice
 *
 * Return: length without the NUL, -EINVAL when there is no report or no line, -ENOSPC when it does
 * not fit; @line is then empty if it has any byte.
 */
int npower_format(const struct npower_report *report, char *line, size_t size)
{
	int n;

	if (!report || !line)
		return -EINVAL;
	n = snprintf(line, size, "%s,%llu,%u.%02u,%u.%02u,%u.%02u\n",
		     npower_status_name(report->status), (unsigned long long)report->epoch_s,
		     report->min / 100, report->min % 100, report->max / 100, report->max % 100,
		     report->avg / 100, report->avg % 100);
	if (n < 0 || (size_t)n >= size) {
		if (size)
			line[0] = '\0';
		return n < 0 ? -EINVAL : -ENOSPC;
	}
	return n;
}
