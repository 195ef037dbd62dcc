// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building and removing the tree.
 */
#include <linux/slab.h>

#include "device.h"
#include "sysfs_tree.h"

static ssize_t nd_sysfs_show(struct kobject *kobj, struct attribute *attr, char *page)
{
	struct nd_sysfs_attr *file = container_of(attr, struct nd_sysfs_attr, attr);

	return file->show(nd_sysfs_dir_of(kobj), page);
}

static ssize_t nd_sysfs_store(struct kobject *kobj, struct attribute *attr, const char *text,
			      size_t size)
{
	struct nd_sysfs_attr *file = container_of(attr, struct nd_sysfs_attr, attr);
	struct nd_sysfs_dir *dir = nd_sysfs_dir_of(kobj);
	int ret;

	/* Files without a store are not writable for anybody, so this is not reached for them. */
	if (!file->store)
		return -EPERM;
	ret = file->store(dir, text, size);
	if (ret)
		return ret;
	if (nd_sysfs_notifies(dir->nd))
		sysfs_notify(kobj, NULL, attr->name);
	return size;
}

static void nd_sysfs_dir_release(struct kobject *kobj)
{
	kfree(nd_sysfs_dir_of(kobj));
}

static const struct sysfs_ops nd_sysfs_ops = {
	.show = nd_sysfs_show,
	.store = nd_sysfs_store,
};

/* Not const, because kernels before 6.2 want it so. */
static struct kobj_type nd_sysfs_ktype = {
	.sysfs_ops = &nd_sysfs_ops,
	.release = nd_sysfs_dir_release,
};

/* One directory with its files, listed; an error leaves nothing of it. */
static struct nd_sysfs_dir *nd_sysfs_make(struct nd_device *nd, struct kobject *parent,
					  const struct nd_sysfs_node *node, int nc)
{
	bool numbered = node->slot != ND_SYSFS_NO_SLOT;
	struct nd_sysfs_dir *dir;
	int ret;

	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return ERR_PTR(-ENOMEM);
	dir->nd = nd;
	dir->nc = nc;
	dir->index = node->index;
	dir->slot = node->slot;
	if (numbered && nc != ND_SYSFS_NO_CORE)
		dir->slot += nc * ND_SLOTS_PER_CORE;
	kobject_init(&dir->kobj, &nd_sysfs_ktype);
	ret = kobject_add(&dir->kobj, parent, "%s", node->name);
	if (!ret && node->files) {
		ret = sysfs_create_group(&dir->kobj, node->files);
		if (ret)
			kobject_del(&dir->kobj);
	}
	if (ret) {
		kobject_put(&dir->kobj);
		return ERR_PTR(ret);
	}
	list_add(&dir->in_tree, &nd->sysfs.dirs);
	if (numbered)
		nd->sysfs.slot[dir->slot] = dir;
	return dir;
}

/**
 * nd_sysfs_add_nodes() - make directories and what is in them
 * @nd: device
 * @parent: where
 * @nodes: what; nested no deeper than the tables are
 * @count: how many of them
 * @nc: core they belong to, or ND_SYSFS_NO_CORE
 *
 * Return: 0 or an error; what was made until then stays listed.
 */
int nd_sysfs_add_nodes(struct nd_device *nd, struct kobject *parent,
		       const struct nd_sysfs_node *nodes, u32 count, int nc)
{
	struct nd_sysfs_dir *dir;
	u32 i;
	int ret;

	for (i = 0; i < count; i++) {
		if (nodes[i].present && !nodes[i].present(nd))
			continue;
		dir = nd_sysfs_make(nd, parent, &nodes[i], nc);
		if (IS_ERR(dir))
			return PTR_ERR(dir);
		if (nc != ND_SYSFS_NO_CORE && !strcmp(nodes[i].name, "other_info"))
			nd->sysfs.other_info[nc] = dir;
		ret = nd_sysfs_add_nodes(nd, &dir->kobj, nodes[i].children, nodes[i].child_count,
					 nc);
		if (ret)
			return ret;
	}
	return 0;
}

static int nd_sysfs_add_core(struct nd_device *nd, int nc)
{
	char name[sizeof("neuron_core") + 3];
	const struct nd_sysfs_node node = {
		.name = name,
		.children = nd_sysfs_core_nodes,
		.child_count = nd_sysfs_core_node_count,
		.slot = ND_SYSFS_NO_SLOT,
	};

	snprintf(name, sizeof(name), "neuron_core%d", nc);
	return nd_sysfs_add_nodes(nd, &nd->dev.kobj, &node, 1, nc);
}

static void nd_sysfs_remove_dirs(struct nd_sysfs *tree)
{
	struct nd_sysfs_dir *dir, *next;

	list_for_each_entry_safe(dir, next, &tree->dirs, in_tree) {
		list_del(&dir->in_tree);
		if (dir->slot != ND_SYSFS_NO_SLOT)
			tree->slot[dir->slot] = NULL;
		/* Waits for whoever is in one of its files. */
		kobject_del(&dir->kobj);
		kobject_put(&dir->kobj);
	}
	memset(tree->other_info, 0, sizeof(tree->other_info));
}

/**
 * nd_sysfs_init() - a device without a tree
 * @nd: device, zeroed
 */
void nd_sysfs_init(struct nd_device *nd)
{
	struct nd_sysfs *tree = &nd->sysfs;

	tree->nd = nd;
	INIT_LIST_HEAD(&tree->dirs);
	spin_lock_init(&tree->lock);
	INIT_WORK(&tree->update, nd_sysfs_notify_work);
	INIT_DELAYED_WORK(&tree->look, nd_sysfs_look_work);
}

/**
 * nd_sysfs_add() - build the tree
 * @nd: device, registered; its uevent not yet sent
 *
 * Return: 0 or an error, with nothing left.
 */
int nd_sysfs_add(struct nd_device *nd)
{
	struct nd_sysfs *tree = &nd->sysfs;
	u32 nc;
	int ret;

	ret = nd_sysfs_add_nodes(nd, &nd->dev.kobj, nd_sysfs_device_nodes,
				 nd_sysfs_device_node_count, ND_SYSFS_NO_CORE);
	for (nc = 0; !ret && nc < nd->arch->nc_count; nc++)
		ret = nd_sysfs_add_core(nd, nc);
	if (ret) {
		nd_sysfs_remove_dirs(tree);
		return ret;
	}
	spin_lock(&tree->lock);
	tree->open = true;
	spin_unlock(&tree->lock);
	return 0;
}

/**
 * nd_sysfs_remove() - take the tree away; harmless when there is none
 * @nd: device, still working
 *
 * Returns when no reader or writer is inside.
 */
void nd_sysfs_remove(struct nd_device *nd)
{
	struct nd_sysfs *tree = &nd->sysfs;

	spin_lock(&tree->lock);
	tree->open = false;
	spin_unlock(&tree->lock);
	cancel_delayed_work_sync(&tree->look);
	cancel_work_sync(&tree->update);
	nd_sysfs_remove_dirs(tree);
}
