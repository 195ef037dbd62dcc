/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hardware of a simulated device: the firmware model behind its registers.
 */
#ifndef NDTEL_SIM_FW_H
#define NDTEL_SIM_FW_H

#include "device.h"

extern const struct nd_hw_ops nd_sim_ops;

void *nd_sim_fw_new(const struct nd_arch_info *arch);

#endif /* NDTEL_SIM_FW_H */
