/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug information from the servers that DEBUGINFOD_URLS names, into debuginfod's own
 * cache, where debug_file.h finds it: for what the tables name, and when it is recorded, as a
 * view of a file may write nothing.
 */
#ifndef MEMLAT_DEBUG_FETCH_H
#define MEMLAT_DEBUG_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/profile.h"

struct debug_fetch {
	bool no_library;	/* libdebuginfod.so.1 is not installed */
	bool cancelled;		/* by a signal that is held, SIGINT or SIGTERM */
	size_t fetched, failed;
};

/* profile->history is settled. Without DEBUGINFOD_URLS nothing happens. */
void debug_fetch(const struct profile *profile, struct debug_fetch *done);

#endif
