/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * MiscRAM: the register file that driver and management firmware share, and the frames of its two
 * mailboxes. Offsets are from the MiscRAM base; all accesses are 32 bits wide; little-endian.
 */
#ifndef NDTEL_UAPI_MISCRAM_H
#define NDTEL_UAPI_MISCRAM_H

#include "abi.h"

#define ND_MISCRAM_SIZE			0x1000

/* Identity and state, read directly. */
#define ND_MISCRAM_API_VERSION		0x00	/* >= 3 power, >= 6 split ECC, >= 7 new mailbox */
#define ND_MISCRAM_DEVICE_ID		0x24
#define ND_MISCRAM_INSTANCE_PARTITION	0x30	/* 5:0 instance, 30:16 partition, 31 valid */
#define ND_MISCRAM_SERIAL_LO		0x38
#define ND_MISCRAM_SERIAL_HI		0x3C
#define ND_MISCRAM_SRAM_ECC		0x40	/* 15:0 uncorrected, 31:16 corrected */
#define ND_MISCRAM_HBM_ECC(channel)	(0x44 + 4 * (channel))	/* channels 0..3 */
#define ND_MISCRAM_POWER_UTIL(die)	(0x54 + 4 * (die))	/* 15:0 0.01 %, 31:16 sample no. */
#define ND_MISCRAM_HBM_REPAIR		0x64	/* 1:0, enum nd_hbm_repair */
#define ND_MISCRAM_SERVER_RACK		0x70	/* 14:0 server, 15 valid, 30:16 rack, 31 valid */
#define ND_MISCRAM_RESERVATION_HI	0x80
#define ND_MISCRAM_RESERVATION_LO	0x84
#define ND_MISCRAM_FW_STATUS		0x808	/* bit 3 set: reset in progress */

#define ND_FW_STATUS_RESETTING		0x8

/* Pod election, written by the nodes of a pod, HI before LO. */
#define ND_MISCRAM_LH_SERIAL_HI		0x180
#define ND_MISCRAM_LH_SERIAL_LO		0x184
#define ND_MISCRAM_RH_SERIAL_HI		0x188
#define ND_MISCRAM_RH_SERIAL_LO		0x18C
#define ND_MISCRAM_POD_ELECTION		0x190	/* from the low byte: status, links, node, count */
#define ND_MISCRAM_POD_SERIAL_HI	0x194
#define ND_MISCRAM_POD_SERIAL_LO	0x198

/* Reset: maps of blocks, then the type, then the doorbell. */
#define ND_MISCRAM_RESET_MAP_HI		0x1D4
#define ND_MISCRAM_RESET_MAP_LO		0x1D8
#define ND_MISCRAM_RESET		0x1EC	/* enum nd_reset_type; 0: accepted */

/*
 * Mailboxes. Legacy: addresses of a request and a response in host memory; firmware writes the
 * request's sequence number into the response last. New: header words and payload inline; firmware
 * clears the doorbell last.
 */
#define ND_MISCRAM_ACK			0xF0	/* 1 before a new-mailbox doorbell */
#define ND_MISCRAM_DATA			0x100	/* ND_FWIO_DATA_MAX bytes */
#define ND_MISCRAM_REQUEST_HI		0x1F0	/* new: header word 0, request and response */
#define ND_MISCRAM_REQUEST_LO		0x1F4	/* new: header word 1, CRC-32C */
#define ND_MISCRAM_RESPONSE_HI		0x1F8
#define ND_MISCRAM_RESPONSE_LO		0x1FC
#define ND_MISCRAM_TRIGGER		0x800	/* doorbell */

#define ND_FWIO_DATA_MAX		128
#define ND_FWIO_BUFFER_SIZE		0xFFFF	/* each legacy buffer */
#define ND_FWIO_API_POWER		3
#define ND_FWIO_API_SPLIT_ECC		6
#define ND_FWIO_API_NEW_MAILBOX		7

/* Read from any register: not populated, or firmware busy. All ones: the link is down. */
#define ND_MISCRAM_BUSY			0xDEADBEEFU
#define ND_MISCRAM_GONE			0xFFFFFFFFU

enum nd_reset_type {
	ND_RESET_NONE = 0,
	ND_RESET_DEVICE = 1,
	ND_RESET_TPB = 2,		/* cores, by RESET_MAP */
};

enum nd_hbm_repair {
	ND_HBM_REPAIR_NONE = 0,
	ND_HBM_REPAIR_PENDING = 1,
	ND_HBM_REPAIR_FAILED = 2,
};

enum nd_fwio_cmd {
	ND_FWIO_READ = 1,		/* legacy: u64 device addresses -> u32 values */
	ND_FWIO_POST_TO_CW = 2,		/* legacy: CloudWatch records -> nothing */
	ND_FWIO_SET_POWER_PROFILE = 3,	/* new, struct nd_fwio_set_profile */
	ND_FWIO_GET_DATA = 4,		/* new, struct nd_fwio_get_data */
	ND_FWIO_SET_FEATURE = 5,	/* new: u8 bitmap, absolute */
};

enum nd_fwio_error {
	ND_FWIO_SUCCESS = 0,
	ND_FWIO_FAIL = 1,
	ND_FWIO_UNKNOWN_COMMAND = 2,
};

/* CRC-32C over the header with crc 0, then the payload. */
struct nd_fwio_request {
	__u8 seq;			/* never 0 */
	__u8 cmd;			/* enum nd_fwio_cmd */
	__u16 size;			/* with this header */
	__u32 crc;
};

/* Legacy responses end after size; new ones have the CRC too. */
struct nd_fwio_response {
	__u8 seq;
	__u8 error;			/* enum nd_fwio_error */
	__u16 size;			/* with the header: 4 bytes legacy, 8 bytes new */
	__u32 crc;			/* new only */
};

#define ND_FWIO_REQUEST_HEADER		8
#define ND_FWIO_LEGACY_RESPONSE_HEADER	4
#define ND_FWIO_NEW_RESPONSE_HEADER	8

struct nd_fwio_set_profile {
	__u32 reserved;
	__u8 profile;
	__u8 voltage_margin;
	__u8 frequency_index;
	__u8 ocw_index;
};

enum nd_fwio_data_type {
	ND_FWIO_DATA_PROFILE = 0x01,	/* request 1 byte, response struct nd_fwio_profile */
	ND_FWIO_DATA_PROFILES = 0x02,	/* request 3 bytes: type, u16 feature */
};

struct nd_fwio_profile {
	__u8 reserved[4];
	__u8 profile;
	__u8 voltage_margin;
	__u8 frequency;
	__u8 ocw;
};

struct nd_fwio_profiles {
	__u8 count;
	__u8 bitmap[32];		/* profile p: byte p / 8, bit p % 8 */
};

#define ND_FWIO_PROFILES_ALL		0
#define ND_FWIO_PROFILES_HBM_7200	5

#define ND_FWIO_FEATURE_THROTTLING	0x1	/* throttling notifications */

ND_ABI_SIZE(struct nd_fwio_request, 8);
ND_ABI_OFFSET(struct nd_fwio_request, crc, 4);
ND_ABI_SIZE(struct nd_fwio_response, 8);
ND_ABI_OFFSET(struct nd_fwio_response, size, 2);
ND_ABI_SIZE(struct nd_fwio_set_profile, 8);
ND_ABI_SIZE(struct nd_fwio_profile, 8);
ND_ABI_SIZE(struct nd_fwio_profiles, 33);

#endif /* NDTEL_UAPI_MISCRAM_H */
