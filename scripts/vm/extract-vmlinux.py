#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpack the ELF vmlinux from a bzImage, symbols of .BTF included.

usage: extract-vmlinux.py BZIMAGE VMLINUX

The boot header says where the payload starts (Documentation/arch/x86/boot.rst
in the kernel source), so nothing is searched for or guessed.
"""

import struct
import subprocess
import sys

SETUP_SECTS = 0x1F1
HEADER_MAGIC = 0x202
PAYLOAD_OFFSET = 0x248

DECOMPRESSORS = {
    b"\xfd7zXZ": ["xz", "-dc", "--single-stream"],
    b"\x02\x21\x4c\x18": ["lz4", "-dc"],
    b"\x28\xb5\x2f\xfd": ["zstd", "-dc"],
    b"\x1f\x8b": ["gzip", "-dc"],
}


def main(image_path, elf_path):
    with open(image_path, "rb") as file:
        image = file.read()
    if image[HEADER_MAGIC : HEADER_MAGIC + 4] != b"HdrS":
        sys.exit(f"extract-vmlinux: {image_path}: not a bzImage")
    setup_sectors = image[SETUP_SECTS] or 4
    offset, length = struct.unpack_from("<II", image, PAYLOAD_OFFSET)
    start = (setup_sectors + 1) * 512 + offset
    payload = image[start : start + length]
    for magic, command in DECOMPRESSORS.items():
        if payload.startswith(magic):
            break
    else:
        sys.exit(f"extract-vmlinux: {image_path}: unknown compression {payload[:6].hex()}")
    # The payload ends with its unpacked length, which decompressors call
    # garbage; the ELF magic below is the real check.
    elf = subprocess.run(command, input=payload, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False).stdout
    if elf[:4] != b"\x7fELF":
        sys.exit(f"extract-vmlinux: {image_path}: {command[0]} gave no ELF file")
    with open(elf_path, "wb") as file:
        file.write(elf)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
