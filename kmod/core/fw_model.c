// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Firmware model: the register file, what time does to it, and resets.
 */
#include "fw_model_mailbox.h"

static const struct fw_model_knobs healthy = {
#define INITIAL(name, initial, meaning) .name = (initial),
	FW_MODEL_KNOBS(INITIAL)
#undef INITIAL
};

enum reset_phase {
	RESET_NONE,
	RESET_ACCEPTING,	/* RESET still reads as written */
	RESET_COMPLETING,	/* accepted; FW_STATUS says resetting */
};

static u32 *reg_of(struct fw_model *m, u32 offset)
{
	return &m->reg[offset / 4];
}

static bool is_register(u32 offset)
{
	return offset < ND_MISCRAM_SIZE && offset % 4 == 0;
}

bool fw_model_strike(u32 *knob)
{
	u32 left = READ_ONCE(*knob);

	if (!left)
		return false;
	if (left != FW_MODEL_ALWAYS)
		WRITE_ONCE(*knob, left - 1);
	return true;
}

/*
 * Power is computed when it is looked at. A die whose sample number stands still keeps the last one
 * that was seen; its utilisation goes on, as if the firmware had stopped in the middle.
 */
static u32 power_util(struct fw_model *m, u32 die, u64 now)
{
	u32 util = die ? m->knobs.power_util_d1 : m->knobs.power_util_d0;
	u32 period = READ_ONCE(m->knobs.power_period_ms);

	if (period && !(m->knobs.power_frozen & 1U << die) && now >= m->start_ns)
		m->power_sample[die] = (u32)div64_u64(now - m->start_ns, period * FW_MODEL_MS);
	return (util & 0xFFFF) | m->power_sample[die] << 16;
}

u32 fw_model_peek(struct fw_model *m, u32 offset, u64 now_ns)
{
	u32 die;

	for (die = 0; die < FW_MODEL_DICE; die++)
		if (offset == ND_MISCRAM_POWER_UTIL(die))
			return power_util(m, die, now_ns);
	return *reg_of(m, offset);
}

/* The answer that stands for a register's content; one for the register wins over one for all. */
static u32 overridden(const struct fw_model *m, u32 offset, u64 now)
{
	u32 answer = FW_MODEL_NORMAL;
	u32 i;

	for (i = 0; i < FW_MODEL_OVERRIDES; i++) {
		const struct fw_model_override *o = &m->override[i];

		if (!o->used || now >= o->until_ns)
			continue;
		if (o->offset == offset)
			return o->answer;
		if (o->offset == ND_MISCRAM_SIZE)
			answer = o->answer;
	}
	return answer;
}

static void expire_overrides(struct fw_model *m, u64 now)
{
	u32 i;

	for (i = 0; i < FW_MODEL_OVERRIDES; i++)
		if (now >= m->override[i].until_ns)
			m->override[i].used = false;
}

static void reset_complete(struct fw_model *m)
{
	*reg_of(m, ND_MISCRAM_FW_STATUS) &= ~ND_FW_STATUS_RESETTING;
	m->reset_phase = RESET_NONE;
	m->reset_due_ns = U64_MAX;
}

/* Pod words, profile and features outlive every reset; answers on their way only one of cores. */
static void reset_accept(struct fw_model *m)
{
	if (*reg_of(m, ND_MISCRAM_RESET) == ND_RESET_DEVICE)
		memset(m->late, 0, sizeof(m->late));
	*reg_of(m, ND_MISCRAM_RESET) = ND_RESET_NONE;
	*reg_of(m, ND_MISCRAM_TRIGGER) = 0;
	m->reset_phase = RESET_COMPLETING;
	if (fw_model_strike(&m->knobs.reset_stuck))
		m->reset_due_ns = U64_MAX;
	else
		m->reset_due_ns += READ_ONCE(m->knobs.reset_complete_ms) * FW_MODEL_MS;
}

/* A request that is repeated before it was accepted does not start anew. */
static void reset_request(struct fw_model *m, u64 now)
{
	if (m->reset_phase == RESET_ACCEPTING || fw_model_strike(&m->knobs.reset_ignored))
		return;
	*reg_of(m, ND_MISCRAM_FW_STATUS) |= ND_FW_STATUS_RESETTING;
	m->reset_phase = RESET_ACCEPTING;
	m->reset_due_ns = now + READ_ONCE(m->knobs.reset_accept_ms) * FW_MODEL_MS;
}

static void doorbell(struct fw_model *m, u64 now)
{
	/*
	 * A reset that waits for acceptance leaves RESET non-zero. A doorbell asks for one only
	 * when RESET was written since the last; otherwise no post would come through meanwhile.
	 */
	bool reset = m->reset_written;

	m->reset_written = false;
	if (reset)
		reset_request(m, now);
	else
		fw_model_mailbox_doorbell(m, now);
}

/**
 * fw_model_init() - make a model of sane, healthy firmware
 * @m: model; any content
 * @host: how it reaches the host's memory
 * @host_bit: set in host addresses the driver hands out; masked before use
 * @miscram_addr: device address of the register file
 * @serial: serial number, not 0 on real devices
 * @device_id: routing id
 * @now_ns: start of its time
 */
