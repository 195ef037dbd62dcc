/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The relay of a companion device: a device without hardware, whose posts an agent in user space
 * delivers. The agent opens the node O_RDWR, attaches, and then for each post: poll() says
 * POLLIN, read() gives the post, ND_IOC_RELAY_ACK says what became of it.
 *
 * One post is in flight at a time; the next one comes after the acknowledgment. A post whose
 * agent closes its file or dies is booked as refused when it was not read yet, and as unknown when
 * it was; both stay pending, and the next agent gets what is pending then. Without an agent nothing
 * is posted and everything stays pending. Once the device is removed poll() says POLLHUP and
 * everything else ENODEV.
 *
 * These commands are not part of the reference's ABI; their numbers are out of its range.
 */
#ifndef NDTEL_UAPI_RELAY_H
#define NDTEL_UAPI_RELAY_H

#include "cw.h"
#include "ioctl.h"

/**
 * struct nd_relay_post - what read() gives: one post
 * @seq: to acknowledge it by; rises by one per post of a device, from 1
 * @device: device index
 * @tick: enum nmetric_tick
 * @size: bytes of @data that are filled
 * @pad: 0
 * @data: records of cw.h; zero after @size
 */
struct nd_relay_post {
	__u64 seq;
	__u32 device;
	__u32 tick;
	__u32 size;
	__u32 pad;
	__u8 data[NMETRIC_POST_MAX];
};

/**
 * struct nd_relay_ack - what became of a post
 * @seq: of the post
 * @result: enum nmetric_result
 * @pad: must be 0
 */
struct nd_relay_ack {
	__u64 seq;
	__u32 result;
	__u32 pad;
};

/*
 * ATTACH: EACCES the file is not open for reading and writing; EPERM without CAP_SYS_ADMIN;
 * EOPNOTSUPP the device has firmware of its own; EBUSY another file is attached. Attaching twice is
 * fine. Closing the file detaches, and so does the end of the process that attached it.
 *
 * ACK: EINVAL the file is not attached, unknown result, pad not 0; ENOENT no post with that number
 * waits for an acknowledgment: it was not read, was acknowledged before, or never was.
 *
 * read(): EINVAL not attached, or a buffer shorter than struct nd_relay_post; EAGAIN no post and
 * O_NONBLOCK.
 */
#define ND_IOC_RELAY_ATTACH	_IO(ND_IOC_MAGIC, 240)
#define ND_IOC_RELAY_ACK	_IOW(ND_IOC_MAGIC, 241, struct nd_relay_ack)

ND_ABI_SIZE(struct nd_relay_post, 152);
ND_ABI_OFFSET(struct nd_relay_post, data, 24);
ND_ABI_SIZE(struct nd_relay_ack, 16);

#endif /* NDTEL_UAPI_RELAY_H */
