// SPDX-License-Identifier: GPL-2.0
#include "snapshot_rows.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "session_counters.h"

/* A call chain's number in one of the snapshots, and its number in the merged one. */
struct renamed {
	__u32 from, to;
};

struct renames {
	struct renamed *stacks;	/* sorted by from */
	size_t nr;
};

#define JOIN(member)	(a->member |= b->member)
#define MOST(member)	(a->member = a->member > b->member ? a->member : b->member)
#define LEAST(member)	(a->member = a->member < b->member ? a->member : b->member)

static void line_join(void *into, const void *row, bool later)
{
	struct memlat_rec_line *a = into;
	const struct memlat_rec_line *b = row;

	JOIN(cpus), JOIN(nodes), JOIN(hitm_nodes), JOIN(shared);
	JOIN(bytes_loaded), JOIN(bytes_stored), JOIN(store_cpus), JOIN(store_nodes);
	if (later || a->home == MEMLAT_NODE_UNKNOWN)
		a->home = b->home == MEMLAT_NODE_UNKNOWN ? a->home : b->home;
	if (later) {
		a->ip = b->ip;
		memcpy(a->comm, b->comm, sizeof(a->comm));
	}
}

static void site_join(void *into, const void *row, bool later)
{
	struct memlat_rec_site *a = into;
	const struct memlat_rec_site *b = row;

	LEAST(addr_min), MOST(addr_max), JOIN(cpus), JOIN(nodes);
	if (later)
		memcpy(a->comm, b->comm, sizeof(a->comm));
}

static void access_join(void *into, const void *row, bool later)
{
	struct memlat_rec_access *a = into;
	const struct memlat_rec_access *b = row;

	JOIN(cpus), JOIN(nodes);
}

static void thread_join(void *into, const void *row, bool later)
{
	struct memlat_rec_thread *a = into;
	const struct memlat_rec_thread *b = row;

	JOIN(cpus), JOIN(nodes);
	/* 0: not known */
	if (b->first_ns && (!a->first_ns || b->first_ns < a->first_ns))
		a->first_ns = b->first_ns;
	if (b->tls_base && (later || !a->tls_base))
		a->tls_base = b->tls_base;
	if (*b->comm && (later || !*a->comm)) {
		memcpy(a->comm, b->comm, sizeof(a->comm));
		a->named_ns = b->named_ns;
	}
}

static void core_join(void *into, const void *row, bool later)
{
	struct memlat_rec_core *a = into;
	const struct memlat_rec_core *b = row;
	unsigned int i;

	for (i = 0; i < MEMLAT_CPU_WORDS; i++)
		JOIN(cpus[i]);
}

/* Join what is no sum. */
static void (*const joins[TABLE_NR])(void *into, const void *row, bool later) = {
	[TABLE_LINES]		= line_join,
	[TABLE_SITES]		= site_join,
	[TABLE_ACCESSES]	= access_join,
	[TABLE_THREADS]		= thread_join,
	[TABLE_CORES]		= core_join,
};

void row_join(enum snapshot_table table, void *into, const void *row, bool later)
{
	const size_t most = row_kinds[table].latency_most;

	row_add(table, into, row, 1);
	if (row_figure(row, most) > row_figure(into, most))
		row_put_figure(into, most, row_figure(row, most));
	if (joins[table])
		joins[table](into, row, later);
}

/*
 * Join another bound with a row's error. An error counts what was missed since the session began,
 * so that of two parts of one session the larger one holds for both.
 */
static void error_join(enum snapshot_table table, void *row, __u64 error, __u64 more, bool one)
{
	const struct row_kind *kind = &row_kinds[table];

	if (!kind->error)
		return;
	if (!one)
		error += more;
	else if (more > error)
		error = more;
	row_put_figure(row, kind->error, error);
}

/* The other snapshot has no such row, but may have evicted it: join its error bound. */
static void error_add(enum snapshot_table table, void *row, const struct snapshot *without, bool one)
{
	const struct row_kind *kind = &row_kinds[table];

	error_join(table, row, row_figure(row, kind->error),
		   row_figure(&without->head.status, kind->status_error), one);
}

/*
 * from: the rows of other, possibly changed. place, if not NULL: the index in into at which each of
 * them ends up.
 */
static void merge_table(struct snapshot *into, const struct snapshot *other,
			enum snapshot_table table, const void *from, bool later, __u32 *place)
{
	const size_t size = row_kinds[table].size, nr_from = other->rows[table].nr;
	const size_t error = row_kinds[table].error;
	const bool one = counters_of_one(&into->head.status, &other->head.status);
	struct snapshot_rows *rows = &into->rows[table];
	size_t known = rows->nr, all = known + nr_from, i;
	unsigned char *met = xcalloc(1, known);
	struct row_index index;

