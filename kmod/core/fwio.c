// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Exchanges. A call goes from gate to drain, then rings and waits for the answer until one is
 * valid; between attempts it pauses:
 *
 *     gate -> drain -> ring -> answer -> done
 *                       ^        |
 *                       +- pause +
 *
 * One attempt is one doorbell under a sequence number of its own. Everything the firmware reads is
 * written anew for it. Everything the firmware writes is read once, and bounded before it is used.
 */
#include "fwio.h"

#define MS		(1000ULL * 1000)
#define SECOND		(1000 * MS)

/* Quick answers are found quickly, slow ones without polling in vain. */
#define POLL_MIN_NS	(MS / 10)
#define POLL_MAX_NS	(10 * MS)

/* Pause after an answer that was refused or is none; doubles with each attempt. */
#define RETRY_NS	(10 * MS)
#define RETRY_DOUBLINGS	10

#define LIMIT_MIN_NS	MS

/* So many numbers that were never answered are too many to go on without. */
#define UNANSWERED_MAX	128

enum phase {
	PHASE_GATE,
	PHASE_DRAIN,
	PHASE_RING,
	PHASE_ANSWER,
	PHASE_PAUSE,
	PHASE_DONE,
};

/* What a look for the answer found. */
enum look {
	LOOK_NOTHING,
	LOOK_SUCCESS,
	LOOK_REFUSED,
	LOOK_UNKNOWN_COMMAND,
	LOOK_MALFORMED,		/* ours by its number, and wrong */
	LOOK_STALE,		/* new mailbox: the doorbell was used up by an earlier request */
	LOOK_UNANSWERED,	/* new mailbox: the doorbell was used up without an answer */
};

/*
 * Our choice. Posts and reads are answered within milliseconds or not at all, and posts come again;
 * data take up to 7 s; a change of profile longer. Each total has room for retries and pauses, so a
 * firmware that is silent holds the mailbox no longer than that.
 */
static const struct fwio_limits default_limits[] = {
	[ND_FWIO_READ] = { 1 * SECOND, 4 * SECOND, 3 },
	[ND_FWIO_POST_TO_CW] = { 1 * SECOND, 4 * SECOND, 3 },
	[ND_FWIO_SET_POWER_PROFILE] = { 30 * SECOND, 61 * SECOND, 2 },
	[ND_FWIO_GET_DATA] = { 10 * SECOND, 21 * SECOND, 2 },
	[ND_FWIO_SET_FEATURE] = { 10 * SECOND, 21 * SECOND, 2 },
};

static u64 earlier(u64 a, u64 b)
{
	return a < b ? a : b;
}

static bool is_legacy(const struct fwio_call *c)
{
	return c->cmd == ND_FWIO_READ || c->cmd == ND_FWIO_POST_TO_CW;
}

static u8 *place_of(u8 *memory, u8 slot)
{
	return memory + (size_t)slot * FWIO_SLOT_SIZE;
}

/* Copies what the firmware may be writing; every byte is loaded once. */
static void copy_once(u8 *to, const u8 *from, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		to[i] = READ_ONCE(from[i]);
}

static void set_unanswered(struct fwio *f, u8 seq)
{
	f->unanswered[seq / 64] |= BIT_ULL(seq % 64);
}

static void clear_unanswered(struct fwio *f, u8 seq)
{
	f->unanswered[seq / 64] &= ~BIT_ULL(seq % 64);
}

static bool is_unanswered(const struct fwio *f, u8 seq)
{
	return f->unanswered[seq / 64] & BIT_ULL(seq % 64);
}

/* A firmware that never answers would use up all numbers: only the newest are then kept. */
static void bound_unanswered(struct fwio *f)
{
	unsigned int n = 0;
	unsigned int i;

	for (i = 1; i < 256; i++)
		n += is_unanswered(f, (u8)i);
	if (n < UNANSWERED_MAX)
		return;
	memset(f->unanswered, 0, sizeof(f->unanswered));
	for (i = 0; i < FWIO_SLOTS; i++)
		if (f->abandoned[i])
			set_unanswered(f, f->abandoned[i]);
}

/* Next number: never 0, which is an empty place, and none that an answer may still come for. */
static u8 next_seq(struct fwio *f)
{
	bound_unanswered(f);
	do {
		f->seq++;
	} while (!f->seq || is_unanswered(f, f->seq));
	return f->seq;
}

/* The doorbell of @c has had its time: an answer may still come, and must then not be taken. */
static void abandon(struct fwio *f, const struct fwio_call *c)
{
	f->dirty = true;
	set_unanswered(f, c->seq);
	if (is_legacy(c))
		f->abandoned[c->slot] = c->seq;
}

