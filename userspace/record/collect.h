/* SPDX-License-Identifier: GPL-2.0 */
/* Who lives and what is mapped while it is recorded: all CPUs' rings into a history. */
#ifndef MEMLAT_COLLECT_H
#define MEMLAT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "ring.h"

struct history;

struct collect {
	struct history *history;
	struct ring *rings;
	size_t nr_rings, room_rings;
	size_t ring_pages;	/* of each at most */
	__u64 online[MEMLAT_CPU_WORDS];
};

/* Begin on all CPUs that are online. 0 or -errno; collect_end() also then. */
int collect_begin(struct collect *collect, struct history *history, size_t ring_pages);
/* Take out what is there. */
void collect_read(struct collect *collect);
/* CPUs that came: begin there too. Sets changed when one came. 0 or -errno. */
int collect_look(struct collect *collect, bool *changed);
void collect_end(struct collect *collect);

/* What one record tells; what is no proper record counts as lost. */
void collect_take(struct history *history, const struct perf_event_header *record);

#endif
