/* SPDX-License-Identifier: GPL-2.0 */
/* Listen to all CPUs' rings during a recording: processes and mappings go to a history. */
#ifndef MEMLAT_COLLECT_H
#define MEMLAT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "ring.h"

struct engine;

struct collect {
	struct history *history;
	struct engine *engine;	/* opens the rings, and reads them; NULL: they are of processes */
	/*
	 * The engine's events are of tasks. They stay while a CPU is offline, and hang up when the
	 * task has ended.
	 */
	bool of_tasks;
	const __u64 *only;	/* listen on these CPUs; NULL: on all */
	struct ring *rings;
	size_t nr_rings, room_rings;
	size_t ring_pages;	/* most pages of each ring */
	__u64 online[MEMLAT_CPU_WORDS];
};

/*
 * Begin on all CPUs that are online, or those of the engine, which is set before. Returns 0 or -errno; collect_end() is needed in both cases.
 */
int collect_begin(struct collect *collect, struct history *history, size_t ring_pages);
/* Read all rings. */
void collect_read(struct collect *collect);
/* Open rings for CPUs that came online; *changed tells whether any did. Returns 0 or -errno. */
int collect_look(struct collect *collect, bool *changed);
void collect_end(struct collect *collect);

#endif
