// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Records of a post. The texts are written here digit by digit, so that the kernel and user space
 * share one formatter and its bounds.
 */
#include "nmetric_record.h"
#include "../uapi/ndtel/nds.h"

#define U64_DIGITS	20	/* 18446744073709551615 */
#define VERSION_DIGITS	20	/* 255.255.-2147483648 is 19 */

/* Writes @value at @text in @base; returns the number of digits. */
static size_t write_number(char *text, u64 value, u32 base)
{
	char reversed[U64_DIGITS];
	size_t n = 0;
	size_t i;

	do {
		u64 rest = base == 16 ? value >> 4 : div64_u64(value, base);

		reversed[n++] = "0123456789abcdef"[value - rest * base];
		value = rest;
	} while (value);
	for (i = 0; i < n; i++)
		text[i] = reversed[n - 1 - i];
	return n;
}

/**
 * nmetric_put() - append a record
 * @post: post
 * @id: enum nmetric_cw_id
 * @text: payload, no terminator needed
 * @len: bytes of @text, at most NMETRIC_TEXT_MAX
 *
 * Return: true when it was written, false when it does not fit or is too long; @post is then
 * unchanged.
 */
bool nmetric_put(struct nmetric_post *post, u8 id, const char *text, size_t len)
{
	if (len > NMETRIC_TEXT_MAX || post->used > NMETRIC_POST_MAX ||
	    NMETRIC_RECORD_HEADER + len > NMETRIC_POST_MAX - post->used)
		return false;
	post->buf[post->used] = id;
	post->buf[post->used + 1] = (u8)len;
	memcpy(&post->buf[post->used + NMETRIC_RECORD_HEADER], text, len);
	post->used += NMETRIC_RECORD_HEADER + (u32)len;
	return true;
}

/**
 * nmetric_put_u64() - append a decimal record
 * @post: post
 * @id: enum nmetric_cw_id
 * @value: number
 *
 * Return: as nmetric_put().
 */
bool nmetric_put_u64(struct nmetric_post *post, u8 id, u64 value)
{
	char text[U64_DIGITS];

	return nmetric_put(post, id, text, write_number(text, value, 10));
}

/**
 * nmetric_put_hex() - append a record in lower-case hexadecimal without a prefix
 * @post: post
 * @id: enum nmetric_cw_id
 * @value: number
 *
 * Return: as nmetric_put().
 */
bool nmetric_put_hex(struct nmetric_post *post, u8 id, u64 value)
{
	char text[U64_DIGITS];

	return nmetric_put(post, id, text, write_number(text, value, 16));
}

/**
 * nmetric_put_version() - append "major.minor.build"
 * @post: post
 * @id: enum nmetric_cw_id
 * @word: packed version (NDS_VERSION_*); the reserved bits are not shown
 * @reference_text: print the build signed, as the reference does
 *
 * Return: as nmetric_put().
 */
bool nmetric_put_version(struct nmetric_post *post, u8 id, u64 word, bool reference_text)
{
	char text[VERSION_DIGITS];
	u32 build = NDS_VERSION_BUILD(word);
	size_t n;

	n = write_number(text, NDS_VERSION_MAJOR(word), 10);
	text[n++] = '.';
	n += write_number(&text[n], NDS_VERSION_MINOR(word), 10);
	text[n++] = '.';
	if (reference_text && build >> 31) {
		text[n++] = '-';
		build = -build;
	}
	n += write_number(&text[n], build, 10);
	return nmetric_put(post, id, text, n);
}

/**
 * nmetric_next() - read the next record of a post
 * @buf: post, not trusted
 * @size: bytes of @buf
 * @pos: where the record starts, 0 at first; moved behind it
 * @view: filled with the record
 *
 * Return: 1 with a record, 0 at the end, -EINVAL when the record runs past the end; @pos and @view
 * are then unchanged.
 */
int nmetric_next(const u8 *buf, size_t size, size_t *pos, struct nmetric_view *view)
{
	size_t at = *pos;
	size_t left;

	if (at == size)
		return 0;
	if (at > size)
		return -EINVAL;
	left = size - at;
	if (left < NMETRIC_RECORD_HEADER || buf[at + 1] > left - NMETRIC_RECORD_HEADER)
		return -EINVAL;
	view->id = buf[at];
	view->len = buf[at + 1];
	view->text = &buf[at + NMETRIC_RECORD_HEADER];
	*pos = at + NMETRIC_RECORD_HEADER + view->len;
	return 1;
}
