/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated devices: created at load by sim_devices=N and at run time through the bus.
 */
#ifndef NDTEL_SIM_H
#define NDTEL_SIM_H

struct nd_arch_info;

int nd_sim_create(const struct nd_arch_info *arch);
int nd_sim_populate(void);

#endif /* NDTEL_SIM_H */
