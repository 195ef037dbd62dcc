// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Uncorrectable HBM errors by API level and repair state.
 */
#include "necc.h"

#define REPAIR_STATE(reg)	((reg) & 0x3)
#define ALL(reg)		((reg) & 0xFFFF)
#define UNREPAIRABLE(reg)	(((reg) >> 12) & 0xF)
#define REPAIRABLE(reg)		((reg) & 0xFFF)

/* Return: 0, -EIO when the link is down, -EAGAIN when the firmware is busy. */
static int readable(const struct necc_registers *regs)
{
	bool busy = regs->api == ND_MISCRAM_BUSY;
	bool gone = regs->api == ND_MISCRAM_GONE;
	u32 i;

	for (i = 0; i < regs->channels; i++) {
		busy |= regs->hbm[i] == ND_MISCRAM_BUSY;
		gone |= regs->hbm[i] == ND_MISCRAM_GONE;
	}
	if (regs->has_repair) {
		busy |= regs->repair == ND_MISCRAM_BUSY;
		gone |= regs->repair == ND_MISCRAM_GONE;
	}
	if (gone)
		return -EIO;
	return busy ? -EAGAIN : 0;
}

/*
 * The firmware tells the two kinds apart; tallies and state are not updated together. A pending
 * repair comes with something to repair, a failed one with something beyond it. The reference also
 * distrusts a pending repair without unrepairable errors, which is the ordinary case: it would stay
 * unreadable until the reset that repairs it.
 */
static int check_split(u32 state, const struct necc_hbm *sum)
{
	if (state == ND_HBM_REPAIR_PENDING && !sum->repairable)
		return -EAGAIN;
	if (state == ND_HBM_REPAIR_FAILED && !sum->unrepairable)
		return -EAGAIN;
	return 0;
}

/* The firmware has one tally, and the state says of which kind it is. */
static int assign_whole(u32 state, struct necc_hbm *sum)
{
	if (state != ND_HBM_REPAIR_NONE && !sum->unrepairable)
		return -EAGAIN;
	if (state == ND_HBM_REPAIR_PENDING) {
		sum->repairable = sum->unrepairable;
		sum->unrepairable = 0;
	}
	return 0;
}

/**
 * necc_hbm() - which HBM errors are repairable
 * @regs: registers, all from one reading
 * @tally: filled on success, else unchanged
 *
 * Firmware of API 6 and later counts both kinds itself: bits 15:12 and 11:0. Older firmware has one
 * tally, repairable while a repair is pending. A generation without repair has no repairable
 * errors. A repair state whose errors are not in the tallies is a moment between two updates of the
 * firmware.
 *
 * Return: 0; -EAGAIN when the firmware is busy or between updates; -EIO when the link is down or
 * the repair state is none that exists; -EINVAL when the number of channels is wrong.
 */
int necc_hbm(const struct necc_registers *regs, struct necc_hbm *tally)
{
	struct necc_hbm sum = { 0 };
	bool split = regs->api >= ND_FWIO_API_SPLIT_ECC;
	u32 state = REPAIR_STATE(regs->repair);
	int ret;
	u32 i;

	if (!regs->channels || regs->channels > NECC_CHANNELS_MAX)
		return -EINVAL;
	ret = readable(regs);
	if (ret)
		return ret;
	for (i = 0; i < regs->channels; i++) {
		if (split) {
			sum.unrepairable += UNREPAIRABLE(regs->hbm[i]);
			sum.repairable += REPAIRABLE(regs->hbm[i]);
		} else {
			sum.unrepairable += ALL(regs->hbm[i]);
		}
	}
	if (!regs->has_repair) {
		sum.repairable = 0;
	} else {
		if (state > ND_HBM_REPAIR_FAILED)
			return -EIO;
		ret = split ? check_split(state, &sum) : assign_whole(state, &sum);
		if (ret)
			return ret;
	}
	*tally = sum;
	return 0;
}
