/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Power sampling: the metrics thread reads the firmware's numbers, core/npower.h makes windows of
 * them.
 */
#ifndef NDTEL_POWER_H
#define NDTEL_POWER_H

#include <linux/spinlock.h>

#include "core/npower.h"

struct nd_device;

/**
 * struct nd_power - power of one device
 * @lock: guards @window
 * @window: samples and the last whole window
 */
struct nd_power {
	spinlock_t lock; /* guards window */
	struct npower window;
};

void nd_power_init(struct nd_device *nd);
void nd_power_sample(struct nd_device *nd);
void nd_power_last(struct nd_device *nd, struct npower_report *report);
void nd_power_tallies(struct nd_device *nd, struct npower_tallies *tallies);

#endif /* NDTEL_POWER_H */
