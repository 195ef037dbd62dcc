/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Uncorrectable memory errors: which of the firmware's tallies are repairable, by its API level and
 * repair state. A tally that cannot be told is an error, never zero.
 */
#ifndef NDTEL_CORE_NECC_H
#define NDTEL_CORE_NECC_H

#include "port.h"
#include "../uapi/ndtel/miscram.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NECC_CHANNELS_MAX 4

/**
 * struct necc_registers - one reading, all of it valid
 * @api: firmware API version
 * @channels: HBM channels, 1..NECC_CHANNELS_MAX
 * @hbm: by channel, HBM_ECC
 * @repair: HBM_REPAIR
 * @has_repair: the generation repairs HBM (V3 and later)
 */
struct necc_registers {
	u32 api;
	u32 channels;
	u32 hbm[NECC_CHANNELS_MAX];
	u32 repair;
	bool has_repair;
};

/**
 * struct necc_hbm - uncorrectable HBM errors since firmware start
 * @unrepairable: for good
 * @repairable: repaired at the next reset
 */
struct necc_hbm {
	u32 unrepairable;
	u32 repairable;
};

int necc_hbm(const struct necc_registers *regs, struct necc_hbm *tally);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NECC_H */
