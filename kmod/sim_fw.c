// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hardware of a simulated device. Registers and mailbox memory of the FW-IO code lead into the
 * firmware model of the core; a timer carries out what the model has put off. debugfs shows what
 * the firmware holds and lets it fail.
 */
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "core/fw_model.h"
#include "core/nmetric_defs.h"
#include "sim_fw.h"

#define ND_SIM_SERIAL_HI	0x4E44	/* "ND" */
#define ND_SIM_POSTS_KEPT	1024
#define ND_SIM_REGIONS		4
/* Where the firmware finds the host's memory: far apart, so that an overrun hits nothing. */
#define ND_SIM_REGION_ADDR(i)	(0x100000000ULL * ((i) + 1))

/**
 * struct nd_sim_region - host memory the firmware may reach
 * @mem: its bytes; NULL = free entry
 * @size: how many
 */
struct nd_sim_region {
	u8 *mem;
	size_t size;
};

/**
 * struct nd_sim_fw - one simulated device's hardware
 * @lock: guards everything but @work
 * @model: firmware
 * @region: host memory, by ND_SIM_REGION_ADDR()
 * @post: ring of the newest ND_SIM_POSTS_KEPT posts, by index
 * @pe: tensor engine counters
 * @work: runs the model when something is due
 */
struct nd_sim_fw {
	spinlock_t lock; /* guards the model and its memory; see above */
	struct fw_model model;
	struct nd_sim_region region[ND_SIM_REGIONS];
	struct fw_model_post *post;
	u64 pe[ND_MAX_NC_PER_DEVICE][ND_PE_ROW_GROUPS][ND_PE_COUNTERS];
	struct delayed_work work;
};

/* The bytes behind an address of the firmware, or NULL. */
static u8 *nd_sim_host_mem(struct nd_sim_fw *fw, u64 addr, u32 n)
{
	unsigned int i;
	u64 off;

	for (i = 0; i < ND_SIM_REGIONS; i++) {
		off = addr - ND_SIM_REGION_ADDR(i);
		if (fw->region[i].mem && off < fw->region[i].size &&
		    n <= fw->region[i].size - off)
			return fw->region[i].mem + off;
	}
	return NULL;
}

static int nd_sim_host_read(void *ctx, u64 addr, void *to, u32 n)
{
	const u8 *mem = nd_sim_host_mem(ctx, addr, n);

	if (!mem)
		return -EFAULT;
	memcpy(to, mem, n);
	return 0;
}

static int nd_sim_host_write(void *ctx, u64 addr, const void *from, u32 n)
{
	u8 *mem = nd_sim_host_mem(ctx, addr, n);

	if (!mem)
		return -EFAULT;
	/* A device's writes arrive in order: what was written before this is seen before it. */
	smp_wmb();
	memcpy(mem, from, n);
	return 0;
}

static void nd_sim_host_post(void *ctx, const struct fw_model_post *post)
{
	struct nd_sim_fw *fw = ctx;

	fw->post[post->index % ND_SIM_POSTS_KEPT] = *post;
}

static void nd_sim_run(struct nd_sim_fw *fw)
{
	u64 now = ktime_get_ns();
	u64 next;

	lockdep_assert_held(&fw->lock);
	fw_model_run(&fw->model, now);
	next = fw_model_next(&fw->model);
	if (next != U64_MAX)
		mod_delayed_work(system_unbound_wq, &fw->work,
				 nsecs_to_jiffies(next > now ? next - now : 0) + 1);
}

static void nd_sim_work(struct work_struct *work)
{
	struct nd_sim_fw *fw = container_of(to_delayed_work(work), struct nd_sim_fw, work);

	spin_lock(&fw->lock);
	nd_sim_run(fw);
	spin_unlock(&fw->lock);
}

static u32 nd_sim_read32(struct nd_device *nd, u32 offset)
{
	struct nd_sim_fw *fw = nd->hw_data;
	u64 now = ktime_get_ns();
	u32 value;

	spin_lock(&fw->lock);
	fw_model_run(&fw->model, now);
	value = fw_model_read(&fw->model, offset, now);
	spin_unlock(&fw->lock);
	return value;
}

static void nd_sim_write32(struct nd_device *nd, u32 offset, u32 value)
{
	struct nd_sim_fw *fw = nd->hw_data;

	spin_lock(&fw->lock);
	fw_model_write(&fw->model, offset, value, ktime_get_ns());
	nd_sim_run(fw);
	spin_unlock(&fw->lock);
}

