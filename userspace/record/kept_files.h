/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keep programs and libraries readable that nobody can open any more, because they were deleted or
 * replaced, or because their container is gone. Each file is held open as long as a process that
 * mapped it lives, and no longer, so that it blocks no umount. Then a file that cannot be reached
 * by its path is copied, under its build id.
 */
#ifndef MEMLAT_KEPT_FILES_H
#define MEMLAT_KEPT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "../profile/history.h"

struct held_file;

struct kept_files {
	const char *folder;	/* of the copies: FOLDER/.build-id/xx/yyyy; the caller's */
	__u64 most;		/* bytes of all copies */
	struct held_file *held;	/* open files */
	size_t nr_held, room_held;
	__u8 (*stored)[HISTORY_BUILD_ID_MAX];	/* build ids that were copied or refused */
	size_t nr_stored, room_stored;
	__u64 bytes;		/* of all copies */
	__u64 copies, lost;	/* number of copies; number of files for which there was no room */
	bool told;		/* the kernel tells build ids */
	__u32 last_pid;		/* the process of @last */
	struct history_map last;	/* the mapping whose build id was read last; no path */
};

/* Adds the file's build id to the mapping, if the kernel has not told it. */
void kept_files_mapped(struct kept_files *files, __u32 pid, struct history_map *map);
void kept_files_ended(struct kept_files *files, __u32 pid);
/* As if all processes had ended: nothing is held any more. */
void kept_files_end(struct kept_files *files);
/* Remove a folder with the copies in it, or with other files. */
void kept_files_remove(const char *folder);

#endif
