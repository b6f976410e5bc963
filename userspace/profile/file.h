/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profile file (Documentation/memlat-profile.5): a header, then sections. Each section carries
 * its type, length and checksum. The file takes its name only when it is complete.
 */
#ifndef MEMLAT_PROFILE_FILE_H
#define MEMLAT_PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "profile.h"

#define PROFILE_MAGIC		"MEMLATPF"	/* 8 bytes without a terminating zero */
/* Files of version 1 had no packed records (linux/memlat_records.h). */
#define PROFILE_VERSION		2
#define PROFILE_DEFAULT		"memlat.out"	/* what record writes and -i reads */

#define PROFILE_ERROR_MAX	256

/*
 * Write a whole profile atomically: an older file of that name stays until the new one is complete.
 * Returns 0 or -errno; why says what could not be done.
 */
int profile_write(const struct profile *profile, const char *path,
		  char why[PROFILE_ERROR_MAX]);

/*
 * Read a profile. tables: as in struct snapshot; rows of other tables are checked and not kept.
 * timed: the profile's intervals keep these tables as well. Returns 0 or -errno (-EBADMSG: not a
 * profile, truncated, damaged or newer); why says what is wrong and what would be right. On failure
 * *profile is empty.
 */
int profile_read(struct profile *profile, const char *path, __u32 tables, bool timed,
		 char why[PROFILE_ERROR_MAX]);

/*
 * Add what another profile measured. Processes are told apart by their session, and rows of the
 * same thing are summed. Returns 0, or -EINVAL if the two profiles do not go together (other bucket
 * edges, for example); why says why.
 */
int profile_merge(struct profile *into, const struct profile *other,
		  char why[PROFILE_ERROR_MAX]);

/* A file that gets its name only once it is complete, so that a crash leaves no partial file. */

#define FILE_NEW_WHY_MAX	256

/*
 * The file that this path leads to: the target of a symbolic link, so that the link itself stays.
 * Newly allocated. NULL, with errno and why, if file_new_write() would write no such file.
 */
char *file_new_target(const char *path, char why[FILE_NEW_WHY_MAX]);

/* Write everything to a descriptor and sync it to the disk: 0 or -errno. */
typedef int file_new_writer(int fd, const void *context);

/*
 * Write a whole file that only its owner can read. An older file of that name stays until then. The
 * target of a symbolic link is replaced, and not the link. Returns 0 or -errno; why says what could
 * not be done.
 */
int file_new_write(const char *path, file_new_writer *write, const void *context,
		   char why[FILE_NEW_WHY_MAX]);
/*
 * As file_new_write(), with bytes from memory. shared: the user's umask decides who can read the
 * file.
 */
int file_new_bytes(const char *path, const void *bytes, size_t size, bool shared,
		   char why[FILE_NEW_WHY_MAX]);

#endif
