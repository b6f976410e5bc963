// SPDX-License-Identifier: GPL-2.0
/* Profile files: read, merge, and write again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "profile/file.h"

#define PATH		"profile"

static bool read_profile(struct profile *profile, const uint8_t *data, size_t size)
{
	char why[PROFILE_ERROR_MAX];

	world_file(PATH, data, size);
	if (!profile_read(profile, PATH, 0, false, why))
		return true;
	fuzz_check(*why && !profile->history && !profile->snap.lines);
	return false;
}

/* Check what views rely on without checking it again. */
static void check(const struct snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->nr_stacks; i++)
		fuzz_check(snap->stacks[i].frames <= MEMLAT_STACK_FRAMES &&
			   snap->stacks[i].kernel_frames <= snap->stacks[i].frames);
}

/* Return the contents of the file to which the profile is written. */
static uint8_t *write_profile(const struct profile *profile, size_t *size)
{
	char why[PROFILE_ERROR_MAX], path[512];
	uint8_t *bytes;
	FILE *file;

	snprintf(path, sizeof(path), "%s/again", world_folder());
	world_open();
	if (profile_write(profile, path, why))
		fuzz_wrong("what was read is not written: %s", why);
	file = fopen(path, "r");
	fuzz_check(file && !fseek(file, 0, SEEK_END));
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = fuzz_alloc(*size);
	fuzz_check(fread(bytes, 1, *size, file) == *size);
	fclose(file);
	return bytes;
}

void profile_again(const struct profile *profile, struct profile *again)
{
	uint8_t *first, *second;
	size_t first_size, second_size;

	check(&profile->snap);
	history_check(profile->history);
	first = write_profile(profile, &first_size);
	fuzz_check(read_profile(again, first, first_size));
	second = write_profile(again, &second_size);
	fuzz_equal(first_size, second_size);
	fuzz_check(!memcmp(first, second, first_size));
}

static void take(const uint8_t *data, size_t size)
{
	char why[PROFILE_ERROR_MAX];
	struct profile profile, other;
	size_t first_size;
	uint8_t *first;

	if (!read_profile(&profile, data, size))
		return;
	profile_again(&profile, &other);
	if (!profile_merge(&other, &profile, why)) {
		/* As merge does before it writes. */
		first = write_profile(&other, &first_size);
		profile_free(&other);
		fuzz_check(read_profile(&other, first, first_size));
	} else {
		fuzz_check(*why);
	}
	profile_free(&profile);
	profile_free(&other);
}

void ctl_profile(const uint8_t *data, size_t size)
{
	size_t whole;
	const uint8_t *bytes = profile_unpack(data, size, &whole);

	take(bytes, whole);
	world_open();
}
