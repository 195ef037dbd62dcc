/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Module parameters, validated when written.
 */
#ifndef NDTEL_PARAMS_H
#define NDTEL_PARAMS_H

#include <linux/types.h>

/*
 * Shortest and longest posting period: below, posts pile up in slow sinks; above a day it is a
 * typing error.
 */
#define ND_POST_DELAY_MIN_MS 100
#define ND_POST_DELAY_MAX_MS 86400000

/* Bits of nmetric_log_posts. */
#define ND_LOG_FIRMWARE	0x1	/* mailbox, or relay of a companion device */
#define ND_LOG_TRACE	0x2	/* trace events */
#define ND_LOG_ALL	(ND_LOG_FIRMWARE | ND_LOG_TRACE)

#define ND_TIMEOUT_MAX_MS 3600000
#define ND_POWER_WINDOW_MIN_MS 1000

extern unsigned int nd_sim_devices;
extern char *nd_sim_arch;
extern bool nd_restrict_readers;
extern bool nd_quirks;
extern bool nd_no_reset;
extern unsigned int nd_reset_timeout_ms;
extern unsigned int nd_fwio_timeout_ms;
extern unsigned int nd_power_window_ms;
extern char *nd_platform;

u64 nd_post_period_ns(void);
unsigned int nd_log_posts(void);

#endif /* NDTEL_PARAMS_H */
