/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profile file (Documentation/memlat-profile.5): a header, then sections that
 * each carry their type, length and checksum. It takes its name when it is whole
 * (file_new.h).
 */
#ifndef MEMLAT_PROFILE_FILE_H
#define MEMLAT_PROFILE_FILE_H

#include <stddef.h>

#include "profile.h"

#define PROFILE_MAGIC		"MEMLATPF"	/* 8 bytes, no end */
/* 1 had no packed records (linux/memlat_records.h). */
#define PROFILE_VERSION		2
#define PROFILE_SUFFIX		".memlat"
#define PROFILE_DEFAULT		"memlat.out"	/* what record writes and -i reads */

#define PROFILE_ERROR_MAX	256

/*
 * Write all of a profile, atomically; an older file of that name stays until then.
 * 0 or -errno, with why saying in words what could not be done.
 */
int profile_write(const struct profile *profile, const char *path,
		  char why[PROFILE_ERROR_MAX]);

/*
 * Read one. tables: as struct snapshot has them; rows of others are checked and
 * left out. 0 or -errno (-EBADMSG: not a profile, broken off, damaged or newer), with
 * why saying what is wrong and what would be right. On failure *profile is empty.
 */
int profile_read(struct profile *profile, const char *path, __u32 tables,
		 char why[PROFILE_ERROR_MAX]);

/* The same; timed: the intervals that it has hold these tables as well. */
int profile_read_timed(struct profile *profile, const char *path, __u32 tables, bool timed,
		       char why[PROFILE_ERROR_MAX]);

/*
 * Add what another profile measured. Processes are told apart by where they came
 * from; what the tables hold of both is summed. 0, or -EINVAL with why saying
 * why the two do not go together (other bucket edges, say).
 */
int profile_merge(struct profile *into, const struct profile *other,
		  char why[PROFILE_ERROR_MAX]);

#endif
