// SPDX-License-Identifier: GPL-2.0
#include "row.h"

#include <stdio.h>
#include <string.h>

#include "../util/source.h"

static const char *const names[MEMLAT_SRC_NR] = {
	[MEMLAT_SRC_UNKNOWN]	= "unknown",
	[MEMLAT_SRC_L1]		= "L1",
	[MEMLAT_SRC_LFB]	= "LFB",
	[MEMLAT_SRC_L2]		= "L2",
	[MEMLAT_SRC_L3]		= "L3",
	[MEMLAT_SRC_L3_SNOOP]	= "L3 snoop",
	[MEMLAT_SRC_L3_HITM]	= "L3 HITM",
	[MEMLAT_SRC_RCACHE]	= "rmt cache",
	[MEMLAT_SRC_RHITM]	= "rmt HITM",
	[MEMLAT_SRC_DRAM]	= "DRAM",
	[MEMLAT_SRC_RDRAM]	= "rmt DRAM",
	[MEMLAT_SRC_PMEM]	= "far mem",
	[MEMLAT_SRC_RPMEM]	= "rmt far mem",
	[MEMLAT_SRC_L4]		= "L4",
	[MEMLAT_SRC_IO]		= "I/O",
	[MEMLAT_SRC_UNC]	= "uncached",
};

const char *level_source_name(enum memlat_source source)
{
	return names[source];
}

const char *level_column_name(enum source_column column)
{
	static const char *const columns[COLUMN_NR] = {
		[COLUMN_L1] = "L1", [COLUMN_NOT_MEMORY] = "not mem", [COLUMN_LFB] = "LFB",
		[COLUMN_L2] = "L2", [COLUMN_L3] = "L3", [COLUMN_L3_FWD] = "L3 fwd",
		[COLUMN_L3_HITM] = "L3 HITM", [COLUMN_RCACHE] = "rmt cache",
		[COLUMN_RHITM] = "rmt HITM", [COLUMN_DRAM] = "DRAM", [COLUMN_RDRAM] = "rmt DRAM",
		[COLUMN_OTHER] = "other",
	};

	return columns[column];
}

/*
 * Does the source get a heading? Sources of every such machine do, and those that this session saw.
 */
static bool headed(enum memlat_source source, const struct machine *machine,
		   const struct snapshot *snap)
{
	__u64 loads[MEMLAT_SRC_NR];

	if (!machine->latency_edge[source])
		return false;
	switch (source) {
	case MEMLAT_SRC_L2:
	case MEMLAT_SRC_L3:
	case MEMLAT_SRC_L3_HITM:
	case MEMLAT_SRC_DRAM:
		return true;
	case MEMLAT_SRC_RHITM:
	case MEMLAT_SRC_RDRAM:
		if (snap->head.status.nodes != 1)
			return true;
		break;
	case MEMLAT_SRC_PMEM:
	case MEMLAT_SRC_RPMEM:
	case MEMLAT_SRC_L4:
		break;
	default:
		return false;
	}
	source_sums(snap->buckets.count, loads);
	return loads[source];
}

/* The row whose upper edge is the nearest: a level cannot be finer than the table's rows. */
static unsigned int nearest_row(const struct snapshot *snap, __u64 edge)
{
	unsigned int row, best = 0;
	__u64 least = ~0ULL;

	for (row = 0; row < MEMLAT_BUCKETS - 1; row++) {
		__u64 at = snap->buckets.edge[row];
		__u64 off = at > edge ? at - edge : edge - at;

		if (off < least) {
			least = off;
			best = row;
		}
	}
	return best;
}

static void name_add(struct level *level, const char *name)
{
	size_t used = strlen(level->name);

	/* "rmt HITM/DRAM" */
	if (!strncmp(level->name, "rmt ", 4) && !strncmp(name, "rmt ", 4))
		name += 4;
	snprintf(level->name + used, sizeof(level->name) - used, "%s%s",
		 used ? "/" : "", name);
}

/* Name the levels that end at this row, by their edges. Returns whether there are any. */
static bool names_at(struct level *level, unsigned int row,
		     const struct machine *machine, const struct snapshot *snap)
{
	__u32 last = 0;
	bool any = false;

	for (;;) {
		unsigned int source, next = MEMLAT_SRC_NR;

		for (source = 0; source < MEMLAT_SRC_NR; source++) {
			__u32 edge = machine->latency_edge[source];

			if (edge <= last || !headed(source, machine, snap) ||
			    nearest_row(snap, edge) != row)
				continue;
			if (next == MEMLAT_SRC_NR || edge < machine->latency_edge[next])
				next = source;
		}
		if (next == MEMLAT_SRC_NR)
			return any;
		/* Sources with the same edge are named together, in the order of the sources. */
		last = machine->latency_edge[next];
		for (source = next; source < MEMLAT_SRC_NR; source++)
			if (machine->latency_edge[source] == last &&
			    headed(source, machine, snap))
				name_add(level, names[source]);
		any = true;
	}
}

static void finish(struct level *level, const struct snapshot *snap)
{
	level->above = level->first ? snap->buckets.edge[level->first - 1] : 0;
	level->to = level->last < MEMLAT_BUCKETS - 1 ?
		    snap->buckets.edge[level->last] : 0;
	if (level->to) {
		snprintf(level->title, sizeof(level->title), "<=%llu", level->to);
		snprintf(level->key, sizeof(level->key), "misses_to_%llu", level->to);
	} else {
		snprintf(level->title, sizeof(level->title), ">%llu", level->above);
		snprintf(level->key, sizeof(level->key), "misses_above_%llu",
			 level->above);
	}
}

void levels_find(struct levels *levels, const struct machine *machine,
		 const struct snapshot *snap)
{
	unsigned int row, first = 0;

	memset(levels, 0, sizeof(*levels));
	levels->measured = machine->edges_measured;
	for (row = 0; row < MEMLAT_SRC_NR; row++)
		levels->known |= headed(row, machine, snap);
	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		struct level *level = &levels->level[levels->nr];
		bool ends = names_at(level, row, machine, snap);

		/* Without any edges, join the table's own rows in pairs. */
		if (!levels->known)
			ends = row % 2;
		if (!ends && row < MEMLAT_BUCKETS - 1)
			continue;
		level->first = first;
		level->last = row;
		finish(level, snap);
		levels->nr++;
		first = row + 1;
	}
}

static unsigned int row_of(const struct snapshot *snap, __u64 latency)
{
	unsigned int row = 0;

	while (row < MEMLAT_BUCKETS - 1 && latency > snap->buckets.edge[row])
		row++;
	return row;
}

static void move_part(__u64 *from, __u64 *left)
{
	__u64 taken = *from < *left ? *from : *left;

	*from -= taken;
	*left -= taken;
}

void levels_misses(const struct snapshot *snap, const __u64 bucket[MEMLAT_BUCKETS],
		   __u64 hits, __u64 hits_latency, __u64 misses[MEMLAT_BUCKETS])
{
	unsigned int at, row;

	memcpy(misses, bucket, MEMLAT_BUCKETS * sizeof(*misses));
	if (!hits)
		return;
	at = row_of(snap, hits_latency / hits);
	move_part(&misses[at], &hits);
	for (row = at; row-- > 0; )
		move_part(&misses[row], &hits);
	for (row = at + 1; row < MEMLAT_BUCKETS; row++)
		move_part(&misses[row], &hits);
}

__u64 level_sum(const struct level *level, const __u64 row[MEMLAT_BUCKETS])
{
	__u64 sum = 0;
	unsigned int i;

	for (i = level->first; i <= level->last; i++)
		sum += row[i];
	return sum;
}