/* Answers that came too late free their places. */
static void sweep_late_answers(struct fwio *f, const struct fwio_port *port)
{
	u8 i;

	for (i = 0; i < FWIO_SLOTS; i++) {
		if (!f->abandoned[i] ||
		    READ_ONCE(*place_of(port->response, i)) != f->abandoned[i])
			continue;
		f->stats.stale++;
		clear_unanswered(f, f->abandoned[i]);
		f->abandoned[i] = 0;
	}
}

/* Next place in turn, if possible one that no late answer can be written to. */
static u8 next_slot(const struct fwio *f)
{
	u8 i;

	for (i = 1; i <= FWIO_SLOTS; i++)
		if (!f->abandoned[(f->slot + i) % FWIO_SLOTS])
			return (f->slot + i) % FWIO_SLOTS;
	return (f->slot + 1) % FWIO_SLOTS;
}

static void end(struct fwio *f, struct fwio_call *c, int result)
{
	c->result = result;
	c->phase = PHASE_DONE;
	f->use = FWIO_IDLE;
}

/* Ends a call that has used all its attempts or its time. */
static void end_failed(struct fwio *f, struct fwio_call *c)
{
	switch (c->last) {
	case -EBADMSG:
		f->stats.bad_replies++;
		break;
	case -EREMOTEIO:
	case -EOPNOTSUPP:
		f->stats.failed++;
		break;
	default:
		f->stats.timeouts++;
	}
	end(f, c, c->last);
}

/* Ends an attempt: the next one is @pause later, if the limits leave any. */
static void end_attempt(struct fwio *f, struct fwio_call *c, int why, u64 pause, u64 now)
{
	c->last = why;
	c->not_before = now + pause;
	if (c->attempt >= f->limits[c->cmd].attempts || c->not_before >= c->total_deadline)
		end_failed(f, c);
	else
		c->phase = PHASE_PAUSE;
}

/* Time of the next look, at the latest @limit. */
static u64 next_poll(struct fwio_call *c, u64 now, u64 limit)
{
	u64 next = now + c->poll_ns;

	c->poll_ns = earlier(2 * c->poll_ns, POLL_MAX_NS);
	return earlier(next, limit);
}

/* Starts to wait for at most one attempt's time. */
static void start_wait(const struct fwio *f, struct fwio_call *c, u64 now)
{
	c->poll_ns = POLL_MIN_NS;
	c->deadline = earlier(now + f->limits[c->cmd].attempt_ns, c->total_deadline);
}

/* Does the firmware have the mailbox that the call needs? */
static void gate(struct fwio *f, struct fwio_call *c, const struct fwio_port *port, u64 now)
{
	u32 api = ND_FWIO_API_NEW_MAILBOX;

	if (!is_legacy(c))
		api = port->read32(port->ctx, ND_MISCRAM_API_VERSION);
	if (api == ND_MISCRAM_GONE) {
		end(f, c, -EIO);
	} else if (api == ND_MISCRAM_BUSY) {
		end(f, c, -EAGAIN);
	} else if (api < ND_FWIO_API_NEW_MAILBOX) {
		end(f, c, -EOPNOTSUPP);
	} else {
		start_wait(f, c, now);
		c->phase = PHASE_DRAIN;
	}
}

/*
 * After a doorbell without an answer: lets the firmware finish, because a new request would change
 * the registers under it. It is not sure that every firmware clears the doorbell of the legacy
 * mailbox, so this is tried once and not insisted on.
 */
static bool drained(struct fwio *f, const struct fwio_call *c, const struct fwio_port *port,
		    u64 now)
{
	if (f->dirty && port->read32(port->ctx, ND_MISCRAM_TRIGGER) && now < c->deadline)
		return false;
	f->dirty = false;
	return true;
}

/* Writes the payload to the window, the last word filled up with zeros. */
static void write_data(const struct fwio_call *c, const struct fwio_port *port)
{
	u32 i;

	for (i = 0; i < c->size; i += 4) {
		u32 word = 0;

		memcpy(&word, c->payload + i, earlier(c->size - i, 4));
		port->write32(port->ctx, ND_MISCRAM_DATA + i, word);
	}
}

