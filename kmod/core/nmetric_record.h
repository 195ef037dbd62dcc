/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Posts on the wire: writing and reading the 128-byte buffer of { id, len, text } records.
 */
#ifndef NDTEL_CORE_NMETRIC_RECORD_H
#define NDTEL_CORE_NMETRIC_RECORD_H

#include "port.h"
#include "../uapi/ndtel/cw.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct nmetric_post - a post under construction
 * @buf: records, back to back
 * @used: bytes of @buf that are filled, never more than NMETRIC_POST_MAX
 */
struct nmetric_post {
	u8 buf[NMETRIC_POST_MAX];
	u32 used;
};

/**
 * struct nmetric_view - one record of a post, pointing into its buffer
 * @text: not terminated
 * @len: bytes of @text
 * @id: enum nmetric_cw_id, or an id this version does not know
 */
struct nmetric_view {
	const u8 *text;
	u8 len;
	u8 id;
};

bool nmetric_put(struct nmetric_post *post, u8 id, const char *text, size_t len);
bool nmetric_put_u64(struct nmetric_post *post, u8 id, u64 value);
bool nmetric_put_hex(struct nmetric_post *post, u8 id, u64 value);
bool nmetric_put_version(struct nmetric_post *post, u8 id, u64 word, bool reference_text);
int nmetric_next(const u8 *buf, size_t size, size_t *pos, struct nmetric_view *view);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NMETRIC_RECORD_H */