void fw_model_init(struct fw_model *m, const struct fw_model_host *host, u64 host_bit,
		   u64 miscram_addr, u64 serial, u32 device_id, u64 now_ns)
{
	memset(m, 0, sizeof(*m));
	m->knobs = healthy;
	m->host = *host;
	m->host_bit = host_bit;
	m->miscram_addr = miscram_addr;
	m->start_ns = now_ns;
	m->reset_due_ns = U64_MAX;
	*reg_of(m, ND_MISCRAM_API_VERSION) = ND_FWIO_API_NEW_MAILBOX;
	*reg_of(m, ND_MISCRAM_DEVICE_ID) = device_id;
	*reg_of(m, ND_MISCRAM_INSTANCE_PARTITION) = 16;
	*reg_of(m, ND_MISCRAM_SERIAL_LO) = (u32)serial;
	*reg_of(m, ND_MISCRAM_SERIAL_HI) = (u32)(serial >> 32);
}

/**
 * fw_model_read() - the driver loads a register
 * @m: model
 * @offset: from the MiscRAM base
 * @now_ns: monotonic
 *
 * Return: what the driver sees; all ones outside the register file.
 */
u32 fw_model_read(struct fw_model *m, u32 offset, u64 now_ns)
{
	if (!is_register(offset)) {
		m->ignored_accesses++;
		return ND_MISCRAM_GONE;
	}
	fw_model_run(m, now_ns);
	switch (overridden(m, offset, now_ns)) {
	case FW_MODEL_BUSY:
		return ND_MISCRAM_BUSY;
	case FW_MODEL_GONE:
		return ND_MISCRAM_GONE;
	}
	if (m->reset_phase != RESET_NONE && READ_ONCE(m->knobs.reset_busy))
		return ND_MISCRAM_BUSY;
	return fw_model_peek(m, offset, now_ns);
}

/**
 * fw_model_write() - the driver stores to a register
 * @m: model
 * @offset: from the MiscRAM base
 * @value: what it stores
 * @now_ns: monotonic
 *
 * A store to the doorbell is acted upon at once; answers without delay are there when this returns.
 */
void fw_model_write(struct fw_model *m, u32 offset, u32 value, u64 now_ns)
{
	if (!is_register(offset)) {
		m->ignored_accesses++;
		return;
	}
	fw_model_run(m, now_ns);
	*reg_of(m, offset) = value;
	if (offset == ND_MISCRAM_RESET)
		m->reset_written = value != ND_RESET_NONE;
	if (offset == ND_MISCRAM_TRIGGER && value)
		doorbell(m, now_ns);
	fw_model_run(m, now_ns);
}

/* Takes the override of a register back, or all of them. */
static void cancel_overrides(struct fw_model *m, u32 offset)
{
	u32 i;

	for (i = 0; i < FW_MODEL_OVERRIDES; i++)
		if (offset == ND_MISCRAM_SIZE || m->override[i].offset == offset)
			m->override[i].used = false;
}

/* The override there is for a register, or a free one, or NULL. */
static struct fw_model_override *override_place(struct fw_model *m, u32 offset)
{
	struct fw_model_override *place = NULL;
	u32 i;

	for (i = 0; i < FW_MODEL_OVERRIDES; i++) {
		if (!m->override[i].used)
			place = &m->override[i];
		else if (m->override[i].offset == offset)
			return &m->override[i];
	}
	return place;
}

/**
 * fw_model_override() - let a register answer wrongly
 * @m: model
 * @offset: register, or ND_MISCRAM_SIZE for all
 * @answer: what is read; FW_MODEL_NORMAL takes the override back
 * @until_ns: end, U64_MAX never
 *
 * Only what the driver reads changes, not what the firmware does. FW_MODEL_NORMAL for all takes
 * every override back.
 *
 * Return: 0, -EINVAL for no register or an unknown answer, -ENOSPC.
 */
int fw_model_override(struct fw_model *m, u32 offset, enum fw_model_answer answer, u64 until_ns)
{
	struct fw_model_override *place;

	if (!is_register(offset) && offset != ND_MISCRAM_SIZE)
		return -EINVAL;
	switch (answer) {
	case FW_MODEL_NORMAL:
		cancel_overrides(m, offset);
		return 0;
	case FW_MODEL_BUSY:
	case FW_MODEL_GONE:
		break;
	default:
		return -EINVAL;
	}
	place = override_place(m, offset);
	if (!place)
		return -ENOSPC;
	place->used = true;
	place->offset = offset;
	place->answer = answer;
	place->until_ns = until_ns;
	return 0;
}

/**
 * fw_model_next() - when something happens by itself
 * @m: model
 *
 * Return: when fw_model_run() is due, U64_MAX when nothing will happen.
 */
u64 fw_model_next(const struct fw_model *m)
{
	u64 reply = fw_model_mailbox_next(m);
	u64 reset = m->reset_phase == RESET_NONE ? U64_MAX : m->reset_due_ns;

	return reply < reset ? reply : reset;
}

/**
 * fw_model_run() - do all that is due
 * @m: model
 * @now_ns: monotonic
 */
void fw_model_run(struct fw_model *m, u64 now_ns)
{
	expire_overrides(m, now_ns);
	for (;;) {
		u64 next = fw_model_next(m);

		if (next > now_ns || next == U64_MAX)
			return;
		if (fw_model_mailbox_next(m) == next)
			fw_model_mailbox_run(m, next);
		else if (m->reset_phase == RESET_ACCEPTING)
			reset_accept(m);
		else
			reset_complete(m);
	}
}