static void ring_legacy(struct fwio *f, struct fwio_call *c, const struct fwio_port *port)
{
	u64 request_addr, response_addr;
	u8 *request;

	sweep_late_answers(f, port);
	f->slot = next_slot(f);
	c->slot = f->slot;
	request = place_of(port->request, c->slot);
	request_addr = port->request_addr + c->slot * FWIO_SLOT_SIZE;
	response_addr = port->response_addr + c->slot * FWIO_SLOT_SIZE;

	memcpy(request, &c->header, sizeof(c->header));
	memcpy(request + sizeof(c->header), c->payload, c->size);
	/* All of it, so that no answer is read together with what an earlier one left. */
	memset(place_of(port->response, c->slot), 0,
	       ND_FWIO_LEGACY_RESPONSE_HEADER + c->reply_max);

	if (c->cmd == ND_FWIO_POST_TO_CW)
		write_data(c, port);
	port->write32(port->ctx, ND_MISCRAM_REQUEST_LO, (u32)request_addr);
	port->write32(port->ctx, ND_MISCRAM_REQUEST_HI, (u32)(request_addr >> 32));
	port->write32(port->ctx, ND_MISCRAM_RESPONSE_LO, (u32)response_addr);
	port->write32(port->ctx, ND_MISCRAM_RESPONSE_HI, (u32)(response_addr >> 32));
}

static void ring_new(struct fwio_call *c, const struct fwio_port *port)
{
	u32 word[2];

	memcpy(word, &c->header, sizeof(word));
	write_data(c, port);
	port->write32(port->ctx, ND_MISCRAM_REQUEST_HI, word[0]);
	port->write32(port->ctx, ND_MISCRAM_REQUEST_LO, word[1]);
	port->write32(port->ctx, ND_MISCRAM_RESPONSE_HI, 0);
	port->write32(port->ctx, ND_MISCRAM_RESPONSE_LO, 0);
	port->write32(port->ctx, ND_MISCRAM_ACK, 1);
}

/* Hands the request to the firmware. Until a valid answer comes it counts as unknown. */
static void ring(struct fwio *f, struct fwio_call *c, const struct fwio_port *port, u64 now)
{
	c->seq = next_seq(f);
	c->stale_seq = 0;
	c->header.seq = c->seq;
	c->header.cmd = c->cmd;
	c->header.size = (u16)(sizeof(c->header) + c->size);
	c->header.crc = fwio_frame_crc(&c->header, c->payload, c->size);

	if (is_legacy(c))
		ring_legacy(f, c, port);
	else
		ring_new(c, port);
	nd_dma_wmb();
	port->write32(port->ctx, ND_MISCRAM_TRIGGER, 1);

	c->attempt++;
	c->unknown++;
	f->stats.doorbells++;
	start_wait(f, c, now);
	c->phase = PHASE_ANSWER;
}

/* Counts an answer to an earlier request, once however often it is seen. */
static void count_stale(struct fwio *f, struct fwio_call *c, u8 seq)
{
	if (seq == c->stale_seq)
		return;
	c->stale_seq = seq;
	f->stats.stale++;
	clear_unanswered(f, seq);
}

static enum look look_of_error(u8 error)
{
	switch (error) {
	case ND_FWIO_SUCCESS:
		return LOOK_SUCCESS;
	case ND_FWIO_FAIL:
		return LOOK_REFUSED;
	case ND_FWIO_UNKNOWN_COMMAND:
		return LOOK_UNKNOWN_COMMAND;
	default:
		return LOOK_MALFORMED;
	}
}

static enum look look_legacy(struct fwio *f, struct fwio_call *c, const struct fwio_port *port)
{
	const u8 *place = place_of(port->response, c->slot);
	u8 header[ND_FWIO_LEGACY_RESPONSE_HEADER];
	u8 seq = READ_ONCE(place[0]);
	enum look found;
	u32 size;

	if (seq != c->seq) {
		if (seq)
			count_stale(f, c, seq);
		return LOOK_NOTHING;
	}
	/* The firmware writes the sequence number last. */
	nd_dma_rmb();
	copy_once(header, place, sizeof(header));
	size = header[2] | (u32)header[3] << 8;
	found = look_of_error(header[1]);
	if (found == LOOK_MALFORMED || size < sizeof(header) ||
	    size - sizeof(header) > c->reply_max)
		return LOOK_MALFORMED;
	if (found != LOOK_SUCCESS)
		return found;
	c->reply_len = size - sizeof(header);
	copy_once(c->reply, place + sizeof(header), c->reply_len);

	/* When places ran out, the late answer of this one's last user may have come meanwhile. */
	nd_dma_rmb();
	if (READ_ONCE(place[0]) == c->seq)
		return LOOK_SUCCESS;
	memset(c->reply, 0, c->reply_len);
	c->reply_len = 0;
	return LOOK_MALFORMED;
}