static void *nd_sim_alloc(struct nd_device *nd, size_t size, u64 *addr)
{
	struct nd_sim_fw *fw = nd->hw_data;
	void *mem = kvzalloc(size, GFP_KERNEL);
	unsigned int i;

	if (!mem)
		return NULL;
	spin_lock(&fw->lock);
	for (i = 0; i < ND_SIM_REGIONS && fw->region[i].mem; i++)
		;
	if (i < ND_SIM_REGIONS) {
		fw->region[i].mem = mem;
		fw->region[i].size = size;
		*addr = nd->arch->host_bit | ND_SIM_REGION_ADDR(i);
	}
	spin_unlock(&fw->lock);
	if (i == ND_SIM_REGIONS) {
		kvfree(mem);
		return NULL;
	}
	return mem;
}

static void nd_sim_free(struct nd_device *nd, void *mem, size_t size, u64 addr)
{
	struct nd_sim_fw *fw = nd->hw_data;
	unsigned int i;

	/* From here on the firmware's late writes fault, as behind an IOMMU. */
	spin_lock(&fw->lock);
	for (i = 0; i < ND_SIM_REGIONS; i++)
		if (fw->region[i].mem == mem)
			fw->region[i].mem = NULL;
	spin_unlock(&fw->lock);
	kvfree(mem);
}

static int nd_sim_pe_counter(struct nd_device *nd, u32 nc, u32 row, enum nd_pe_counter which,
			     u64 *value)
{
	struct nd_sim_fw *fw = nd->hw_data;

	spin_lock(&fw->lock);
	*value = fw->pe[nc][row][which];
	spin_unlock(&fw->lock);
	return 0;
}

/*
 * Platforms number their devices by routing id; these rows give the index of each id, in groups of
 * sixteen.
 */
static const u8 nd_sim_trn1_index[16] = {
	0, 4, 1, 5, 3, 7, 2, 6, 12, 8, 13, 9, 15, 11, 14, 10
};

static const u8 nd_sim_v3_index[16] = {
	0, 3, 4, 7, 12, 15, 8, 11, 1, 2, 5, 6, 13, 14, 9, 10
};

/* What the DEVICE_ID register of a device with this index holds. */
static u32 nd_sim_device_id(const struct nd_arch_info *arch, int index)
{
	const u8 *row = arch->arch == ND_ARCH_V2 ? nd_sim_trn1_index : nd_sim_v3_index;
	u32 id;

	if (!strcmp(arch->name, "inf2"))
		return index;
	for (id = 0; row[id] != index % 16; id++)
		;
	return index / 16 * 16 + id;
}

/* The device has its index: its firmware knows who it is. */
static void nd_sim_bind(struct nd_device *nd)
{
	struct nd_sim_fw *fw = nd->hw_data;

	spin_lock(&fw->lock);
	fw->model.reg[ND_MISCRAM_DEVICE_ID / 4] = nd_sim_device_id(nd->arch, nd->index);
	fw->model.reg[ND_MISCRAM_SERIAL_HI / 4] = ND_SIM_SERIAL_HI;
	fw->model.reg[ND_MISCRAM_SERIAL_LO / 4] = nd->index + 1;
	spin_unlock(&fw->lock);
}

static void nd_sim_discard(void *hw_data)
{
	struct nd_sim_fw *fw = hw_data;

	cancel_delayed_work_sync(&fw->work);
	kvfree(fw->post);
	kfree(fw);
}

static void nd_sim_destroy(struct nd_device *nd)
{
	nd_sim_discard(nd->hw_data);
}

/**
 * nd_sim_fw_new() - hardware for one more simulated device
 * @arch: its kind
 *
 * Return: hw_data for nd_sim_ops, or NULL.
 */
void *nd_sim_fw_new(const struct nd_arch_info *arch)
{
	struct nd_sim_fw *fw = kzalloc(sizeof(*fw), GFP_KERNEL);
	const struct fw_model_host host = {
		.ctx = fw,
		.read = nd_sim_host_read,
		.write = nd_sim_host_write,
		.post = nd_sim_host_post,
	};

	if (!fw)
		return NULL;
	fw->post = kvcalloc(ND_SIM_POSTS_KEPT, sizeof(*fw->post), GFP_KERNEL);
	if (!fw->post) {
		kfree(fw);
		return NULL;
	}
	spin_lock_init(&fw->lock);
	INIT_DELAYED_WORK(&fw->work, nd_sim_work);
	fw_model_init(&fw->model, &host, arch->host_bit, arch->miscram_addr, 1, 0, ktime_get_ns());
	return fw;
}

