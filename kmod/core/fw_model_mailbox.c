// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Firmware model: requests come in by either mailbox, suffer a fault or none, and are answered now
 * or later. Requests and late answers of both mailboxes can be on their way together.
 */
#include "fw_model_mailbox.h"
#include "fwio.h"

enum fault {
	FAULT_NONE,
	FAULT_IGNORE,
	FAULT_FAIL,
	FAULT_UNKNOWN_COMMAND,
	FAULT_DROP,
	FAULT_WRONG_SEQ,
	FAULT_REPLAY,
	FAULT_BAD_SIZE,
	FAULT_BAD_CRC,
	FAULT_LATE,
	FAULT_DELAY,
	FAULT_COUNT
};

/**
 * struct suffering - what happens to one request
 * @fault: fault
 * @size: FAULT_BAD_SIZE: size in the header
 * @delay_ms: the answer takes that long
 */
struct suffering {
	enum fault fault;
	u32 size;
	u32 delay_ms;
};

/* Bytes of payload that the header speaks of, as far as there is room for them in the window. */
static u32 framed_len(const struct nd_fwio_response *header)
{
	u32 n = header->size < sizeof(*header) ? 0 : header->size - (u32)sizeof(*header);

	return n < ND_FWIO_DATA_MAX ? n : ND_FWIO_DATA_MAX;
}

/* A xorshift generator, seeded anew when the knob changes: equal seeds give equal faults. */
static u32 next_random(struct fw_model *m)
{
	u32 seed = READ_ONCE(m->knobs.random_seed);

	if (m->random_seed != seed || !m->random) {
		m->random_seed = seed;
		m->random = seed ? seed : 1;
	}
	m->random ^= m->random << 13;
	m->random ^= m->random >> 17;
	m->random ^= m->random << 5;
	return m->random;
}

/* Half of them are sizes around the headers, where readers err. */
static u32 random_size(struct fw_model *m)
{
	u32 random = next_random(m) >> 8;

	return random & 1 ? (random >> 1) % 16 : (random >> 1) & 0xFFFF;
}

static struct suffering suffer_randomly(struct fw_model *m, bool legacy)
{
	struct suffering s = { .fault = 1 + (next_random(m) >> 8) % (FAULT_COUNT - 1) };
	u32 late_ms = READ_ONCE(m->knobs.late_ms);

	s.delay_ms = READ_ONCE(m->knobs.delay_ms);
	/* There is no CRC to damage in the legacy mailbox, and nothing to replay at first. */
	if ((s.fault == FAULT_BAD_CRC && legacy) || (s.fault == FAULT_REPLAY && !m->last.used))
		s.fault = FAULT_BAD_SIZE;
	if (s.fault == FAULT_BAD_SIZE)
		s.size = random_size(m);
	else if (s.fault == FAULT_LATE)
		s.delay_ms = late_ms;
	else if (s.fault == FAULT_DELAY && late_ms)
		s.delay_ms += (next_random(m) >> 8) % late_ms;
	return s;
}

/* At most one fault a request; the other knobs wait for the next ones. */
static struct suffering suffer(struct fw_model *m, bool legacy)
{
	struct fw_model_knobs *k = &m->knobs;
	struct suffering s = { .delay_ms = READ_ONCE(k->delay_ms) };

	if (fw_model_strike(&k->ignore_requests)) {
		s.fault = FAULT_IGNORE;
	} else if (fw_model_strike(&k->fail)) {
		s.fault = FAULT_FAIL;
	} else if (fw_model_strike(&k->unknown_command)) {
		s.fault = FAULT_UNKNOWN_COMMAND;
	} else if (fw_model_strike(&k->drop_replies)) {
		s.fault = FAULT_DROP;
	} else if (fw_model_strike(&k->wrong_seq)) {
		s.fault = FAULT_WRONG_SEQ;
	} else if (m->last.used && fw_model_strike(&k->replay)) {
		s.fault = FAULT_REPLAY;
	} else if (fw_model_strike(&k->bad_size)) {
		s.fault = FAULT_BAD_SIZE;
		s.size = READ_ONCE(k->reply_size);
	} else if (!legacy && fw_model_strike(&k->bad_crc)) {
		s.fault = FAULT_BAD_CRC;
	} else if (fw_model_strike(&k->late_replies)) {
		s.fault = FAULT_LATE;
		s.delay_ms = READ_ONCE(k->late_ms);
	} else if (READ_ONCE(k->random_permille) &&
		   (next_random(m) >> 8) % 1000 < READ_ONCE(k->random_permille)) {
		s = suffer_randomly(m, legacy);
	}
	return s;
}