	/* More rows cannot be numbered. That many would take hundreds of GiB. */
	if (all >= NO_ROW)
		xneed(NULL);
	row_index_init(&index, into, table, row_key, all);
	rows->row = xgrow(rows->row, all, &rows->room, size);
	for (i = 0; i < known; i++)
		*row_index_find(&index, row_at(into, table, i)) = (__u32)i;
	for (i = 0; i < nr_from; i++) {
		const void *row = (const char *)from + i * size;
		__u32 *at = row_index_find(&index, row);

		if (*at != NO_ROW) {
			const __u64 was = row_figure(row_at(into, table, *at), error);

			row_join(table, row_at(into, table, *at), row, later);
			error_join(table, row_at(into, table, *at), was, row_figure(row, error), one);
			if (*at < known)
				met[*at] = 1;
		} else {
			*at = (__u32)rows->nr++;
			memcpy(row_at(into, table, *at), row, size);
			error_add(table, row_at(into, table, *at), into, one);
		}
		if (place)
			place[i] = *at;
	}
	for (i = 0; i < known; i++)
		if (!met[i])
			error_add(table, row_at(into, table, i), other, one);
	row_index_free(&index);
	free(met);
}

ORDER_BY(by_from, struct renamed, from)

static void renames_init(struct renames *renames, const struct snapshot *snap)
{
	size_t i;

	renames->nr = snap->nr_stacks;
	renames->stacks = xcalloc(renames->nr, sizeof(*renames->stacks));
	for (i = 0; i < renames->nr; i++)
		renames->stacks[i].from = snap->stacks[i].id;
}

static void rename_accesses(struct renames *renames, struct memlat_rec_access *accesses,
			    size_t nr)
{
	size_t i;

	SORT(renames->stacks, renames->nr, by_from);
	for (i = 0; i < nr; i++) {
		const struct renamed wanted = { .from = accesses[i].stack };
		const struct renamed *found;

		if (!wanted.from)
			continue;
		found = bsearch(&wanted, renames->stacks, renames->nr, sizeof(wanted),
				by_from);
		accesses[i].stack = found ? found->to : 0;
	}
}

/* Number all chains anew: the numbers of both snapshots begin at the same one. */
static void merge_stacks(struct snapshot *into, const struct snapshot *other, bool later,
			 struct renames *mine, struct renames *theirs)
{
	__u32 *place = xcalloc(other->nr_stacks, sizeof(*place));
	size_t i;

	renames_init(mine, into);
	renames_init(theirs, other);
	merge_table(into, other, TABLE_STACKS, other->stacks, later, place);
	for (i = 0; i < mine->nr; i++)
		mine->stacks[i].to = (__u32)i + 1;
	for (i = 0; i < theirs->nr; i++)
		theirs->stacks[i].to = place[i] + 1;
	for (i = 0; i < into->nr_stacks; i++)
		into->stacks[i].id = (__u32)i + 1;
	free(place);
}

static void merge_accesses(struct snapshot *into, const struct snapshot *other, bool later,
			   struct renames *mine, struct renames *theirs)
{
	struct memlat_rec_access *accesses = xcalloc(other->nr_accesses,
						     sizeof(*accesses));

	if (other->nr_accesses)
		memcpy(accesses, other->accesses, other->nr_accesses * sizeof(*accesses));
	rename_accesses(theirs, accesses, other->nr_accesses);
	rename_accesses(mine, into->accesses, into->nr_accesses);
	merge_table(into, other, TABLE_ACCESSES, accesses, later, NULL);
	free(accesses);
}

static void merge_others(struct snapshot *into, const struct snapshot *other, bool later)
{
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++)
		if (table != TABLE_STACKS && table != TABLE_ACCESSES && table != TABLE_COUNTS)
			merge_table(into, other, table, other->rows[table].row, later, NULL);
	/* Counts of one session alone do not measure the samples of both. */
	if (into->head.status.flags & other->head.status.flags & MEMLAT_F_COUNT)
		merge_table(into, other, TABLE_COUNTS, other->counts, later, NULL);
	else
		into->nr_counts = 0;
}

void merge_rows(struct snapshot *into, const struct snapshot *other, bool later)
{
	struct renames mine = { 0 }, theirs = { 0 };

	merge_stacks(into, other, later, &mine, &theirs);
	merge_accesses(into, other, later, &mine, &theirs);
	merge_others(into, other, later);
	free(mine.stacks);
	free(theirs.stacks);
}

void merge_sums(struct snapshot *snap)
{
	unsigned int table;
	size_t row;

	memset(snap->sum, 0, sizeof(snap->sum));
	for (table = 0; table < TABLE_NR; table++)
		for (row = 0; row < snap->rows[table].nr; row++)
			row_sum(&snap->sum[table], table, row_at(snap, table, row));
}
