// SPDX-License-Identifier: GPL-2.0
/* Merge the heap logs of two sessions of one run of the kernel. */
#include "heap_internal.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"

/* A process of either log, and its index in the merged log. */
struct entry {
	const struct heap_log *log;
	size_t index;
};

static int by_process(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const struct heap_process *one = &x->log->processes[x->index];
	const struct heap_process *other = &y->log->processes[y->index];

	/*
	 * Programs that a process executes within one tick of the coarse clock have the same time.
	 */
	return order(one->pid, other->pid) ?: order(one->from, other->from) ?:
	       order(one->file, other->file);
}

/* Copy both logs' objects in order. place[log][old index] is the new index. */
static void fill(struct heap_log *log, const struct entry *entries, size_t nr,
		 const struct heap_log *first, size_t *const place[2])
{
	size_t i, k;

	for (i = 0; i < nr; i++)
		place[entries[i].log != first][entries[i].index] = i;
	for (i = 0; i < nr; i++) {
		const struct heap_log *from = entries[i].log;
		const bool later = from != first;
		const struct heap_process *old = &from->processes[entries[i].index];
		struct heap_process *process = &log->processes[i];

		*process = *old;
		process->first = log->nr_objects;
		if (old->parent != HEAP_NO_PARENT)
			process->parent = place[later][old->parent];
		for (k = 0; k < old->nr; k++) {
			struct heap_object *object = &log->objects[log->nr_objects++];

			*object = from->objects[old->first + k];
			if (later)
				object->site += (__u32)first->nr_sites;
		}
	}
}

static void merge(struct heap_log *log, const struct heap_log *one, const struct heap_log *other,
		  struct entry *entries, size_t *const place[2])
{
	size_t nr = 0, i;

	for (i = 0; i < one->nr_processes; i++)
		entries[nr++] = (struct entry){ one, i };
	for (i = 0; i < other->nr_processes; i++)
		entries[nr++] = (struct entry){ other, i };
	SORT(entries, nr, by_process);
	log->processes = xcalloc(nr, sizeof(*log->processes));
	log->objects = xcalloc(one->nr_objects + other->nr_objects, sizeof(*log->objects));
	log->sites = xcalloc(one->nr_sites + other->nr_sites, sizeof(*log->sites));
	log->nr_processes = nr;
	if (one->nr_sites)
		memcpy(log->sites, one->sites, one->nr_sites * sizeof(*log->sites));
	if (other->nr_sites)
		memcpy(log->sites + one->nr_sites, other->sites,
		       other->nr_sites * sizeof(*log->sites));
	log->nr_sites = one->nr_sites + other->nr_sites;
	log->lost = one->lost + other->lost;
	log->cut = one->cut + other->cut;
	fill(log, entries, nr, one, place);
	heap_settle(log);
}

void heap_merge(struct heap_log **into, const struct heap_log *other)
{
	static const struct heap_log none;
	const struct heap_log *one = *into ? *into : &none;
	size_t *const place[2] = {
		xcalloc(one->nr_processes, sizeof(**place)),
		xcalloc(other->nr_processes, sizeof(**place)),
	};
	struct entry *entries = xcalloc(one->nr_processes + other->nr_processes,
					sizeof(*entries));
	struct heap_log *log = xcalloc(1, sizeof(*log));

	merge(log, one, other, entries, place);
	free(place[0]);
	free(place[1]);
	free(entries);
	heap_log_free(*into);
	*into = log;
}