static u64 register_pair(const struct fw_model *m, u32 hi, u32 lo)
{
	return ((u64)m->reg[hi / 4] << 32 | m->reg[lo / 4]) & ~m->host_bit;
}

static struct fw_model_reply *free_place(struct fw_model *m)
{
	u32 i;

	for (i = 0; i < FW_MODEL_LATE; i++)
		if (!m->late[i].used)
			return &m->late[i];
	return NULL;
}

/* Makes the header that goes with a reply's payload. */
static void seal(struct fw_model_reply *reply, u8 seq, u8 error)
{
	u32 header = reply->legacy ? ND_FWIO_LEGACY_RESPONSE_HEADER : ND_FWIO_NEW_RESPONSE_HEADER;

	reply->header.seq = seq;
	reply->header.error = error;
	reply->header.size = (u16)(header + reply->len);
	reply->header.crc = fwio_reply_crc(&reply->header, reply->payload, reply->len);
}

/*
 * Damages a reply. Except for FAULT_BAD_CRC the CRC matches the damaged reply, so that it is the
 * damage itself that the driver has to notice.
 */
static void damage(struct fw_model *m, struct fw_model_reply *reply, const struct suffering *s)
{
	switch (s->fault) {
	case FAULT_WRONG_SEQ:
		/* Of an earlier request: the number of a later one would be a forgery. */
		reply->header.seq = reply->header.seq > 1 ? reply->header.seq - 1 : 255;
		break;
	case FAULT_REPLAY:
		reply->header = m->last.header;
		reply->len = m->last.len;
		memcpy(reply->payload, m->last.payload, m->last.len);
		break;
	case FAULT_BAD_SIZE:
		reply->header.size = (u16)s->size;
		break;
	default:
		break;
	}
	if (!reply->legacy) {
		u32 n = framed_len(&reply->header);

		if (n > reply->len)
			memset(reply->payload + reply->len, 0, n - reply->len);
		reply->header.crc = fwio_reply_crc(&reply->header, reply->payload, n);
	}
	if (s->fault == FAULT_BAD_CRC)
		reply->header.crc ^= 0x10;
}

/* Answers a request. When too many answers are on their way already, this one is lost. */
static void answer(struct fw_model *m, const struct fw_model_request *request, u8 error,
		   const struct suffering *s, struct fw_model_reply *reply, u64 now)
{
	struct fw_model_reply *place = free_place(m);

	reply->used = true;
	reply->legacy = request->legacy;
	reply->due_ns = now + s->delay_ms * FW_MODEL_MS;
	reply->order = m->replies++;
	reply->addr = register_pair(m, ND_MISCRAM_RESPONSE_HI, ND_MISCRAM_RESPONSE_LO);
	seal(reply, request->seq, error);
	if (place) {
		*place = *reply;
		damage(m, place, s);
	}
	m->last = *reply;
}

/* Fetches a request; false when its size or address cannot be. */
static bool take_legacy(struct fw_model *m, struct nd_fwio_request *header)
{
	u64 addr = register_pair(m, ND_MISCRAM_REQUEST_HI, ND_MISCRAM_REQUEST_LO);

	if (m->host.read(m->host.ctx, addr, header, sizeof(*header)) ||
	    header->size < sizeof(*header) || header->size > sizeof(m->request))
		return false;
	return !m->host.read(m->host.ctx, addr + sizeof(*header), m->request + sizeof(*header),
			     header->size - (u32)sizeof(*header));
}

static bool take_new(struct fw_model *m, struct nd_fwio_request *header)
{
	u32 word[2] = { m->reg[ND_MISCRAM_REQUEST_HI / 4], m->reg[ND_MISCRAM_REQUEST_LO / 4] };

	memcpy(header, word, sizeof(word));
	if (header->size < sizeof(*header) || header->size - sizeof(*header) > ND_FWIO_DATA_MAX)
		return false;
	memcpy(m->request + sizeof(*header), &m->reg[ND_MISCRAM_DATA / 4],
	       header->size - sizeof(*header));
	return true;
}

