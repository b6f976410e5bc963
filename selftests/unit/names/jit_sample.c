// SPDX-License-Identifier: GPL-2.0
/* A program that generates code while it runs, and lists it in the file that perf reads. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "here.h"

#define BYTES	4096

/* mov $42, %eax; ret */
static const unsigned char answer[] = { 0xb8, 42, 0, 0, 0, 0xc3 };

int main(void)
{
	unsigned char *code = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	if (code == MAP_FAILED)
		return 1;
	memcpy(code + 0x100, answer, sizeof(answer));
	if (((int (*)(void))(code + 0x100))() != 42)
		return 1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %x LazyCompile:*answer /srv/app.js:7:12\n", (long)(code + 0x100),
		0x20);
	fprintf(map, "%lx %x moved_away\n", (long)(code + 0x200), 0x100);
	fprintf(map, "%lx %x _ZN4shop4Till3addEl\n", (long)(code + 0x240), 0x20);
	fprintf(map, "%lx %x cut off", (long)(code + 0x300), 0x20);
	fclose(map);
	tell("answer", code + 0x105, 0);
	tell("behind", code + 0x120, 0);
	tell("before", code + 0x210, 0);
	tell("moved", code + 0x244, 0);
	tell("after", code + 0x2ff, 0);
	tell("cut", code + 0x304, 0);
	puts("end 0 0");
	fflush(stdout);
	pause();
	return 0;
}
