/* SPDX-License-Identifier: GPL-2.0 */
/* The preload library that logs heap objects, and the folder to which it writes. */
#ifndef MEMLAT_PRELOAD_H
#define MEMLAT_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

/* Look for the library beside memlat-ctl, then where install puts it. False: it is in neither. */
bool heap_library_find(char path[PATH_MAX]);

struct preload {
	char folder[PATH_MAX];	/* "": none */
	char *environment[3];	/* for the command: NAME=value; NULL ends */
};

/* Make the folder, which only this user can read. False after printing what is in the way. */
bool preload_begin(struct preload *preload);
/* Remove the folder and its contents. */
void preload_end(struct preload *preload);

#endif