void fw_model_mailbox_doorbell(struct fw_model *m, u64 now_ns)
{
	struct fw_model_request request = { .payload = m->request + ND_FWIO_REQUEST_HEADER };
	struct suffering s = { .fault = FAULT_NONE };
	struct nd_fwio_request header;
	struct fw_model_reply *reply = &m->sending;
	u8 error = ND_FWIO_FAIL;
	bool whole, intact;

	request.legacy = m->reg[ND_MISCRAM_ACK / 4] != 1;
	m->reg[ND_MISCRAM_ACK / 4] = 0;
	memset(reply, 0, sizeof(*reply));

	whole = request.legacy ? take_legacy(m, &header) : take_new(m, &header);
	if (whole) {
		request.seq = header.seq;
		request.cmd = header.cmd;
		request.n = header.size - (u32)sizeof(header);
	}
	intact = whole && header.crc == fwio_frame_crc(&header, request.payload, request.n);
	if (!intact) {
		m->rejected++;
		if (whole && READ_ONCE(m->knobs.crc_fail_answers))
			answer(m, &request, error, &s, reply, now_ns);
		return;
	}

	m->requests[request.cmd < ARRAY_SIZE(m->requests) ? request.cmd : 0]++;
	s = suffer(m, request.legacy);
	switch (s.fault) {
	case FAULT_IGNORE:
		return;
	case FAULT_FAIL:
		break;
	case FAULT_UNKNOWN_COMMAND:
		error = ND_FWIO_UNKNOWN_COMMAND;
		break;
	default:
		error = fw_model_command(m, &request, reply->payload, &reply->len, now_ns);
	}
	/* The registers have no room for more. */
	if (!request.legacy && reply->len > ND_FWIO_DATA_MAX) {
		error = ND_FWIO_FAIL;
		reply->len = 0;
	}
	if (s.fault != FAULT_DROP)
		answer(m, &request, error, &s, reply, now_ns);
	else if (request.legacy)
		m->reg[ND_MISCRAM_TRIGGER / 4] = 0;
}

/* Into host memory; the sequence number last, because it is what the driver waits for. */
static void deliver_legacy(struct fw_model *m, const struct fw_model_reply *reply)
{
	const u8 *header = (const u8 *)&reply->header;
	void *ctx = m->host.ctx;
	u64 addr = reply->addr;

	if (m->host.write(ctx, addr + ND_FWIO_LEGACY_RESPONSE_HEADER, reply->payload,
			  reply->len) ||
	    m->host.write(ctx, addr + 1, header + 1, ND_FWIO_LEGACY_RESPONSE_HEADER - 1)) {
		m->rejected++;
		return;
	}
	nd_dma_wmb();
	m->host.write(ctx, addr, header, 1);
	m->reg[ND_MISCRAM_TRIGGER / 4] = 0;
}

/* Into the registers; the doorbell last. */
static void deliver_new(struct fw_model *m, const struct fw_model_reply *reply)
{
	u32 word[2];

	memcpy(word, &reply->header, sizeof(word));
	memcpy(&m->reg[ND_MISCRAM_DATA / 4], reply->payload, framed_len(&reply->header));
	m->reg[ND_MISCRAM_REQUEST_LO / 4] = word[1];
	m->reg[ND_MISCRAM_REQUEST_HI / 4] = word[0];
	m->reg[ND_MISCRAM_TRIGGER / 4] = 0;
}

/* The answer that arrives next, or NULL. */
static const struct fw_model_reply *first(const struct fw_model *m)
{
	const struct fw_model_reply *best = NULL;
	u32 i;

	for (i = 0; i < FW_MODEL_LATE; i++) {
		const struct fw_model_reply *reply = &m->late[i];

		if (reply->used && (!best || reply->due_ns < best->due_ns ||
				    (reply->due_ns == best->due_ns && reply->order < best->order)))
			best = reply;
	}
	return best;
}

u64 fw_model_mailbox_next(const struct fw_model *m)
{
	const struct fw_model_reply *reply = first(m);

	return reply ? reply->due_ns : U64_MAX;
}

void fw_model_mailbox_run(struct fw_model *m, u64 now_ns)
{
	const struct fw_model_reply *next;

	while ((next = first(m)) && next->due_ns <= now_ns) {
		struct fw_model_reply *reply = &m->late[next - m->late];

		reply->used = false;
		if (reply->legacy)
			deliver_legacy(m, reply);
		else
			deliver_new(m, reply);
	}
}
