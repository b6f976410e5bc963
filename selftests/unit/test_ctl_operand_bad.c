// SPDX-License-Identifier: GPL-2.0
/* Types of operands from damaged files and absurd numbers: wrong or none, and no endless work. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl_named.h"

#include "names/elf_file.h"
#include "names/operand.h"
#include "names/operand_track.h"

#define DAMAGED		200

/* Write the file with some bytes changed, the same ones in each run. */
static void damage(const unsigned char *bytes, size_t size, __u64 *random, const char *path)
{
	unsigned char *copy = malloc(size);
	FILE *file = fopen(path, "we");
	unsigned int i;

	assert_non_null(copy);
	assert_non_null(file);
	memcpy(copy, bytes, size);
	/* Not the header, because without it nothing is read. */
	for (i = 0; i < 24; i++) {
		*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
		copy[64 + (*random >> 33) % (size - 64)] ^= 1U << (*random >> 29 & 7);
	}
	assert_int_equal(fwrite(copy, 1, size, file), size);
	fclose(file);
	free(copy);
}

/* Numbers of registers may have any value, and wrap. */
TEST(far_numbers)
{
	static const __s64 far[] = { INT64_MIN, INT64_MIN + 1, -8, 0, 8, INT64_MAX };
	struct operand_types types = { 0 };
	size_t i, k;

	for (i = 0; i < sizeof(far) / sizeof(far[0]); i++)
		for (k = 0; k < sizeof(far) / sizeof(far[0]); k++) {
			struct value a = value_number(far[i]), b = value_number(far[k]);
			struct value pointer = value_pointer(1, far[i]);

			assert_true(value_meet(&types, a, b).kind == VALUE_NUMBER ||
				    value_meet(&types, a, b).kind == VALUE_UNKNOWN);
			pointer.step = 8;
			assert_int_equal(value_includes(&pointer, 1, far[k]),
					 (((__u64)far[i] - (__u64)far[k]) & 7) == 0);
			value_add(a, b);
			value_times(a, far[k]);
		}
}

/* A damaged file has wrong names or none. It neither ends the program nor takes endless time. */
TEST(damaged)
{
	char path[] = "/tmp/memlat-operand.XXXXXX";
	unsigned char *bytes;
	__u64 random = 24;
	unsigned int i;
	FILE *from = fopen(named_file("operands-gcc2"), "re");
	size_t size;
	int fd = mkstemp(path);

	assert_non_null(from);
	assert_true(fd >= 0);
	close(fd);
	fseek(from, 0, SEEK_END);
	size = (size_t)ftell(from);
	rewind(from);
	bytes = malloc(size);
	assert_int_equal(fread(bytes, 1, size, from), size);
	fclose(from);
	for (i = 0; i < DAMAGED; i++) {
		struct history_map map = { .path = path };
		struct profile profile;
		struct pool pool = { 0 };
		struct elf_files files = { .pool = &pool, .profile = &profile };
		struct elf_file *file;
		__u64 at;

		damage(bytes, size, &random, path);
		profile_init(&profile);
		file = elf_file_of(&files, 0, &map);
		for (at = 0x1000; file && file->elf && at < 0x2000; at++)
			operand_at(&files, file, at);
		elf_files_free(&files);
		pool_free(&pool);
		profile_free(&profile);
	}
	unlink(path);
	free(bytes);
}
