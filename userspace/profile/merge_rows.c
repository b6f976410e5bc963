// SPDX-License-Identifier: GPL-2.0
#include "merge_rows.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "row_keys.h"
#include "session_counters.h"
#include "snapshot_rows.h"

/* A call chain's number in one of the snapshots, and its number in the merged one. */
struct renamed {
	__u32 from, to;
};

struct renames {
	struct renamed *stacks;	/* sorted by from */
	size_t nr;
};

static void add_each(__u64 *into, const __u64 *from, unsigned int nr)
{
	while (nr--)
		into[nr] += from[nr];
}

#define ADD(member)	(a->member += b->member)
#define ADD_EACH(member) add_each(a->member, b->member, \
				  sizeof(a->member) / sizeof(a->member[0]))
#define JOIN(member)	(a->member |= b->member)
#define MOST(member)	(a->member = a->member > b->member ? a->member : b->member)
#define LEAST(member)	(a->member = a->member < b->member ? a->member : b->member)

static void line_add(void *into, const void *row, bool later)
{
	struct memlat_rec_line *a = into;
	const struct memlat_rec_line *b = row;

	ADD(samples), ADD(latency_sum), MOST(latency_max);
	ADD(locked), ADD(stlb_miss);
	ADD_EACH(source), ADD_EACH(slot), ADD_EACH(slot_hitm);
	JOIN(cpus), JOIN(nodes), JOIN(hitm_nodes), JOIN(shared);
	ADD(stores), ADD(store_l1_hit), ADD(weight), ADD(cost);
	ADD_EACH(latency), ADD_EACH(slot_store);
	JOIN(bytes_loaded), JOIN(bytes_stored), JOIN(store_cpus), JOIN(store_nodes);
	ADD(blocked_data), ADD(blocked_addr), ADD(xsnp_fwd), ADD(xsnp_fwd_latency);
	ADD_EACH(slot_xsnp_fwd), ADD(not_memory);
	ADD(store_hitm), ADD(store_xsnp_fwd), ADD(store_latency_sum);
	if (later || a->home == MEMLAT_NODE_UNKNOWN)
		a->home = b->home == MEMLAT_NODE_UNKNOWN ? a->home : b->home;
	if (later) {
		a->ip = b->ip;
		memcpy(a->comm, b->comm, sizeof(a->comm));
	}
}

static void site_add(void *into, const void *row, bool later)
{
	struct memlat_rec_site *a = into;
	const struct memlat_rec_site *b = row;

	ADD(samples), ADD(stores), ADD(store_l1_hit), ADD(locked), ADD(stlb_miss);
	ADD(latency_sum), MOST(latency_max), ADD(weight), ADD(cost);
	LEAST(addr_min), MOST(addr_max), JOIN(cpus), JOIN(nodes);
	ADD_EACH(bucket), ADD_EACH(source), ADD_EACH(latency);
	ADD(blocked_data), ADD(blocked_addr), ADD(xsnp_fwd), ADD(not_memory);
	ADD(store_hitm), ADD(store_xsnp_fwd), ADD(store_latency_sum);
	if (later)
		memcpy(a->comm, b->comm, sizeof(a->comm));
}

static void access_add(void *into, const void *row, bool later)
{
	struct memlat_rec_access *a = into;
	const struct memlat_rec_access *b = row;

	(void)later;
	ADD(samples), ADD(stores), ADD(store_l1_hit), ADD(hitm), ADD(rhitm);
	ADD(latency_sum), ADD(latency_hitm), ADD(latency_rhitm), MOST(latency_max);
	ADD(weight), ADD(cost), JOIN(cpus), JOIN(nodes), ADD(xsnp_fwd), ADD(latency_xsnp_fwd);
	ADD(store_hitm), ADD(store_xsnp_fwd);
}

static void thread_add(void *into, const void *row, bool later)
{
	struct memlat_rec_thread *a = into;
	const struct memlat_rec_thread *b = row;

	ADD(samples), ADD(stores), ADD(hitm), ADD(latency_sum);
	ADD(weight), ADD(cost), JOIN(cpus), JOIN(nodes);
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

static void stack_add(void *into, const void *row, bool later)
{
	struct memlat_rec_stack *a = into;
	const struct memlat_rec_stack *b = row;

	(void)later;
	ADD(samples), ADD(hitm), ADD(latency_sum), ADD(weight), ADD(cost);
}

static void core_add(void *into, const void *row, bool later)
{
	struct memlat_rec_core *a = into;
	const struct memlat_rec_core *b = row;
	unsigned int i;

	(void)later;
	ADD(loads), ADD(stores);
	for (i = 0; i < MEMLAT_CPU_WORDS; i++)
		JOIN(cpus[i]);
}

static void source_add(void *into, const void *row, bool later)
{
	struct memlat_rec_source *a = into;
	const struct memlat_rec_source *b = row;

	(void)later;
	ADD(samples);
}

static void stride_add(void *into, const void *row, bool later)
{
	struct memlat_rec_stride *a = into;
	const struct memlat_rec_stride *b = row;

	(void)later;
	ADD(pairs), ADD(stlb_miss), ADD(new_page), ADD(latency_sum);
	ADD(onward), ADD(turned);
}

static void count_add(void *into, const void *row, bool later)
{
	struct memlat_rec_count *a = into;
	const struct memlat_rec_count *b = row;

	(void)later;
	ADD(value), ADD(enabled), ADD(running);
}

static void (*const adds[TABLE_NR])(void *into, const void *row, bool later) = {
	[TABLE_LINES]		= line_add,
	[TABLE_SITES]		= site_add,
	[TABLE_ACCESSES]	= access_add,
	[TABLE_THREADS]		= thread_add,
	[TABLE_STACKS]		= stack_add,
	[TABLE_CORES]		= core_add,
	[TABLE_SOURCES]		= source_add,
	[TABLE_STRIDES]		= stride_add,
	[TABLE_COUNTS]		= count_add,
};

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
	memcpy((char *)row + kind->error, &error, sizeof(error));
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

			adds[table](row_at(into, table, *at), row, later);
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

	qsort(renames->stacks, renames->nr, sizeof(*renames->stacks), by_from);
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

static bool both_counted(const struct snapshot *into, const struct snapshot *other)
{
	return into->head.status.flags & other->head.status.flags & MEMLAT_F_COUNT;
}

static void merge_others(struct snapshot *into, const struct snapshot *other, bool later)
{
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++)
		if (table != TABLE_STACKS && table != TABLE_ACCESSES && table != TABLE_COUNTS)
			merge_table(into, other, table, other->rows[table].row, later, NULL);
	/* Counts of one session alone do not measure the samples of both. */
	if (both_counted(into, other))
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
