/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The relay sink: posts of a device without hardware leave through its node, read and acknowledged
 * by an agent in user space (uapi/ndtel/relay.h).
 */
#ifndef NDTEL_RELAY_H
#define NDTEL_RELAY_H

#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "core/nmetric_record.h"
#include "uapi/ndtel/relay.h"

struct nd_device;
struct nd_file;
struct pid;
struct seq_file;

/* Where the post in flight is. */
enum nd_relay_phase {
	ND_RELAY_IDLE,		/* there is none */
	ND_RELAY_WAITING,	/* handed over, not read */
	ND_RELAY_READ,		/* read, not acknowledged */
};

/**
 * struct nd_relay - relay of one device
 * @lock: guards everything here but @wait
 * @agent: the file that is attached, or NULL
 * @owner: thread group that attached it, one reference
 * @stopped: the device goes; nobody attaches and nothing is taken
 * @phase: of @post
 * @post: the post in flight
 * @since_ns: when it was handed over
 * @wait: woken when a post comes, the agent is detached, or the device goes
 */
struct nd_relay {
	spinlock_t lock; /* guards agent, phase and post; see above */
	struct nd_file *agent;
	struct pid *owner;
	bool stopped;
	enum nd_relay_phase phase;
	struct nd_relay_post post;
	u64 since_ns;
	wait_queue_head_t wait;
};

void nd_relay_init(struct nd_device *nd);
void nd_relay_stop(struct nd_device *nd);
bool nd_relay_ready(struct nd_device *nd);
void nd_relay_post(struct nd_device *nd, u8 tick, const struct nmetric_post *post);

long nd_relay_attach(struct nd_file *file);
long nd_relay_ack(struct nd_file *file, const void __user *arg);
ssize_t nd_relay_read(struct nd_file *file, bool nonblock, void __user *buf, size_t count);
__poll_t nd_relay_poll(struct nd_file *file, struct file *filp, poll_table *wait);
void nd_relay_detach(struct nd_file *file);
void nd_relay_owner_exits(struct nd_file *file);

void nd_relay_show(struct seq_file *s, struct nd_device *nd);

#endif /* NDTEL_RELAY_H */