/* posts: what the firmware took, newest ND_SIM_POSTS_KEPT. */

static void *posts_at(struct seq_file *s, loff_t pos)
{
	struct nd_sim_fw *fw = s->private;
	u64 posts;

	spin_lock(&fw->lock);
	posts = fw->model.posts;
	spin_unlock(&fw->lock);
	/* Position 0 is the header; position n + 1 is the n-th post that is kept. */
	return pos <= min_t(u64, posts, ND_SIM_POSTS_KEPT) ? (void *)(uintptr_t)(pos + 1) : NULL;
}

static void *posts_start(struct seq_file *s, loff_t *pos)
{
	return posts_at(s, *pos);
}

static void *posts_next(struct seq_file *s, void *v, loff_t *pos)
{
	return posts_at(s, ++*pos);
}

static void posts_stop(struct seq_file *s, void *v)
{
}

static int posts_show(struct seq_file *s, void *v)
{
	struct nd_sim_fw *fw = s->private;
	u64 n = (uintptr_t)v - 1;
	struct fw_model_post post;
	u64 posts;

	if (!n) {
		seq_puts(s, "index at_ns size data\n");
		return 0;
	}
	spin_lock(&fw->lock);
	posts = fw->model.posts;
	if (posts > ND_SIM_POSTS_KEPT)
		n += posts - ND_SIM_POSTS_KEPT;
	post = fw->post[(n - 1) % ND_SIM_POSTS_KEPT];
	spin_unlock(&fw->lock);
	/* One conversion prints at most 64 bytes. */
	seq_printf(s, "%llu %llu %u %*phN%*phN\n", post.index, post.at_ns, post.size,
		   (int)min_t(u32, post.size, 64), post.data,
		   (int)(post.size > 64 ? min_t(u32, post.size - 64, 64) : 0), post.data + 64);
	return 0;
}

static const struct seq_operations posts_sops = {
	.start = posts_start,
	.next = posts_next,
	.stop = posts_stop,
	.show = posts_show,
};
DEFINE_SEQ_ATTRIBUTE(posts);

