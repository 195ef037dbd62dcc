// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs. One file a question: who owns which slab, where is every count, how long is the pool
 * lock held.
 */
#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/pid.h>
#include <linux/seq_file.h>

#include "cookie.h"
#include "debugfs.h"
#include "device.h"
#include "nds.h"

static struct dentry *nd_debugfs_root;

static void slab_show(struct seq_file *s, const struct nds_slab *slab)
{
	seq_printf(s, "%d %d %llu %u %u %s\n", slab->place, pid_nr(slab->owner),
		   nd_cookie_generation(slab->cookie), slab->mappings, slab->acquires,
		   slab->place < 0 ? "lingering" : "owned");
}

static int slabs_show(struct seq_file *s, void *unused)
{
	struct nd_device *nd = s->private;
	struct nds_slab *slab;
	int i;

	seq_puts(s, "slot pid generation mappings acquires state\n");
	nds_lock(&nd->nds, NDS_LOCK_READ);
	for (i = 0; i < NDS_SLABS_PER_DEVICE; i++)
		if (nd->nds.place[i])
			slab_show(s, nd->nds.place[i]);
	list_for_each_entry(slab, &nd->nds.lingering, lingering)
		slab_show(s, slab);
	nds_unlock(&nd->nds);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slabs);

static void books_row_show(struct seq_file *s, const struct nmetric *m, enum nmetric_sink sink,
			   unsigned int row)
{
	static const char * const sink_name[NMETRIC_SINK_COUNT] = {
		[NMETRIC_SINK_FWIO] = "fwio",
		[NMETRIC_SINK_TRACE] = "trace",
		[NMETRIC_SINK_RELAY] = "relay",
	};
	const struct nmetric_sink_books *b = &m->sink[sink];
	u8 cw = nmetric_defs[row].cw_id;

	seq_printf(s, "%s %u %u %s %llu %llu %llu %llu %llu %llu %llu\n", sink_name[sink], row, cw,
		   nmetric_cw_name(cw), m->incremented[row], b->confirmed[row],
		   nmetric_outstanding(m, sink, row), b->unknown[row],
		   b->discarded[NMETRIC_DISCARD_IMPLAUSIBLE][row],
		   b->discarded[NMETRIC_DISCARD_OVERFLOW][row],
		   b->discarded[NMETRIC_DISCARD_REMOVED][row]);
}

static int pending_show(struct seq_file *s, void *unused)
{
	struct nmetric_slab *live[NDS_SLABS_PER_DEVICE];
	struct nd_device *nd = s->private;
	struct nd_metrics *m = &nd->metrics;
	enum nmetric_sink sink;
	unsigned int i, n;

	seq_puts(s, "sink row cw name incremented confirmed pending unknown");
	seq_puts(s, " implausible overflow removed\n");
	nds_lock(&nd->nds, NDS_LOCK_READ);
	n = nds_live(&nd->nds, live);
	nmetric_collect_all(&m->engine, live, n);
	/* With quirks=1 the reference's arithmetic posts, which keeps no books. */
	for (sink = 0; sink < NMETRIC_SINK_COUNT && !m->ref; sink++) {
		if (!(m->sinks & BIT(sink)))
			continue;
		for (i = 0; i < NMETRIC_COUNTERS; i++)
			books_row_show(s, &m->engine, sink, nmetric_counters[i].row);
	}
	nds_unlock(&nd->nds);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pending);

