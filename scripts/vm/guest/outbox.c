// SPDX-License-Identifier: Apache-2.0
/*
 * Copies standard input into the outbox, host memory behind a PCI BAR.
 *
 * Debian's cloud kernel has no file sharing with the host, and a serial line is
 * slow. An ivshmem-plain device at a fixed slot gives a BAR whose pages are a
 * file on the host, and user space may map a BAR through sysfs: no driver, and
 * the speed of memory. Layout: 8 bytes of magic, 8 bytes of length (0 while a
 * copy is under way), the data from the second page on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOT "/sys/bus/pci/devices/0000:00:1e.0/"
enum { DATA_OFFSET = 4096 };

struct outbox_header {
	char magic[8];
	uint64_t length;
};

static int fail(const char *what)
{
	fprintf(stderr, "outbox: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(void)
{
	volatile struct outbox_header *header;
	uint64_t used = 0, room;
	struct stat info;
	ssize_t got;
	char *bar;
	int fd;

	/* Without a driver nothing has switched on memory decoding. */
	fd = open(SLOT "enable", O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1)
		return fail(SLOT "enable");
	close(fd);

	fd = open(SLOT "resource2", O_RDWR);
	if (fd < 0 || fstat(fd, &info))
		return fail(SLOT "resource2");
	bar = mmap(NULL, info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bar == MAP_FAILED)
		return fail("mmap");

	header = (volatile struct outbox_header *)bar;
	room = info.st_size - DATA_OFFSET;
	header->length = 0;
	memcpy((void *)header->magic, "NDTELOUT", 8);
	for (;;) {
		got = read(STDIN_FILENO, bar + DATA_OFFSET + used, room - used);
		if (got < 0)
			return fail("read");
		if (got == 0)
			break;
		used += got;
		if (used == room) {
			fprintf(stderr, "outbox: more than %llu bytes in /out\n",
				(unsigned long long)room);
			return 1;
		}
	}
	__sync_synchronize();
	header->length = used;
	return 0;
}
