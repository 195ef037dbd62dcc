// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does one thing wrong while it loads, so that the harness can prove that it
 * would notice. Loading itself succeeds wherever the kernel survives: the run
 * has to fail because of what the kernel says, not because of insmod.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

static char *how = "";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "warn, oops, leak, use-after-free, vmalloc, lock-order, atomic-sleep or shift");

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);

static void null_dereference(void)
{
	int *nowhere = NULL;

	OPTIMIZER_HIDE_VAR(nowhere);
	WRITE_ONCE(*nowhere, 1);
}

static void leak(void)
{
	int i;

	/* Several, since stale registers may still point to one of them. */
	for (i = 0; i < 10; i++) {
		void *lost = kmalloc(700, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(lost);
	}
}

static void use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	pr_info("read %d\n", READ_ONCE(p[8]));
}

static void vmalloc_overrun(void)
{
	char *p = vmalloc(100);

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(p);
	/* Within the last page, so only a sanitizer can tell. */
	WRITE_ONCE(p[100], 1);
	vfree(p);
}

static void lock_order(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);

	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

static void atomic_sleep(void)
{
	void *p;

	spin_lock(&first);
	p = kmalloc(32, GFP_KERNEL);
	spin_unlock(&first);
	kfree(p);
}

static void shift(void)
{
	int distance = 40;

	OPTIMIZER_HIDE_VAR(distance);
	pr_info("shifted %d\n", 1 << distance);
}

static int __init misbehave_init(void)
{
	if (!strcmp(how, "warn"))
		WARN_ON(1);
	else if (!strcmp(how, "oops"))
		null_dereference();
	else if (!strcmp(how, "leak"))
		leak();
	else if (!strcmp(how, "use-after-free"))
		use_after_free();
	else if (!strcmp(how, "vmalloc"))
		vmalloc_overrun();
	else if (!strcmp(how, "lock-order"))
		lock_order();
	else if (!strcmp(how, "atomic-sleep"))
		atomic_sleep();
	else if (!strcmp(how, "shift"))
		shift();
	else
		return -EINVAL;
	return 0;
}

static void __exit misbehave_exit(void)
{
}

module_init(misbehave_init);
module_exit(misbehave_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Misbehaves on request, to test the test harness");
