/* SPDX-License-Identifier: GPL-2.0 */
/* The preload library that notes heap objects, and the folder that it writes to. */
#ifndef MEMLAT_PRELOAD_H
#define MEMLAT_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

/* Beside memlat-ctl, else where install puts it. False: it is nowhere there. */
bool heap_library_find(char path[PATH_MAX]);

struct preload {
	char folder[PATH_MAX];	/* "": none */
	char *environment[3];	/* for the command: NAME=value; NULL ends */
};

/* Make the folder, for us alone. False after saying what is in the way. */
bool preload_begin(struct preload *preload);
/* Remove it and what is in it. */
void preload_end(struct preload *preload);

#endif
