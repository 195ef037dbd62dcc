// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Firmware model: what it does when it is asked to.
 */
#include "fw_model_mailbox.h"
#include "nmetric_record.h"

/* Number of a text of digits only; false for every other text and beyond 64 bits. */
static bool parse_decimal(const u8 *text, u32 n, u64 *value)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++) {
		u32 digit = text[i] - '0';

		if (digit > 9 || sum > div64_u64(U64_MAX - digit, 10))
			return false;
		sum = 10 * sum + digit;
	}
	*value = sum;
	return n;
}

/* Adds up what the records of a post say; what follows a damaged record is not read. */
static void count_received(struct fw_model *m, const u8 *data, u32 n)
{
	struct nmetric_view view;
	size_t pos = 0;
	u64 value;

	while (nmetric_next(data, n, &pos, &view) > 0)
		if (parse_decimal(view.text, view.len, &value))
			m->received[view.id] += value;
}

static u8 post_to_cw(struct fw_model *m, const struct fw_model_request *request, u64 now)
{
	struct fw_model_post post;

	if (request->n > ND_FWIO_DATA_MAX)
		return ND_FWIO_FAIL;
	/* Of a legacy post the window must hold the same, padded with zeros to a whole word. */
	memset(post.data, 0, sizeof(post.data));
	memcpy(post.data, request->payload, request->n);
	if (request->legacy &&
	    memcmp(&m->reg[ND_MISCRAM_DATA / 4], post.data, (request->n + 3) / 4 * 4))
		m->mismatched++;

	post.index = m->posts++;
	post.at_ns = now;
	post.size = request->n;
	count_received(m, post.data, post.size);
	if (m->host.post)
		m->host.post(m->host.ctx, &post);
	return ND_FWIO_SUCCESS;
}

/* Registers by their device addresses; any other address fails the whole request. */
static u8 read_values(struct fw_model *m, const struct fw_model_request *request, u8 *out, u32 *len,
		      u64 now)
{
	u32 i;

	if (!request->n || request->n % sizeof(u64) ||
	    request->n / sizeof(u64) * sizeof(u32) > FW_MODEL_REPLY_MAX)
		return ND_FWIO_FAIL;
	for (i = 0; i < request->n / sizeof(u64); i++) {
		u32 value;
		u64 addr;

		memcpy(&addr, request->payload + i * sizeof(addr), sizeof(addr));
		addr -= m->miscram_addr;
		if (addr >= ND_MISCRAM_SIZE || addr % 4)
			return ND_FWIO_FAIL;
		value = fw_model_peek(m, (u32)addr, now);
		memcpy(out + i * sizeof(value), &value, sizeof(value));
	}
	*len = i * sizeof(u32);
	return ND_FWIO_SUCCESS;
}

static u8 set_profile(struct fw_model *m, const struct fw_model_request *request)
{
	struct nd_fwio_set_profile set;

	if (request->n != sizeof(set))
		return ND_FWIO_FAIL;
	memcpy(&set, request->payload, sizeof(set));
	if (set.profile >= m->knobs.profiles)
		return ND_FWIO_FAIL;
	m->profile = set.profile;
	return ND_FWIO_SUCCESS;
}

static u8 get_profile(const struct fw_model *m, u8 *out, u32 *len)
{
	struct nd_fwio_profile profile = { .profile = m->profile };

	memcpy(out, &profile, sizeof(profile));
	*len = sizeof(profile);
	return ND_FWIO_SUCCESS;
}

static u8 get_profiles(const struct fw_model *m, const struct fw_model_request *request, u8 *out,
		       u32 *len)
{
	struct nd_fwio_profiles profiles = { 0 };
	u16 feature;
	u32 i;

	if (request->n != 1 + sizeof(feature))
		return ND_FWIO_FAIL;
	memcpy(&feature, request->payload + 1, sizeof(feature));
	if (feature != ND_FWIO_PROFILES_ALL && feature != ND_FWIO_PROFILES_HBM_7200)
		return ND_FWIO_FAIL;
	profiles.count = m->knobs.profiles < 255 ? m->knobs.profiles : 255;
	for (i = 0; i < profiles.count; i++)
		if (feature == ND_FWIO_PROFILES_ALL ||
		    (i < 32 && m->knobs.hbm_7200 & 1U << i))
			profiles.bitmap[i / 8] |= 1U << i % 8;
	memcpy(out, &profiles, sizeof(profiles));
	*len = sizeof(profiles);
	return ND_FWIO_SUCCESS;
}

static u8 get_data(struct fw_model *m, const struct fw_model_request *request, u8 *out, u32 *len)
{
	switch (request->n ? request->payload[0] : 0) {
	case ND_FWIO_DATA_PROFILE:
		return get_profile(m, out, len);
	case ND_FWIO_DATA_PROFILES:
		return get_profiles(m, request, out, len);
	default:
		return ND_FWIO_FAIL;
	}
}

static u8 set_feature(struct fw_model *m, const struct fw_model_request *request)
{
	if (request->n != 1)
		return ND_FWIO_FAIL;
	m->feature = request->payload[0];
	return ND_FWIO_SUCCESS;
}

u8 fw_model_command(struct fw_model *m, const struct fw_model_request *request, u8 *out, u32 *len,
		    u64 now_ns)
{
	*len = 0;
	switch (request->cmd) {
	case ND_FWIO_READ:
		return read_values(m, request, out, len, now_ns);
	case ND_FWIO_POST_TO_CW:
		return post_to_cw(m, request, now_ns);
	case ND_FWIO_SET_POWER_PROFILE:
		return set_profile(m, request);
	case ND_FWIO_GET_DATA:
		return get_data(m, request, out, len);
	case ND_FWIO_SET_FEATURE:
		return set_feature(m, request);
	default:
		return ND_FWIO_UNKNOWN_COMMAND;
	}
}
