/* SPDX-License-Identifier: GPL-2.0 */
/* Find debug information that is kept in a file of its own. */
#ifndef MEMLAT_DEBUG_FILE_H
#define MEMLAT_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/profile.h"
#include "elf_file.h"

/*
 * Look for a file's separate debug file, and open it as file->debug_elf if it belongs to the file.
 * It may be DIR/.build-id/xx/yyyy.debug under the given folders, in debuginfod's cache, or where
 * .gnu_debuglink says. Only the first call looks.
 */
void debug_file_look(struct elf_files *files, struct elf_file *file);

/* Find the program itself by its build id, in the folders and debuginfod's cache. */
bool debug_program_by_id(const char *folders, const __u8 *id, size_t size, char *path,
			 size_t room);

/*
 * Find a file that may be the program in the folders that were given: by its path below a folder,
 * or by its name in it. at counts the tries from 0 on. False: there are no more.
 */
bool debug_program_by_path(const char *folders, const char *program, size_t at, char *path,
			   size_t room);

/* Find a debug file by its build id alone, in the folders and debuginfod's cache. */
bool debug_file_by_id(const char *folders, const __u8 *id, size_t size, char *path,
		      size_t room);

/*
 * Fetch debug information for what the tables name, from the servers that DEBUGINFOD_URLS has. It
 * goes to debuginfod's own cache, where debug_file.h finds it. It is fetched when data is recorded,
 * because a view of a file may write nothing.
 */

struct debug_fetch {
	bool no_library;	/* libdebuginfod.so.1 is not installed */
	bool cancelled;		/* by SIGINT or SIGTERM, which the caller blocks */
	size_t fetched, failed;
};

/* profile->history has to be settled. Without DEBUGINFOD_URLS nothing happens. */
void debug_fetch(const struct profile *profile, struct debug_fetch *done);

#endif
