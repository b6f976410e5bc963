// SPDX-License-Identifier: GPL-2.0
#include "merge_rows.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../util/xalloc.h"
#include "snapshot_rows.h"

#define NO_ROW	UINT32_MAX

/* The number of a call chain in one of the snapshots, and the one that it gets. */
struct renamed {
	__u32 from, to;
};

struct renames {
	struct renamed *stacks;	/* by from */
	size_t nr;
};

/* Numbers that say which row it is; the rest of the row is added up. */
#define KEY_MAX	(4 + MEMLAT_STACK_FRAMES)

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

static unsigned int line_key(const void *row, __u64 key[KEY_MAX])
{
	const struct memlat_rec_line *line = row;

	key[0] = line->addr;
	key[1] = (__u64)line->space << 32 | line->gen;
	key[2] = line->phys;
	return 3;
}

static void line_add(void *into, const void *row, bool later)
{
	struct memlat_rec_line *a = into;
	const struct memlat_rec_line *b = row;

	ADD(samples), ADD(error), ADD(latency_sum), MOST(latency_max);
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

static unsigned int site_key(const void *row, __u64 key[KEY_MAX])
{
	const struct memlat_rec_site *site = row;

	key[0] = site->ip;
	key[1] = (__u64)site->space << 32 | site->gen;
	return 2;
}

static void site_add(void *into, const void *row, bool later)
{
	struct memlat_rec_site *a = into;
	const struct memlat_rec_site *b = row;

	ADD(samples), ADD(error), ADD(stores), ADD(store_l1_hit), ADD(locked), ADD(stlb_miss);
	ADD(latency_sum), MOST(latency_max), ADD(weight), ADD(cost);
	LEAST(addr_min), MOST(addr_max), JOIN(cpus), JOIN(nodes);
	ADD_EACH(bucket), ADD_EACH(source), ADD_EACH(latency);
	ADD(blocked_data), ADD(blocked_addr), ADD(xsnp_fwd), ADD(not_memory);
	ADD(store_hitm), ADD(store_xsnp_fwd), ADD(store_latency_sum);
	if (later)
		memcpy(a->comm, b->comm, sizeof(a->comm));
}

static unsigned int access_key(const void *row, __u64 key[KEY_MAX])
{
	const struct memlat_rec_access *access = row;

	key[0] = access->addr;
	key[1] = access->ip;
	key[2] = (__u64)access->tgid << 32 | access->gen;
	key[3] = (__u64)access->tid << 32 | access->stack;
	key[4] = access->phys;
	return 5;
}

static void access_add(void *into, const void *row, bool later)
{
	struct memlat_rec_access *a = into;
	const struct memlat_rec_access *b = row;

	(void)later;
	ADD(samples), ADD(error), ADD(stores), ADD(store_l1_hit), ADD(hitm), ADD(rhitm);
	ADD(latency_sum), ADD(latency_hitm), ADD(latency_rhitm), MOST(latency_max);
	ADD(weight), ADD(cost), JOIN(cpus), JOIN(nodes), ADD(xsnp_fwd), ADD(latency_xsnp_fwd);
	ADD(store_hitm), ADD(store_xsnp_fwd);
}

static unsigned int thread_key(const void *row, __u64 key[KEY_MAX])
{
	const struct memlat_rec_thread *thread = row;

	key[0] = thread->tid;
	key[1] = (__u64)thread->tgid << 32 | thread->gen;
	return 2;
}

static void thread_add(void *into, const void *row, bool later)
{
	struct memlat_rec_thread *a = into;
	const struct memlat_rec_thread *b = row;

	ADD(samples), ADD(error), ADD(stores), ADD(hitm), ADD(latency_sum);
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

static unsigned int stack_key(const void *row, __u64 key[KEY_MAX])
{
	const struct memlat_rec_stack *stack = row;

	key[0] = (__u64)stack->tgid << 32 | stack->gen;
	key[1] = (__u64)stack->frames << 32 | stack->kernel_frames;
	memcpy(key + 2, stack->frame, stack->frames * sizeof(*key));
	return 2 + stack->frames;
}

static void stack_add(void *into, const void *row, bool later)
{
	struct memlat_rec_stack *a = into;
	const struct memlat_rec_stack *b = row;

	(void)later;
	ADD(samples), ADD(hitm), ADD(latency_sum), ADD(weight), ADD(cost);
}

static unsigned int core_key(const void *row, __u64 key[KEY_MAX])
{
	key[0] = ((const struct memlat_rec_core *)row)->core;
	return 1;
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

static unsigned int source_key(const void *row, __u64 key[KEY_MAX])
{
	const struct memlat_rec_source *source = row;

	key[0] = (__u64)source->core << 32 | source->word;
	return 1;
}

static void source_add(void *into, const void *row, bool later)
{
	struct memlat_rec_source *a = into;
	const struct memlat_rec_source *b = row;

	(void)later;
	ADD(samples);
}

static unsigned int stride_key(const void *row, __u64 key[KEY_MAX])
{
	const struct memlat_rec_stride *stride = row;

	key[0] = stride->ip;
	key[1] = (__u64)stride->step;
	key[2] = (__u64)stride->space << 32 | stride->gen;
	return 3;
}

static void stride_add(void *into, const void *row, bool later)
{
	struct memlat_rec_stride *a = into;
	const struct memlat_rec_stride *b = row;

	(void)later;
	ADD(pairs), ADD(error), ADD(stlb_miss), ADD(new_page), ADD(latency_sum);
	ADD(onward), ADD(turned);
}

static unsigned int count_key(const void *row, __u64 key[KEY_MAX])
{
	const struct memlat_rec_count *count = row;

	key[0] = (__u64)count->cpu << 32 | (__u32)count->core << 16 | count->event;
	return 1;
}

static void count_add(void *into, const void *row, bool later)
{
	struct memlat_rec_count *a = into;
	const struct memlat_rec_count *b = row;

	(void)later;
	ADD(value), ADD(enabled), ADD(running);
}

static const struct {
	unsigned int (*key)(const void *row, __u64 key[KEY_MAX]);
	void (*add)(void *into, const void *row, bool later);
} merges[TABLE_NR] = {
	[TABLE_LINES] = { line_key, line_add },
	[TABLE_SITES] = { site_key, site_add },
	[TABLE_ACCESSES] = { access_key, access_add },
	[TABLE_THREADS] = { thread_key, thread_add },
	[TABLE_STACKS] = { stack_key, stack_add },
	[TABLE_CORES] = { core_key, core_add },
	[TABLE_SOURCES] = { source_key, source_add },
	[TABLE_STRIDES] = { stride_key, stride_add },
	[TABLE_COUNTS] = { count_key, count_add },
};

/* Which row has which key: places of rows by hash, the next free one where taken. */
struct index {
	__u32 *places;
	size_t mask;
};

static void index_init(struct index *index, size_t rows)
{
	size_t size = 16;

	while (size < 2 * rows)
		size *= 2;
	index->mask = size - 1;
	index->places = xmallocarray(size, sizeof(*index->places));
	memset(index->places, 0xff, size * sizeof(*index->places));
}

/* The place of the row with this key, or the free one where it belongs. */
static __u32 *index_find(const struct index *index, const struct snapshot *snap,
			 enum snapshot_table table, const __u64 *key, unsigned int length)
{
	size_t at = XXH3_64bits(key, length * sizeof(*key)) & index->mask;
	__u64 other[KEY_MAX];

	while (index->places[at] != NO_ROW) {
		const void *row = row_at(snap, table, index->places[at]);

		if (merges[table].key(row, other) == length &&
		    !memcmp(key, other, length * sizeof(*key)))
			break;
		at = (at + 1) & index->mask;
	}
	return &index->places[at];
}

/* One of the two has no such row, but may have evicted it. */
static void error_add(enum snapshot_table table, void *row, const struct snapshot *without)
{
	const struct row_kind *kind = &row_kinds[table];
	__u64 *bound = (void *)((char *)row + kind->error);

	if (kind->error)
		*bound += row_figure(&without->head.status, kind->status_error);
}

/*
 * from: rows of other's, maybe changed. place, when not NULL: which row of into each of
 * these became.
 */
static void merge_table(struct snapshot *into, const struct snapshot *other,
			enum snapshot_table table, const void *from, bool later, __u32 *place)
{
	const size_t size = row_kinds[table].size, nr_from = other->rows[table].nr;
	struct snapshot_rows *rows = &into->rows[table];
	size_t known = rows->nr, all = known + nr_from, i;
	unsigned char *met = xcalloc(1, known);
	struct index index;
	__u64 key[KEY_MAX];

	/* More cannot be numbered; that many would take hundreds of GiB. */
	if (all >= NO_ROW)
		xneed(NULL);
	index_init(&index, all);
	rows->row = xgrow(rows->row, all, &rows->room, size);
	for (i = 0; i < known; i++) {
		unsigned int length = merges[table].key(row_at(into, table, i), key);

		*index_find(&index, into, table, key, length) = (__u32)i;
	}
	for (i = 0; i < nr_from; i++) {
		const void *row = (const char *)from + i * size;
		unsigned int length = merges[table].key(row, key);
		__u32 *at = index_find(&index, into, table, key, length);

		if (*at != NO_ROW) {
			merges[table].add(row_at(into, table, *at), row, later);
			if (*at < known)
				met[*at] = 1;
		} else {
			*at = (__u32)rows->nr++;
			memcpy(row_at(into, table, *at), row, size);
			error_add(table, row_at(into, table, *at), into);
		}
		if (place)
			place[i] = *at;
	}
	for (i = 0; i < known; i++)
		if (!met[i])
			error_add(table, row_at(into, table, i), other);
	free(index.places);
	free(met);
}

static int by_from(const void *a, const void *b)
{
	const struct renamed *one = a, *other = b;

	return one->from < other->from ? -1 : one->from > other->from;
}

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

/* All chains are numbered anew: those of both snapshots begin with the same ones. */
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
	/* What was counted of one alone is no measure of the samples of both. */
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
			row_sum(snap, table, row_at(snap, table, row));
}