/* received: sums of all posts ever taken, by CloudWatch id, and what else the firmware holds. */
static int received_show(struct seq_file *s, void *unused)
{
	struct nd_sim_fw *fw = s->private;
	unsigned int cw;

	spin_lock(&fw->lock);
	seq_puts(s, "cw name sum\n");
	for (cw = 0; cw < FW_MODEL_CW_IDS; cw++)
		if (fw->model.received[cw])
			seq_printf(s, "%u %s %llu\n", cw, nmetric_cw_name(cw),
				   fw->model.received[cw]);
	spin_unlock(&fw->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(received);

static int state_show(struct seq_file *s, void *unused)
{
	struct nd_sim_fw *fw = s->private;
	const struct fw_model *m = &fw->model;
	unsigned int cmd;

	spin_lock(&fw->lock);
	seq_printf(s, "posts %llu\nmismatched %llu\nrejected %llu\nignored_accesses %llu\n",
		   m->posts, m->mismatched, m->rejected, m->ignored_accesses);
	seq_printf(s, "profile %u\nfeature %u\n", m->profile, m->feature);
	for (cmd = ND_FWIO_READ; cmd <= ND_FWIO_SET_FEATURE; cmd++)
		seq_printf(s, "requests%u %llu\n", cmd, m->requests[cmd]);
	spin_unlock(&fw->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int registers_show(struct seq_file *s, void *unused)
{
	struct nd_sim_fw *fw = s->private;
	unsigned int i;

	spin_lock(&fw->lock);
	for (i = 0; i < ARRAY_SIZE(fw->model.reg); i++)
		if (fw->model.reg[i])
			seq_printf(s, "0x%03x 0x%08x\n", i * 4, fw->model.reg[i]);
	spin_unlock(&fw->lock);
	return 0;
}

static int registers_open(struct inode *inode, struct file *file)
{
	return single_open(file, registers_show, inode->i_private);
}

/* "busy", "gone" or "normal", and for how long. */
static int nd_sim_answer(struct nd_sim_fw *fw, u32 offset, const char *word, unsigned int ms)
{
	u64 until = ms ? ktime_get_ns() + ms * (u64)NSEC_PER_MSEC : U64_MAX;

	if (!strcmp(word, "busy"))
		return fw_model_override(&fw->model, offset, FW_MODEL_BUSY, until);
	if (!strcmp(word, "gone"))
		return fw_model_override(&fw->model, offset, FW_MODEL_GONE, until);
	if (!strcmp(word, "normal"))
		return fw_model_override(&fw->model, offset, FW_MODEL_NORMAL, 0);
	return -EINVAL;
}

/*
 * "OFFSET VALUE" stores; "OFFSET|all busy|gone [MS]" answers wrongly; "OFFSET|all normal" ends
 * that.
 */
static int nd_sim_register_command(struct nd_sim_fw *fw, const char *line)
{
	char where[12], word[12];
	unsigned int ms = 0;
	u32 offset = ND_MISCRAM_SIZE;
	u32 value;
	int ret;

	if (sscanf(line, "%11s %11s %u", where, word, &ms) < 2)
		return -EINVAL;
	if (strcmp(where, "all")) {
		ret = kstrtou32(where, 0, &offset);
		if (ret)
			return ret;
		if (offset >= ND_MISCRAM_SIZE || offset % 4)
			return -EINVAL;
	}
	if (isalpha(word[0]))
		return nd_sim_answer(fw, offset, word, ms);
	ret = kstrtou32(word, 0, &value);
	if (ret)
		return ret;
	if (offset == ND_MISCRAM_SIZE)
		return -EINVAL;
	fw->model.reg[offset / 4] = value;
	return 0;
}

/* One command a write. */
static ssize_t nd_sim_copy_line(char *line, size_t size, const char __user *buf, size_t count)
{
	if (count >= size)
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = '\0';
	return count;
}

static ssize_t registers_write(struct file *file, const char __user *buf, size_t count,
			       loff_t *pos)
{
	struct nd_sim_fw *fw = file_inode(file)->i_private;
	char line[64];
	ssize_t ret = nd_sim_copy_line(line, sizeof(line), buf, count);
	int err;

	if (ret < 0)
		return ret;
	spin_lock(&fw->lock);
	err = nd_sim_register_command(fw, line);
	spin_unlock(&fw->lock);
	return err ? err : ret;
}

static const struct file_operations registers_fops = {
	.owner = THIS_MODULE,
	.open = registers_open,
	.read = seq_read,
	.write = registers_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* pe: "CORE ROW WHICH VALUE" sets a tensor engine counter. */
static ssize_t pe_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	struct nd_sim_fw *fw = file_inode(file)->i_private;
	unsigned int nc, row, which;
	unsigned long long value;
	char line[64];
	ssize_t ret = nd_sim_copy_line(line, sizeof(line), buf, count);

	if (ret < 0)
		return ret;
	if (sscanf(line, "%u %u %u %llu", &nc, &row, &which, &value) != 4 ||
	    nc >= ND_MAX_NC_PER_DEVICE || row >= ND_PE_ROW_GROUPS || which >= ND_PE_COUNTERS)
		return -EINVAL;
	spin_lock(&fw->lock);
	fw->pe[nc][row][which] = value;
	spin_unlock(&fw->lock);
	return ret;
}

static const struct file_operations pe_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = pe_write,
};

#define ND_SIM_KNOB(name, initial, meaning) \
	{ #name, offsetof(struct fw_model_knobs, name) },

static const struct {
	const char *name;
	size_t offset;
} nd_sim_knobs[] = { FW_MODEL_KNOBS(ND_SIM_KNOB) };

/* What the firmware holds, and a file for each fault. */
static void nd_sim_debugfs(struct nd_device *nd, struct dentry *dir)
{
	struct nd_sim_fw *fw = nd->hw_data;
	struct dentry *sub = debugfs_create_dir("firmware", dir);
	unsigned int i;

	debugfs_create_file("posts", 0400, sub, fw, &posts_fops);
	debugfs_create_file("received", 0400, sub, fw, &received_fops);
	debugfs_create_file("state", 0400, sub, fw, &state_fops);
	debugfs_create_file("registers", 0600, sub, fw, &registers_fops);
	debugfs_create_file("pe", 0200, sub, fw, &pe_fops);
	for (i = 0; i < ARRAY_SIZE(nd_sim_knobs); i++)
		debugfs_create_u32(nd_sim_knobs[i].name, 0600, sub,
				   (u32 *)((u8 *)&fw->model.knobs + nd_sim_knobs[i].offset));
}

const struct nd_hw_ops nd_sim_ops = {
	.name = "sim",
	.read32 = nd_sim_read32,
	.write32 = nd_sim_write32,
	.bind = nd_sim_bind,
	.alloc = nd_sim_alloc,
	.free = nd_sim_free,
	.pe_counter = nd_sim_pe_counter,
	.debugfs = nd_sim_debugfs,
	.destroy = nd_sim_destroy,
	.discard = nd_sim_discard,
};
