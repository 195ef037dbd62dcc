/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the sysfs tree share among themselves.
 */
#ifndef NDTEL_SYSFS_TREE_H
#define NDTEL_SYSFS_TREE_H

#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "sysfs.h"

#define ND_SYSFS_NO_CORE	(-1)
#define ND_SYSFS_NO_SLOT	(-1)

/**
 * struct nd_sysfs_dir - a directory of the tree
 * @kobj: its kobject; holds the parent, and so the device, as long as it exists
 * @nd: device
 * @nc: core, or ND_SYSFS_NO_CORE
 * @index: which counter, cell or tally its files show
 * @slot: its place in nd_sysfs.slot, or ND_SYSFS_NO_SLOT
 * @in_tree: in nd_sysfs.dirs
 */
struct nd_sysfs_dir {
	struct kobject kobj;
	struct nd_device *nd;
	int nc;
	u32 index;
	int slot;
	struct list_head in_tree;
};

/**
 * struct nd_sysfs_attr - a file of a directory
 * @attr: name and mode
 * @show: fill a page
 * @store: take what was written, all of it or none
 */
struct nd_sysfs_attr {
	struct attribute attr;
	ssize_t (*show)(struct nd_sysfs_dir *dir, char *page);
	int (*store)(struct nd_sysfs_dir *dir, const char *text, size_t size);
};

#define ND_SYSFS_RO(_prefix, _name) \
	static struct nd_sysfs_attr _prefix##_name##_attr = { \
		.attr = { .name = #_name, .mode = 0444 }, \
		.show = _prefix##_name##_show, \
	}

#define ND_SYSFS_RW(_prefix, _name) \
	static struct nd_sysfs_attr _prefix##_name##_attr = { \
		.attr = { .name = #_name, .mode = 0644 }, \
		.show = _prefix##_name##_show, \
		.store = _prefix##_name##_store, \
	}

/**
 * struct nd_sysfs_node - a directory as the tables have it
 * @name: directory
 * @files: its files, or NULL
 * @children: directories in it
 * @child_count: how many
 * @index: for nd_sysfs_dir.index
 * @slot: for nd_sysfs_dir.slot, on core 0 where cores have it
 * @present: does a device have it; NULL: every one
 */
struct nd_sysfs_node {
	const char *name;
	const struct attribute_group *files;
	const struct nd_sysfs_node *children;
	u32 child_count;
	u32 index;
	int slot;
	bool (*present)(const struct nd_device *nd);
};

static inline struct nd_sysfs_dir *nd_sysfs_dir_of(struct kobject *kobj)
{
	return container_of(kobj, struct nd_sysfs_dir, kobj);
}

/* Files of the leaves. */
extern const struct attribute_group nd_sysfs_counter_files;
extern const struct attribute_group nd_sysfs_reset_files;
extern const struct attribute_group nd_sysfs_memory_files;
extern const struct attribute_group nd_sysfs_info_files;
extern const struct attribute_group nd_sysfs_device_arch_files;
extern const struct attribute_group nd_sysfs_core_arch_files;
extern const struct attribute_group nd_sysfs_ecc_files;
extern const struct attribute_group nd_sysfs_power_files;
extern const struct attribute_group nd_sysfs_pe_files;

/* Files of the class on some platforms. */
extern const struct attribute_group nd_sysfs_userver_files;
extern const struct attribute_group nd_sysfs_pds_files;
extern const struct attribute_group nd_sysfs_pod_files;

/* What a device has at the top, and what each of its cores has. */
extern const struct nd_sysfs_node nd_sysfs_device_nodes[];
extern const u32 nd_sysfs_device_node_count;
extern const struct nd_sysfs_node nd_sysfs_core_nodes[];
extern const u32 nd_sysfs_core_node_count;

int nd_sysfs_add_nodes(struct nd_device *nd, struct kobject *parent,
		       const struct nd_sysfs_node *nodes, u32 count, int nc);
int nd_sysfs_add_dynamic(struct nd_device *nd, u64 counters);

void nd_sysfs_changed(struct nd_device *nd, int slot, bool peak);
void nd_sysfs_notify_work(struct work_struct *work);
void nd_sysfs_look_work(struct work_struct *work);
bool nd_sysfs_notifies(struct nd_device *nd);
void nd_sysfs_set_notify(struct nd_device *nd, bool on);
void nd_sysfs_want(struct nd_device *nd, u64 counters);
void nd_sysfs_look_all(struct nd_device *nd);

#endif /* NDTEL_SYSFS_TREE_H */
