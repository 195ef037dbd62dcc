// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of the class: what holds for all devices of the host together.
 */
#include "compat.h"
#include "device.h"
#include "sysfs_tree.h"

/* What a question to one device may answer, besides an error that means that it cannot now. */
typedef int (*nd_class_question)(struct nd_device *nd, int *answer);

static int nd_ask(struct nd_device *nd, nd_class_question question, int *answer)
{
	int ret = -EAGAIN;

	if (!nd_device_enter(nd))
		return -ENODEV;
	if (READ_ONCE(nd->state) == ND_STATE_READY)
		ret = question(nd, answer);
	nd_device_leave(nd);
	return ret;
}

/**
 * nd_ask_all() - ask every device that has hardware
 * @question: what
 * @fold: take one answer in; the first has no earlier one
 * @answer: out
 *
 * Return: devices that answered, 0 when there are none with hardware; the error of the first that
 * could not.
 */
static int nd_ask_all(nd_class_question question, int (*fold)(int before, int now), int *answer)
{
	struct nd_device *nd;
	int index, now, ret, n = 0;

	for (index = 0; index < ND_MAX_DEVICES; index++) {
		nd = nd_device_get(index);
		if (!nd)
			continue;
		ret = nd->hw ? nd_ask(nd, question, &now) : -EOPNOTSUPP;
		put_device(&nd->dev);
		/* It has gone meanwhile, or its firmware cannot be asked that. */
		if (ret == -ENODEV || ret == -EOPNOTSUPP)
			continue;
		if (ret)
			return ret;
		*answer = n++ ? fold(*answer, now) : now;
	}
	return n;
}

static ssize_t nd_show_all(char *page, nd_class_question question, int (*fold)(int, int))
{
	int answer;
	int ret = nd_ask_all(question, fold, &answer);

	if (ret < 0)
		return sysfs_emit(page, "busy\n");
	return ret ? sysfs_emit(page, "%d\n", answer) : 0;
}

/* Devices of the second generation have one profile, and slow memory. */
static bool nd_has_profiles(const struct nd_device *nd)
{
	return nd->arch->arch != ND_ARCH_V2;
}

static int nd_ask_profile(struct nd_device *nd, int *answer)
{
	u8 profile = 0;
	int ret = nd_has_profiles(nd) ? nd_fwio_get_profile(nd, &profile) : 0;

	*answer = profile;
	return ret;
}

static int nd_fold_same(int before, int now)
{
	return before == now ? now : -1;
}

static ssize_t current_perf_profile_show(ND_CLASS_CONST struct class *class,
					 ND_CLASS_CONST struct class_attribute *attr, char *page)
{
	return nd_show_all(page, nd_ask_profile, nd_fold_same);
}
static CLASS_ATTR_RO(current_perf_profile);

/* Is there any profile with the feature? */
static int nd_ask_hbm_7200(struct nd_device *nd, int *answer)
{
	struct nd_fwio_profiles profiles;
	unsigned int i;
	int ret;

	*answer = 0;
	if (!nd_has_profiles(nd))
		return 0;
	ret = nd_fwio_get_profiles(nd, ND_FWIO_PROFILES_HBM_7200, &profiles);
	if (ret)
		return ret;
	for (i = 0; i < profiles.count; i++)
		if (profiles.bitmap[i / 8] & BIT(i % 8))
			*answer = 1;
	return 0;
}

static int nd_fold_and(int before, int now)
{
	return before && now;
}

static ssize_t hbm_7200_capable_show(ND_CLASS_CONST struct class *class,
				     ND_CLASS_CONST struct class_attribute *attr, char *page)
{
	return nd_show_all(page, nd_ask_hbm_7200, nd_fold_and);
}
static CLASS_ATTR_RO(hbm_7200_capable);

static struct attribute *nd_sysfs_class_attrs[] = {
	&class_attr_current_perf_profile.attr,
	&class_attr_hbm_7200_capable.attr,
	NULL
};

static const struct attribute_group nd_sysfs_class_group = { .attrs = nd_sysfs_class_attrs };

const struct attribute_group *nd_sysfs_class_groups[] = {
	&nd_sysfs_class_group,
	&nd_sysfs_userver_files,
	&nd_sysfs_pds_files,
	&nd_sysfs_pod_files,
	NULL
};
