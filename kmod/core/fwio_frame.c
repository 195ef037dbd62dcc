// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Integrity of FW-IO frames: CRC-32C (Castagnoli) over the header with its crc field 0, then the
 * payload. Requests and the replies of the new mailbox have it.
 */
#include "fwio.h"

/*
 * Remainders of the 16 low nibbles by the reflected polynomial 0x82F63B78. Frames are short: two
 * look-ups a byte in a table of one cache line are all the speed they need.
 */
static const u32 nibble_remainder[16] = {
	0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1,
	0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
	0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
	0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

/**
 * fwio_crc32c() - CRC-32C of bytes, or of more bytes
 * @crc: 0, or the CRC of what stands before @data
 * @data: bytes
 * @n: bytes of @data
 *
 * Return: the CRC.
 */
u32 fwio_crc32c(u32 crc, const void *data, size_t n)
{
	const u8 *at = data;

	crc = ~crc;
	while (n--) {
		crc ^= *at++;
		crc = crc >> 4 ^ nibble_remainder[crc & 15];
		crc = crc >> 4 ^ nibble_remainder[crc & 15];
	}
	return ~crc;
}

/**
 * fwio_frame_crc() - CRC of a request
 * @header: header; its crc field is not looked at
 * @payload: what follows the header
 * @n: bytes of @payload
 *
 * Return: what belongs into the crc field.
 */
u32 fwio_frame_crc(const struct nd_fwio_request *header, const void *payload, size_t n)
{
	struct nd_fwio_request frame = *header;

	frame.crc = 0;
	return fwio_crc32c(fwio_crc32c(0, &frame, sizeof(frame)), payload, n);
}

/**
 * fwio_reply_crc() - CRC of a reply in the new mailbox
 * @header: header; its crc field is not looked at
 * @payload: what follows the header
 * @n: bytes of @payload
 *
 * Return: what belongs into the crc field.
 */
u32 fwio_reply_crc(const struct nd_fwio_response *header, const void *payload, size_t n)
{
	struct nd_fwio_response frame = *header;

	frame.crc = 0;
	return fwio_crc32c(fwio_crc32c(0, &frame, sizeof(frame)), payload, n);
}
