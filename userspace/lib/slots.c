// SPDX-License-Identifier: GPL-2.0
#include "slots.h"

#include <stdlib.h>
#include <string.h>

#define COVERED_PERCENT	50	/* of a line's samples, to go by its accesses */

/* What accesses to one line have in common: see struct memlat_rec_line. */
static __u64 place(__u64 phys, __u64 addr)
{
	return phys ? phys : addr - addr % MEMLAT_LINE_BYTES;
}

static __u64 place_of(const struct memlat_rec_access *access)
{
	return place(access->phys, access->addr);
}

static int compare(const void *a, const void *b)
{
	__u64 first = place_of(a), second = place_of(b);

	return first < second ? -1 : first > second;
}

void slots_prepare(struct snapshot *snap)
{
	if (snap->nr_accesses)
		qsort(snap->accesses, snap->nr_accesses,
		      sizeof(*snap->accesses), compare);
}

/* The first access at this place or after it. */
static size_t find(const struct snapshot *snap, __u64 where)
{
	size_t low = 0, high = snap->nr_accesses;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (place_of(&snap->accesses[middle]) < where)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_of(const struct memlat_rec_access *access,
		  const struct memlat_rec_line *line)
{
	if (line->phys || access->phys)
		return access->phys == line->phys;
	return !line->space || (access->tgid == line->space &&
				access->gen == line->gen);
}

/* So many of the access's samples, as the accesses that they stand for. */
static __u64 weigh(const struct memlat_rec_access *access, __u64 samples)
{
	return (__u64)((double)access->weight * (double)samples /
		       (double)access->samples);
}

void slots_of_line(const struct snapshot *snap,
		   const struct memlat_rec_line *line, struct line_slots *slots)
{
	const __u64 where = place(line->phys, line->addr);
	__u64 covered = 0;
	size_t i;

	memset(slots, 0, sizeof(*slots));
	for (i = find(snap, where); i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];
		unsigned int slot = access->addr % MEMLAT_LINE_BYTES / 8;

		if (place_of(access) != where)
			break;
		if (!access->samples || !is_of(access, line))
			continue;
		covered += access->samples;
		slots->hitm[slot] += weigh(access, access->hitm + access->rhitm);
		slots->store[slot] += weigh(access, access->stores);
	}
	if ((double)covered >= (double)line->samples / 100 * COVERED_PERCENT)
		return;
	memcpy(slots->hitm, line->slot_hitm, sizeof(slots->hitm));
	memcpy(slots->store, line->slot_store, sizeof(slots->store));
}