static enum look look_new(struct fwio *f, struct fwio_call *c, const struct fwio_port *port)
{
	u8 data[ND_FWIO_DATA_MAX];
	struct nd_fwio_response header;
	enum look found;
	u32 word[2];
	u32 i, n;

	if (port->read32(port->ctx, ND_MISCRAM_TRIGGER))
		return LOOK_NOTHING;
	word[0] = port->read32(port->ctx, ND_MISCRAM_REQUEST_HI);
	if (word[0] == ND_MISCRAM_BUSY || word[0] == ND_MISCRAM_GONE)
		return LOOK_NOTHING;
	word[1] = port->read32(port->ctx, ND_MISCRAM_REQUEST_LO);
	if (!memcmp(word, &c->header, sizeof(word)))
		return LOOK_UNANSWERED;
	memcpy(&header, word, sizeof(header));
	if (!header.seq)
		return LOOK_MALFORMED;
	if (header.seq != c->seq) {
		count_stale(f, c, header.seq);
		return LOOK_STALE;
	}

	found = look_of_error(header.error);
	if (found == LOOK_MALFORMED || header.size < sizeof(header) ||
	    header.size - sizeof(header) > c->reply_max)
		return LOOK_MALFORMED;
	n = header.size - sizeof(header);
	for (i = 0; i < n; i += 4) {
		word[0] = port->read32(port->ctx, ND_MISCRAM_DATA + i);
		memcpy(data + i, word, sizeof(word[0]));
	}
	if (header.crc != fwio_reply_crc(&header, data, n))
		return LOOK_MALFORMED;
	if (found == LOOK_SUCCESS && n) {
		memcpy(c->reply, data, n);
		c->reply_len = n;
	}
	return found;
}

/* Looks for the answer once; the time was taken before, so the last look is after the deadline. */
static void await_answer(struct fwio *f, struct fwio_call *c, const struct fwio_port *port,
			 u64 now)
{
	enum look found = is_legacy(c) ? look_legacy(f, c, port) : look_new(f, c, port);
	u64 pause = RETRY_NS << earlier(c->attempt - 1, RETRY_DOUBLINGS);

	switch (found) {
	case LOOK_NOTHING:
		if (now < c->deadline)
			break;
		f->stats.silences++;
		abandon(f, c);
		end_attempt(f, c, -ETIMEDOUT, 0, now);
		break;
	case LOOK_SUCCESS:
		c->unknown--;
		end(f, c, 0);
		break;
	case LOOK_REFUSED:
		c->unknown--;
		f->stats.refusals++;
		end_attempt(f, c, -EREMOTEIO, pause, now);
		break;
	case LOOK_UNKNOWN_COMMAND:
		c->unknown--;
		f->stats.refusals++;
		c->last = -EOPNOTSUPP;
		end_failed(f, c);
		break;
	case LOOK_MALFORMED:
		f->stats.malformed++;
		end_attempt(f, c, -EBADMSG, pause, now);
		break;
	case LOOK_STALE:
		abandon(f, c);
		end_attempt(f, c, -EBADMSG, pause, now);
		break;
	case LOOK_UNANSWERED:
		f->stats.silences++;
		abandon(f, c);
		end_attempt(f, c, -ETIMEDOUT, pause, now);
		break;
	}
}

/**
 * fwio_init() - make a mailbox
 * @f: mailbox
 */
void fwio_init(struct fwio *f)
{
	memset(f, 0, sizeof(*f));
	f->seq = 1;
	f->slot = FWIO_SLOTS - 1;
	memcpy(f->limits, default_limits, sizeof(f->limits));
}

/**
 * fwio_scale_limits() - let no call take longer than this
 * @f: mailbox
 * @total_ns: longest total of any call; below one millisecond is taken as one
 *
 * Calls whose default is longer get this total, and an attempt's time in proportion; the others
 * have their defaults. Calls that have begun keep their deadline.
 */
void fwio_scale_limits(struct fwio *f, u64 total_ns)
{
	u32 i;

	if (total_ns < LIMIT_MIN_NS)
		total_ns = LIMIT_MIN_NS;
	for (i = 0; i < ARRAY_SIZE(f->limits); i++) {
		struct fwio_limits *limits = &f->limits[i];

		*limits = default_limits[i];
		if (limits->total_ns <= total_ns)
			continue;
		/* In microseconds, where the product stays far below 2^64. */
		limits->attempt_ns = div64_u64(div64_u64(limits->attempt_ns, 1000) *
					       div64_u64(total_ns, 1000),
					       div64_u64(limits->total_ns, 1000)) * 1000;
		limits->total_ns = total_ns;
	}
}

