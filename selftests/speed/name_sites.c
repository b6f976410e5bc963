// SPDX-License-Identifier: GPL-2.0
/*
 * name_sites FILE [SITES] <ADDRESSES: for each function whose address, in hex, is in stdin, name
 * the operand of one instruction, and print the cost of that. SITES gets the instruction's address,
 * the offset in its object that it accesses, and whether it writes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "names/elf_file.h"
#include "names/operand.h"
#include "names/units.h"
#include "profile/history.h"
#include "profile/profile.h"
#include "util/xalloc.h"

#define FUNCTION_BYTES	64	/* of each that are looked at */
#define RSP		7
#define RIP		16

/* The last operand that is not on the stack. Everything before it has to be followed to it. */
static const struct operand *operand_of(struct elf_files *files, struct elf_file *file, __u64 at,
					__u64 *ip)
{
	const struct operand *found = NULL;
	__u64 end = at + FUNCTION_BYTES;

	for (; at < end; at++) {
		const struct operand *operand = operand_at(files, file, at);

		if (operand && operand->base >= 0 && operand->base != RSP && operand->base != RIP) {
			found = operand;
			*ip = at;
		}
	}
	return found;
}

int main(int argc, char **argv)
{
	struct history_map map = { .path = argc > 1 ? argv[1] : NULL };
	unsigned int sites = 0, typed = 0;
	struct profile profile;
	struct elf_files files = { 0 };
	struct elf_file *file;
	struct pool pool = { 0 };
	FILE *list = argc > 2 ? fopen(argv[2], "w") : NULL;
	struct rusage took;
	uint64_t at;
	__u64 ip = 0;

	if (argc < 2 || argc > 3 || (argc > 2 && !list)) {
		fprintf(stderr, "use: name_sites FILE [SITES] <ADDRESSES\n");
		return 2;
	}
	elf_version(EV_CURRENT);
	profile_init(&profile);
	files.pool = &pool;
	files.profile = &profile;
	file = elf_file_of(&files, 0, &map);
	if (!file || !file->elf || !units_dwarf(&files, file)) {
		fprintf(stderr, "name_sites: no debug information in %s\n", argv[1]);
		return 1;
	}
	while (scanf("%" SCNx64, &at) == 1) {
		const struct operand *operand = operand_of(&files, file, at, &ip);

		sites += operand != NULL;
		typed += operand && operand->type && operand->member;
		if (list && operand && operand->type)
			fprintf(list, "%llx %lld %d\n", ip, (long long)operand->offset, operand->writes);
	}
	if (list && fclose(list))
		return 1;
	getrusage(RUSAGE_SELF, &took);
	printf("%u %u %ld %ld\n", sites, typed,
	       (took.ru_utime.tv_sec + took.ru_stime.tv_sec) * 1000 +
	       (took.ru_utime.tv_usec + took.ru_stime.tv_usec) / 1000, took.ru_maxrss / 1024);
	elf_files_free(&files);
	pool_free(&pool);
	profile_free(&profile);
	return 0;
}
