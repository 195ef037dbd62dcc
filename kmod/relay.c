// SPDX-License-Identifier: GPL-2.0-only
/*
 * The relay sink. It only holds the one post in flight; what is pending is in the engine's books.
 * Whoever ends the post under the lock tells the books about it afterwards, so each post ends
 * exactly once, and the books' lock, a mutex, is never taken inside.
 */
#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "cdev.h"
#include "device.h"
#include "relay.h"

/**
 * nd_relay_init() - a relay without an agent
 * @nd: device, zeroed
 */
void nd_relay_init(struct nd_device *nd)
{
	spin_lock_init(&nd->relay.lock);
	init_waitqueue_head(&nd->relay.wait);
}

static void nd_relay_ended(struct nd_device *nd, enum nmetric_result result)
{
	nd_metrics_posted(nd, NMETRIC_SINK_RELAY, result, result == NMETRIC_UNKNOWN);
}

/*
 * The post in flight loses its agent.
 *
 * Return: whether there was one; then *result says what to book.
 */
static bool nd_relay_abandon(struct nd_relay *r, enum nmetric_result *result)
{
	enum nd_relay_phase phase = r->phase;

	lockdep_assert_held(&r->lock);
	r->phase = ND_RELAY_IDLE;
	/* Who has read it may have delivered it. */
	*result = phase == ND_RELAY_READ ? NMETRIC_UNKNOWN : NMETRIC_REFUSED;
	return phase != ND_RELAY_IDLE;
}

/**
 * nd_relay_stop() - the device goes: the post in flight ends, waiters leave
 * @nd: device
 */
void nd_relay_stop(struct nd_device *nd)
{
	struct nd_relay *r = &nd->relay;
	enum nmetric_result result;
	bool ended;

	spin_lock(&r->lock);
	r->stopped = true;
	ended = nd_relay_abandon(r, &result);
	spin_unlock(&r->lock);
	wake_up_all(&r->wait);
	if (ended)
		nd_relay_ended(nd, result);
}

/**
 * nd_relay_ready() - would a post find an agent
 * @nd: device
 *
 * Return: true when one is attached; it may still be at the post before.
 */
bool nd_relay_ready(struct nd_device *nd)
{
	struct nd_relay *r = &nd->relay;
	bool ready;

	spin_lock(&r->lock);
	ready = r->agent && !r->stopped;
	spin_unlock(&r->lock);
	return ready;
}

/**
 * nd_relay_post() - hand a post over; nd_metrics_posted() tells what became of it
 * @nd: device
 * @tick: enum nmetric_tick
 * @post: records; copied
 *
 * Context: process context, pool lock not held.
 */
void nd_relay_post(struct nd_device *nd, u8 tick, const struct nmetric_post *post)
{
	struct nd_relay *r = &nd->relay;
	bool taken;

	spin_lock(&r->lock);
	/* The agent may have left since nd_relay_ready(). */
	taken = r->agent && !r->stopped && r->phase == ND_RELAY_IDLE;
	if (taken) {
		r->post.seq++;
		r->post.device = nd->index;
		r->post.tick = tick;
		r->post.size = min_t(u32, post->used, sizeof(r->post.data));
		memset(r->post.data, 0, sizeof(r->post.data));
		memcpy(r->post.data, post->buf, r->post.size);
		r->since_ns = ktime_get_ns();
		r->phase = ND_RELAY_WAITING;
	}
	spin_unlock(&r->lock);
	if (taken)
		wake_up_interruptible(&r->wait);
	else
		nd_relay_ended(nd, NMETRIC_REFUSED);
}

/**
 * nd_relay_attach() - make an open file the device's agent
 * @file: file, device entered
 *
 * Return: 0; -EACCES not open for reading and writing; -EPERM; -EOPNOTSUPP the device has hardware;
 * -EBUSY there is another agent; -ENODEV the device goes.
 */
