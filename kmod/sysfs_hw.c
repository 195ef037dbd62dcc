// SPDX-License-Identifier: GPL-2.0-only
/*
 * What comes out of registers: ECC tallies, power, tensor engine. A number that cannot be read is
 * an error of the read, never a zero.
 */
#include "device.h"
#include "ecc.h"
#include "sysfs_tree.h"

static ssize_t sram_ecc_uncorrected_show(struct nd_sysfs_dir *dir, char *page)
{
	u32 errors;
	int ret = nd_ecc_sram(dir->nd, &errors);

	return ret ? ret : sysfs_emit(page, "%u\n", errors);
}

static ssize_t mem_ecc_uncorrected_show(struct nd_sysfs_dir *dir, char *page)
{
	struct necc_hbm tally;
	int ret = nd_ecc_hbm(dir->nd, &tally);

	return ret ? ret : sysfs_emit(page, "%u\n", tally.unrepairable);
}

static ssize_t mem_ecc_repairable_uncorrected_show(struct nd_sysfs_dir *dir, char *page)
{
	struct necc_hbm tally;
	int ret = nd_ecc_hbm(dir->nd, &tally);

	return ret ? ret : sysfs_emit(page, "%u\n", tally.repairable);
}

ND_SYSFS_RO(, sram_ecc_uncorrected);
ND_SYSFS_RO(, mem_ecc_uncorrected);
ND_SYSFS_RO(, mem_ecc_repairable_uncorrected);

static struct attribute *nd_sysfs_ecc_attrs[] = {
	&sram_ecc_uncorrected_attr.attr,
	&mem_ecc_uncorrected_attr.attr,
	&mem_ecc_repairable_uncorrected_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_ecc_files = { .attrs = nd_sysfs_ecc_attrs };

static ssize_t utilization_show(struct nd_sysfs_dir *dir, char *page)
{
	struct npower_report report;

	nd_power_last(dir->nd, &report);
	return npower_format(&report, page, PAGE_SIZE);
}

ND_SYSFS_RO(, utilization);

static struct attribute *nd_sysfs_power_attrs[] = {
	&utilization_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_power_files = { .attrs = nd_sysfs_power_attrs };

static int pe_row_show(struct nd_sysfs_dir *dir, u32 row, char *page, int at)
{
	u64 value[ND_PE_COUNTERS];
	enum nd_pe_counter which;
	int ret;

	for (which = 0; which < ND_PE_COUNTERS; which++) {
		ret = dir->nd->hw->pe_counter(dir->nd, dir->nc, row, which, &value[which]);
		if (ret)
			return ret;
	}
	return sysfs_emit_at(page, at, "%u,%llu,%llu,%llu\n", row, value[ND_PE_MATMUL],
			     value[ND_PE_WEIGHT_LOAD], value[ND_PE_IDLE]);
}

static ssize_t pe_cntrs_show(struct nd_sysfs_dir *dir, char *page)
{
	int at = sysfs_emit(page, "xrow_grp,mm_active,wl_active,idle\n");
	u32 row;
	int ret;

	for (row = 0; row < ND_PE_ROW_GROUPS; row++) {
		ret = pe_row_show(dir, row, page, at);
		if (ret < 0)
			return ret;
		at += ret;
	}
	return at;
}

ND_SYSFS_RO(, pe_cntrs);

static struct attribute *nd_sysfs_pe_attrs[] = {
	&pe_cntrs_attr.attr,
	NULL
};

const struct attribute_group nd_sysfs_pe_files = { .attrs = nd_sysfs_pe_attrs };
