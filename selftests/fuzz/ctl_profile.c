// SPDX-License-Identifier: GPL-2.0
/* Profile files: read, merge, and write again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "profile/file.h"

#define PATH		"profile"

bool profile_open(struct profile *profile, const uint8_t *data, size_t size)
{
	char why[PROFILE_ERROR_MAX];

	world_file(0, PATH, data, size);
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
	fuzz_check(profile_open(again, first, first_size));
	second = write_profile(again, &second_size);
	fuzz_equal(first_size, second_size);
	fuzz_check(!memcmp(first, second, first_size));
}

/* The last sessions of a profile, which a later one has to follow. */
static __u64 all_sessions(const struct profile *profile)
{
	const __u64 first = profile->snap.head.status.started_ns;
	const size_t nr = profile->nr_sessions;

	return nr ? profile->sessions[nr - 1] - profile->sessions[0] + 1 : first + 1 ? 1 : 0;
}

uint8_t *profile_later(struct profile *later, size_t *size)
{
	struct snapshot *snap = &later->snap;
	const __u64 by = all_sessions(later);
	size_t i;

	snap->head.status.started_ns += by;
	for (i = 0; i < later->nr_sessions; i++)
		later->sessions[i] += by;
	for (i = 0; i < snap->nr_sites; i++)
		snap->sites[i].cost /= i + 1;
	for (i = 0; i < snap->nr_accesses; i++)
		snap->accesses[i].cost /= i + 1;
	snap->nr_lines -= snap->nr_lines / 2;
	return write_profile(later, size);
}

/* The caller frees the profile, which is what was written and read after a merge. */
static void merged(struct profile *profile, const struct profile *later)
{
	char why[PROFILE_ERROR_MAX];
	const __u64 samples = profile->snap.head.status.samples + later->snap.head.status.samples;
	size_t size;
	uint8_t *bytes;

	if (profile_merge(profile, later, why)) {
		fuzz_check(*why);
		return;
	}
	fuzz_equal(profile->snap.head.status.samples, samples);
	/* As merge does. */
	bytes = write_profile(profile, &size);
	profile_free(profile);
	fuzz_check(profile_open(profile, bytes, size));
}

static void take(const uint8_t *data, size_t size)
{
	struct profile profile, later;
	size_t later_size;
	uint8_t *bytes;

	if (!profile_open(&profile, data, size))
		return;
	profile_again(&profile, &later);
	bytes = profile_later(&later, &later_size);
	profile_free(&later);
	if (profile_open(&later, bytes, later_size)) {
		merged(&profile, &later);
		profile_free(&later);
	}
	profile_free(&profile);
}

void ctl_profile(const uint8_t *data, size_t size)
{
	size_t whole;
	const uint8_t *bytes = profile_unpack(data, size, &whole);

	take(bytes, whole);
	world_open();
}
