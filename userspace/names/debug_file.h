/* SPDX-License-Identifier: GPL-2.0 */
/* Debug information that is kept apart from its program. */
#ifndef MEMLAT_DEBUG_FILE_H
#define MEMLAT_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"

/*
 * Where a separate debug file may be: DIR/.build-id/xx/yyyy.debug under the folders
 * given, debuginfod's cache, and what .gnu_debuglink names. Opened once: sets
 * file->debug_elf where there is one that belongs to the file.
 */
void debug_file_look(struct elf_files *files, struct elf_file *file);

/* The program itself by its build id, from the same places. */
bool debug_program_by_id(const char *folders, const __u8 *id, size_t size, char *path,
			 size_t room);

/* A debug file by its build id alone, from the same places. */
bool debug_file_by_id(const char *folders, const __u8 *id, size_t size, char *path,
		      size_t room);

#endif