long nd_relay_attach(struct nd_file *file)
{
	struct nd_relay *r = &file->nd->relay;
	long ret = 0;

	if (!(file->mode & FMODE_READ) || !(file->mode & FMODE_WRITE))
		return -EACCES;
	/* An agent decides what counts as delivered. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (file->nd->hw)
		return -EOPNOTSUPP;

	spin_lock(&r->lock);
	if (r->stopped) {
		ret = -ENODEV;
	} else if (!r->agent) {
		r->agent = file;
		r->owner = get_pid(task_tgid(current));
	} else if (r->agent != file) {
		ret = -EBUSY;
	}
	spin_unlock(&r->lock);
	return ret;
}

/* A dying process matters only when it is the one that attached the file. */
static void nd_relay_leave(struct nd_file *file, const struct pid *owner)
{
	struct nd_relay *r = &file->nd->relay;
	enum nmetric_result result;
	struct pid *left = NULL;
	bool ended = false;

	spin_lock(&r->lock);
	if (r->agent == file && (!owner || r->owner == owner)) {
		ended = nd_relay_abandon(r, &result);
		left = r->owner;
		r->owner = NULL;
		r->agent = NULL;
	}
	spin_unlock(&r->lock);
	if (left)
		wake_up_all(&r->wait);
	put_pid(left);
	if (ended)
		nd_relay_ended(file->nd, result);
}

/**
 * nd_relay_detach() - a file closes; if it is the agent, the device has none any more
 * @file: file
 */
void nd_relay_detach(struct nd_file *file)
{
	nd_relay_leave(file, NULL);
}

/**
 * nd_relay_owner_exits() - the current process dies, whoever else may hold the file
 * @file: file
 */
void nd_relay_owner_exits(struct nd_file *file)
{
	nd_relay_leave(file, task_tgid(current));
}

/**
 * nd_relay_ack() - the agent says what became of a post it has read
 * @file: file
 * @arg: struct nd_relay_ack
 *
 * Return: 0; -EFAULT; -EINVAL not the agent, or no such result; -ENOENT no such post waits for an
 * acknowledgment.
 */
long nd_relay_ack(struct nd_file *file, const void __user *arg)
{
	struct nd_relay *r = &file->nd->relay;
	struct nd_relay_ack ack;
	long ret = 0;

	if (copy_from_user(&ack, arg, sizeof(ack)))
		return -EFAULT;
	if (ack.pad || ack.result > NMETRIC_UNKNOWN)
		return -EINVAL;
	spin_lock(&r->lock);
	if (r->agent != file)
		ret = -EINVAL;
	else if (r->phase != ND_RELAY_READ || r->post.seq != ack.seq)
		ret = -ENOENT;
	else
		r->phase = ND_RELAY_IDLE;
	spin_unlock(&r->lock);
	if (!ret)
		nd_relay_ended(file->nd, ack.result);
	return ret;
}

/*
 * Take the post that waits.
 *
 * Return: 0; -EAGAIN none waits; -EINVAL not the agent; -ENODEV the device goes.
 */
static int nd_relay_take(struct nd_file *file, struct nd_relay_post *post)
{
	struct nd_relay *r = &file->nd->relay;
	int ret = 0;

	spin_lock(&r->lock);
	if (r->stopped) {
		ret = -ENODEV;
	} else if (r->agent != file) {
		ret = -EINVAL;
	} else if (r->phase != ND_RELAY_WAITING) {
		ret = -EAGAIN;
	} else {
		*post = r->post;
		r->phase = ND_RELAY_READ;
	}
	spin_unlock(&r->lock);
	return ret;
}

/* Whether nd_relay_take() would say something else than -EAGAIN. */
static bool nd_relay_wakes(struct nd_file *file)
{
	struct nd_relay *r = &file->nd->relay;
	bool wakes;

	spin_lock(&r->lock);
	wakes = r->stopped || r->agent != file || r->phase == ND_RELAY_WAITING;
	spin_unlock(&r->lock);
	return wakes;
}

/* A post that never reached user space was not read. */
static void nd_relay_put_back(struct nd_file *file, u64 seq)
{
	struct nd_relay *r = &file->nd->relay;

	spin_lock(&r->lock);
	if (r->agent == file && r->phase == ND_RELAY_READ && r->post.seq == seq)
		r->phase = ND_RELAY_WAITING;
	spin_unlock(&r->lock);
	wake_up_interruptible(&r->wait);
}

/**
 * nd_relay_read() - give the agent its post
 * @file: file, device entered
 * @nonblock: do not wait for one
 * @buf: where to
 * @count: room there
 *
 * Return: size of a struct nd_relay_post; -EINVAL not the agent, or too little room; -EAGAIN;
 * -EFAULT; -ENODEV; -ERESTARTSYS.
 */
ssize_t nd_relay_read(struct nd_file *file, bool nonblock, void __user *buf, size_t count)
{
	struct nd_relay *r = &file->nd->relay;
	struct nd_relay_post post;
	int ret;

	if (count < sizeof(post))
		return -EINVAL;
	ret = nd_relay_take(file, &post);
	while (ret == -EAGAIN && !nonblock) {
		if (wait_event_interruptible(r->wait, nd_relay_wakes(file)))
			return -ERESTARTSYS;
		ret = nd_relay_take(file, &post);
	}
	if (ret)
		return ret;
	if (copy_to_user(buf, &post, sizeof(post))) {
		nd_relay_put_back(file, post.seq);
		return -EFAULT;
	}
	return sizeof(post);
}

/**
 * nd_relay_poll() - does a post wait
 * @file: file
 * @filp: the same
 * @wait: where to be woken
 *
 * Return: EPOLLIN for the agent when one does; EPOLLHUP once the device goes.
 */
__poll_t nd_relay_poll(struct nd_file *file, struct file *filp, poll_table *wait)
{
	struct nd_relay *r = &file->nd->relay;
	__poll_t events = 0;

	poll_wait(filp, &r->wait, wait);
	spin_lock(&r->lock);
	if (r->stopped)
		events = EPOLLHUP;
	else if (r->agent == file && r->phase == ND_RELAY_WAITING)
		events = EPOLLIN | EPOLLRDNORM;
	spin_unlock(&r->lock);
	return events;
}

/**
 * nd_relay_show() - the relay as lines of "key value"
 * @s: where to
 * @nd: device
 */
void nd_relay_show(struct seq_file *s, struct nd_device *nd)
{
	static const char * const phase_name[] = {
		[ND_RELAY_IDLE] = "idle",
		[ND_RELAY_WAITING] = "waiting",
		[ND_RELAY_READ] = "read",
	};
	struct nd_relay *r = &nd->relay;
	enum nd_relay_phase phase;
	u64 since_ns, seq;
	pid_t agent;

	spin_lock(&r->lock);
	agent = pid_nr(r->owner);
	phase = r->phase;
	seq = r->post.seq;
	since_ns = r->since_ns;
	spin_unlock(&r->lock);
	seq_printf(s, "agent %d\nseq %llu\npost %s\n", agent, seq, phase_name[phase]);
	if (phase != ND_RELAY_IDLE)
		seq_printf(s, "waits_ms %llu\n",
			   div_u64(ktime_get_ns() - since_ns, NSEC_PER_MSEC));
}