static int anomalies_show(struct seq_file *s, void *unused)
{
	struct nd_device *nd = s->private;
	const struct nmetric *m = &nd->metrics.engine;
	enum nmetric_sink sink;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	seq_printf(s, "words_down %llu\nconst_conflicts %llu\n", m->words_down, m->const_conflicts);
	for (sink = 0; sink < NMETRIC_SINK_COUNT; sink++) {
		const struct nmetric_sink_books *b = &m->sink[sink];

		if (nd->metrics.sinks & BIT(sink))
			seq_printf(s, "sink%u posts %llu refused %llu unknown %llu deferred %llu\n",
				   sink, b->posts, b->refused, b->unknown_posts, b->deferred);
	}
	nds_unlock(&nd->nds);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(anomalies);

static int locks_show(struct seq_file *s, void *unused)
{
	static const char * const use_name[NDS_LOCK_USES] = {
		[NDS_LOCK_OWNERSHIP] = "ownership",
		[NDS_LOCK_MAPPING] = "mapping",
		[NDS_LOCK_TICK] = "tick",
		[NDS_LOCK_EVENT] = "event",
		[NDS_LOCK_READ] = "read",
	};
	struct nds_lock_stats stats[NDS_LOCK_USES];
	struct nd_device *nd = s->private;
	int i;

	nds_lock(&nd->nds, NDS_LOCK_READ);
	memcpy(stats, nd->nds.lock_stats, sizeof(stats));
	nds_unlock(&nd->nds);

	seq_puts(s, "use count total_ns mean_ns max_ns\n");
	for (i = 0; i < NDS_LOCK_USES; i++)
		seq_printf(s, "%s %llu %llu %llu %llu\n", use_name[i], stats[i].count,
			   stats[i].total_ns,
			   div64_u64(stats[i].total_ns, max(stats[i].count, 1ULL)),
			   stats[i].max_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(locks);

static int posting_show(struct seq_file *s, void *unused)
{
	struct nd_device *nd = s->private;
	struct nd_metrics *m = &nd->metrics;
	unsigned int votes;

	spin_lock(&m->lock);
	votes = m->votes;
	spin_unlock(&m->lock);
	seq_printf(s, "pause_votes %u\n", votes);
	if (nd->hw)
		seq_printf(s, "firmware_failed %llu\n", READ_ONCE(m->fw_failed));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(posting);

static int relay_show(struct seq_file *s, void *unused)
{
	nd_relay_show(s, s->private);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(relay);

static int slabs_alive_show(struct seq_file *s, void *unused)
{
	seq_printf(s, "%u\n", nds_slabs_alive());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slabs_alive);

static int fwio_show(struct seq_file *s, void *unused)
{
	struct nd_device *nd = s->private;
	struct npower_tallies power;
	struct fwio_stats f;

	nd_fwio_stats(nd, &f);
	seq_printf(s, "calls %llu\ndoorbells %llu\nfailed %llu\ntimeouts %llu\nbad_replies %llu\n",
		   f.calls, f.doorbells, f.failed, f.timeouts, f.bad_replies);
	seq_printf(s, "refusals %llu\nsilences %llu\nmalformed %llu\nstale %llu\nresets %llu\n",
		   f.refusals, f.silences, f.malformed, f.stale, f.resets);
	nd_power_tallies(nd, &power);
	seq_printf(s, "power_accepted %llu\npower_stale %llu\npower_implausible %llu\n",
		   power.accepted, power.stale, power.implausible);
	seq_printf(s, "power_failed %llu\n", power.failed);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(fwio);

/**
 * nd_debugfs_add() - files of one device
 * @nd: device
 */
void nd_debugfs_add(struct nd_device *nd)
{
	nd->debugfs = debugfs_create_dir(dev_name(&nd->dev), nd_debugfs_root);
	debugfs_create_file("slabs", 0400, nd->debugfs, nd, &slabs_fops);
	debugfs_create_file("pending", 0400, nd->debugfs, nd, &pending_fops);
	debugfs_create_file("anomalies", 0400, nd->debugfs, nd, &anomalies_fops);
	debugfs_create_file("locks", 0400, nd->debugfs, nd, &locks_fops);
	debugfs_create_file("posting", 0400, nd->debugfs, nd, &posting_fops);
	if (!nd->hw) {
		debugfs_create_file("relay", 0400, nd->debugfs, nd, &relay_fops);
		return;
	}
	debugfs_create_file("fwio", 0400, nd->debugfs, nd, &fwio_fops);
	if (nd->hw->debugfs)
		nd->hw->debugfs(nd, nd->debugfs);
}

/**
 * nd_debugfs_remove() - take them away; waits for readers
 * @nd: device
 */
void nd_debugfs_remove(struct nd_device *nd)
{
	debugfs_remove_recursive(nd->debugfs);
}

/**
 * nd_debugfs_init() - the module's directory; its absence hurts nobody
 */
void nd_debugfs_init(void)
{
	nd_debugfs_root = debugfs_create_dir(ND_NAMESPACE, NULL);
	debugfs_create_file("slabs_alive", 0400, nd_debugfs_root, NULL, &slabs_alive_fops);
}

/**
 * nd_debugfs_exit() - remove it
 */
void nd_debugfs_exit(void)
{
	debugfs_remove_recursive(nd_debugfs_root);
}
