/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated devices: created at load by sim_devices=N and at run time through
 * /sys/bus/<namespace>/.
 */
#ifndef NDTEL_SIM_H
#define NDTEL_SIM_H

int nd_sim_init(void);
void nd_sim_exit(void);

#endif /* NDTEL_SIM_H */