static int check_request(enum nd_fwio_cmd cmd, const void *payload, u32 size, const void *reply,
			 u32 reply_max)
{
	if (!payload || !size || (reply_max && !reply))
		return -EINVAL;
	switch (cmd) {
	case ND_FWIO_READ:
		if (size > FWIO_READ_MAX * sizeof(u64))
			return -E2BIG;
		if (size % sizeof(u64) || reply_max < size / 2)
			return -EINVAL;
		return 0;
	case ND_FWIO_POST_TO_CW:
	case ND_FWIO_SET_POWER_PROFILE:
	case ND_FWIO_GET_DATA:
	case ND_FWIO_SET_FEATURE:
		return size > ND_FWIO_DATA_MAX ? -E2BIG : 0;
	default:
		return -EINVAL;
	}
}

/**
 * fwio_begin() - begin an exchange
 * @f: mailbox
 * @c: the exchange; any content
 * @cmd: command
 * @payload: of the request, never empty; must stay until the call is done
 * @size: bytes of @payload
 * @reply: for the answer's payload; zeroed now, written only by an answer that is valid
 * @reply_max: bytes of @reply; an answer that is longer is none. READ: 4 bytes an address
 * @now_ns: monotonic
 *
 * Return: 0; -EBUSY when an exchange or a reset has the mailbox; -E2BIG or -EINVAL for a request
 * that cannot be sent. Nothing has happened to @f then.
 */
int fwio_begin(struct fwio *f, struct fwio_call *c, enum nd_fwio_cmd cmd, const void *payload,
	       u32 size, void *reply, u32 reply_max, u64 now_ns)
{
	int error = check_request(cmd, payload, size, reply, reply_max);
	u32 room;

	if (!error && f->use != FWIO_IDLE)
		error = -EBUSY;
	memset(c, 0, sizeof(*c));
	c->phase = PHASE_DONE;
	c->result = error;
	if (error)
		return error;

	f->use = FWIO_EXCHANGE;
	f->stats.calls++;
	c->result = -ETIMEDOUT;
	c->last = -ETIMEDOUT;
	c->phase = PHASE_GATE;
	c->cmd = cmd;
	c->payload = payload;
	c->size = size;
	c->reply = reply;
	room = is_legacy(c) ? FWIO_SLOT_SIZE - ND_FWIO_LEGACY_RESPONSE_HEADER : ND_FWIO_DATA_MAX;
	c->reply_max = reply_max < room ? reply_max : room;
	if (reply_max)
		memset(reply, 0, reply_max);
	c->total_deadline = now_ns + f->limits[cmd].total_ns;
	return 0;
}

/**
 * fwio_step() - do what can be done now
 * @f: mailbox
 * @c: the exchange
 * @port: registers and memory
 * @now_ns: monotonic, taken before this call, so that an answer that came in time is always found
 *	however late the step is
 * @next_ns: when the next step is due; only set when there is one
 *
 * Return: true when the call is done and the mailbox is free again, false to be called again.
 */
bool fwio_step(struct fwio *f, struct fwio_call *c, const struct fwio_port *port, u64 now_ns,
	       u64 *next_ns)
{
	for (;;) {
		switch (c->phase) {
		case PHASE_GATE:
			gate(f, c, port, now_ns);
			break;
		case PHASE_DRAIN:
			if (!drained(f, c, port, now_ns)) {
				*next_ns = next_poll(c, now_ns, c->deadline);
				return false;
			}
			c->phase = PHASE_RING;
			break;
		case PHASE_RING:
			if (now_ns >= c->total_deadline) {
				end_failed(f, c);
				break;
			}
			ring(f, c, port, now_ns);
			*next_ns = next_poll(c, now_ns, c->deadline);
			return false;
		case PHASE_ANSWER:
			await_answer(f, c, port, now_ns);
			if (c->phase == PHASE_ANSWER) {
				*next_ns = next_poll(c, now_ns, c->deadline);
				return false;
			}
			break;
		case PHASE_PAUSE:
			if (now_ns < c->not_before) {
				*next_ns = c->not_before;
				return false;
			}
			c->phase = PHASE_RING;
			break;
		default:
			return true;
		}
	}
}

/**
 * fwio_abort() - give an exchange up
 * @f: mailbox
 * @c: the exchange; nothing happens when it is done
 *
 * No register is touched. A doorbell that was not answered yet stays unknown.
 */
void fwio_abort(struct fwio *f, struct fwio_call *c)
{
	if (c->phase == PHASE_DONE)
		return;
	if (c->phase == PHASE_ANSWER) {
		f->stats.silences++;
		abandon(f, c);
	}
	end(f, c, -ECANCELED);
}
