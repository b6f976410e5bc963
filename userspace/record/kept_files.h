/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs and libraries that are still to be read when nobody can open them any more:
 * deleted, replaced, or in a container that has gone. Each is held open while any process
 * that mapped it lives, and no longer, so that nothing is in the way of an umount; what has no
 * path by then is copied, by its build id.
 */
#ifndef MEMLAT_KEPT_FILES_H
#define MEMLAT_KEPT_FILES_H

#include <stddef.h>

#include <linux/types.h>

#include "../profile/history.h"

struct held_file;

struct kept_files {
	const char *folder;	/* copies: FOLDER/.build-id/xx/yyyy; the caller's */
	struct held_file *held;	/* open ones */
	size_t nr_held, room_held;
	__u8 (*stored)[HISTORY_BUILD_ID_MAX];	/* whose copy is there, or was refused */
	size_t nr_stored, room_stored;
	__u64 bytes;		/* of all copies */
	__u64 copies, lost;	/* how many there are; that found no room */
};

void kept_files_mapped(struct kept_files *files, __u32 pid, const struct history_map *map);
void kept_files_ended(struct kept_files *files, __u32 pid);
/* Close and forget; the copies stay. */
void kept_files_end(struct kept_files *files);
/* Remove the copies of a folder. */
void kept_files_remove(const char *folder);

#endif
