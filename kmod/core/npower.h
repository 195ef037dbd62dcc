/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Power utilisation: from the firmware's numbered samples to one report a window. Time is passed
 * in and monotonic, so that steps of the wall clock do not distort windows. The first window begins
 * with the first accepted reading, so there is no partial one.
 */
#ifndef NDTEL_CORE_NPOWER_H
#define NDTEL_CORE_NPOWER_H

#include "port.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NPOWER_DICE		2
#define NPOWER_UTIL_MAX		10000	/* basis points */
#define NPOWER_SAMPLES_MIN	60	/* a window with fewer has no data */
#define NPOWER_WINDOW_NS	(60ULL * 1000 * 1000 * 1000)
#define NPOWER_LINE_MAX		96	/* of npower_format(), with the NUL */

/* Numbering of the reference. */
enum npower_status {
	NPOWER_VALID = 0,
	NPOWER_NO_DATA = 1,
	NPOWER_INVALID = 2,
	NPOWER_MAX = 3,
};

/**
 * struct npower_report - a closed window
 * @status: enum npower_status
 * @epoch_s: wall clock when it closed, seconds; 0 before the first window
 * @min: basis points, 0 unless VALID; likewise the next two
 * @max: basis points
 * @avg: basis points
 */
struct npower_report {
	u32 status;
	u64 epoch_s;
	u32 min;
	u32 max;
	u32 avg;
};

/**
 * struct npower_tallies - readings since the beginning
 * @accepted: taken into a window
 * @stale: not every die had a new sample number yet
 * @implausible: above NPOWER_UTIL_MAX
 * @failed: could not be read
 */
struct npower_tallies {
	u64 accepted;
	u64 stale;
	u64 implausible;
	u64 failed;
};

/**
 * struct npower - sampling state of one device
 * @dice: dice, 1..NPOWER_DICE
 * @window_ns: length of a window
 * @report: last closed window
 * @tallies: since the beginning
 *
 * The rest is private.
 */
struct npower {
	u32 dice;
	u64 window_ns;
	struct npower_report report;
	struct npower_tallies tallies;

	bool known[NPOWER_DICE];
	bool fresh[NPOWER_DICE];
	u16 number[NPOWER_DICE];
	u16 util[NPOWER_DICE];
	bool open;
	u64 start_ns;
	u64 total;
	u32 count;
	u16 min;
	u16 max;
};

void npower_init(struct npower *p, u32 dice, u64 window_ns);
bool npower_reading(struct npower *p, const u32 *reg, u64 now_ns, u64 epoch_s);
void npower_unreadable(struct npower *p, u64 now_ns, u64 epoch_s);
int npower_format(const struct npower_report *report, char *line, size_t size);
const char *npower_status_name(u32 status);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NPOWER_H */
