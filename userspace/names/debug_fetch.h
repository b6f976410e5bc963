/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fetch debug information for what the tables name, from the servers that DEBUGINFOD_URLS has. It
 * goes to debuginfod's own cache, where debug_file.h finds it. It is fetched when data is recorded,
 * because a view of a file may write nothing.
 */
#ifndef MEMLAT_DEBUG_FETCH_H
#define MEMLAT_DEBUG_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/profile.h"

struct debug_fetch {
	bool no_library;	/* libdebuginfod.so.1 is not installed */
	bool cancelled;		/* by SIGINT or SIGTERM, which the caller blocks */
	size_t fetched, failed;
};

/* profile->history has to be settled. Without DEBUGINFOD_URLS nothing happens. */
void debug_fetch(const struct profile *profile, struct debug_fetch *done);

#endif
