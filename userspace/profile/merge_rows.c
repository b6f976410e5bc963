// SPDX-License-Identifier: GPL-2.0
#include "merge_rows.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../util/xalloc.h"

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

struct table {
	size_t row_size;
	unsigned int (*key)(const void *row, __u64 key[KEY_MAX]);
	void (*add)(void *into, const void *row, bool later);
	size_t error_offset;	/* of the row's error bound; 0: it has none */
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
static __u32 *index_find(const struct index *index, const struct table *table,
			 const char *rows, const __u64 *key, unsigned int length)
{
	size_t at = XXH3_64bits(key, length * sizeof(*key)) & index->mask;
	__u64 other[KEY_MAX];

	while (index->places[at] != NO_ROW) {
		const char *row = rows + index->places[at] * table->row_size;

		if (table->key(row, other) == length &&
		    !memcmp(key, other, length * sizeof(*key)))
			break;
		at = (at + 1) & index->mask;
	}
	return &index->places[at];
}

struct side {
	void **rows;		/* of into */
	size_t *nr, *room;
	const void *from;	/* of the other */
	size_t nr_from;
	__u64 error, error_from;	/* most that a row which is not there may have had */
};

static void error_add(const struct table *table, void *row, __u64 error)
{
	__u64 *bound = (void *)((char *)row + table->error_offset);

	if (table->error_offset)
		*bound += error;
}

/* place, when not NULL: which row of into each of the other's became. */
static void merge_table(const struct table *table, const struct side *side, bool later,
			__u32 *place)
{
	size_t known = *side->nr, all = known + side->nr_from, i;
	unsigned char *met = xcalloc(1, known);
	struct index index;
	__u64 key[KEY_MAX];
	char *rows;

	/* More cannot be numbered; that many would take hundreds of GiB. */
	if (all >= NO_ROW)
		xneed(NULL);
	index_init(&index, all);
	*side->rows = rows = xgrow(*side->rows, all, side->room, table->row_size);
	for (i = 0; i < known; i++) {
		unsigned int length = table->key(rows + i * table->row_size, key);

		*index_find(&index, table, rows, key, length) = (__u32)i;
	}
	for (i = 0; i < side->nr_from; i++) {
		const char *row = (const char *)side->from + i * table->row_size;
		unsigned int length = table->key(row, key);
		__u32 *at = index_find(&index, table, rows, key, length);

		if (*at != NO_ROW) {
			table->add(rows + *at * table->row_size, row, later);
			if (*at < known)
				met[*at] = 1;
		} else {
			*at = (__u32)(*side->nr)++;
			memcpy(rows + *at * table->row_size, row, table->row_size);
			error_add(table, rows + *at * table->row_size, side->error);
		}
		if (place)
			place[i] = *at;
	}
	for (i = 0; i < known; i++)
		if (!met[i])
			error_add(table, rows + i * table->row_size, side->error_from);
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

/* All chains are numbered anew: those of both snapshots begin with the same ones. */
static void merge_stacks(struct snapshot *into, const struct snapshot *other, bool later,
			 struct renames *mine, struct renames *theirs)
{
	static const struct table table = {
		sizeof(struct memlat_rec_stack), stack_key, stack_add, 0,
	};
	const struct side side = {
		(void **)&into->stacks, &into->nr_stacks, &into->room_stacks,
		other->stacks, other->nr_stacks, 0, 0,
	};
	__u32 *place = xcalloc(other->nr_stacks, sizeof(*place));
	size_t i;

	renames_init(mine, into);
	renames_init(theirs, other);
	merge_table(&table, &side, later, place);
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
	static const struct table table = {
		sizeof(struct memlat_rec_access), access_key, access_add,
		offsetof(struct memlat_rec_access, error),
	};
	struct memlat_rec_access *accesses = xcalloc(other->nr_accesses,
						     sizeof(*accesses));
	const struct side side = {
		(void **)&into->accesses, &into->nr_accesses, &into->room_accesses,
		accesses, other->nr_accesses, into->head.status.accesses_error,
		other->head.status.accesses_error,
	};

	if (other->nr_accesses)
		memcpy(accesses, other->accesses, other->nr_accesses * sizeof(*accesses));
	rename_accesses(theirs, accesses, other->nr_accesses);
	rename_accesses(mine, into->accesses, into->nr_accesses);
	merge_table(&table, &side, later, NULL);
	free(accesses);
}

#define SIDE(name, bound) { \
	(void **)&into->name, &into->nr_##name, &into->room_##name, \
	other->name, other->nr_##name, bound(into), bound(other) }
#define LINES_ERROR(snap)	((snap)->head.status.lines_error)
#define SITES_ERROR(snap)	((snap)->head.status.sites_error)
#define THREADS_ERROR(snap)	((snap)->head.status.threads_error)
#define STRIDES_ERROR(snap)	((snap)->head.status.strides_error)
#define NO_ERROR(snap)		0

static bool both_counted(const struct snapshot *into, const struct snapshot *other)
{
	return into->head.status.flags & other->head.status.flags & MEMLAT_F_COUNT;
}

static void merge_plain(struct snapshot *into, const struct snapshot *other, bool later)
{
	const struct {
		struct table table;
		struct side side;
	} tables[] = {
		{ { sizeof(*into->lines), line_key, line_add,
		    offsetof(struct memlat_rec_line, error) }, SIDE(lines, LINES_ERROR) },
		{ { sizeof(*into->sites), site_key, site_add,
		    offsetof(struct memlat_rec_site, error) }, SIDE(sites, SITES_ERROR) },
		{ { sizeof(*into->threads), thread_key, thread_add,
		    offsetof(struct memlat_rec_thread, error) },
		  SIDE(threads, THREADS_ERROR) },
		{ { sizeof(*into->cores), core_key, core_add, 0 }, SIDE(cores, NO_ERROR) },
		{ { sizeof(*into->sources), source_key, source_add, 0 },
		  SIDE(sources, NO_ERROR) },
		{ { sizeof(*into->strides), stride_key, stride_add,
		    offsetof(struct memlat_rec_stride, error) },
		  SIDE(strides, STRIDES_ERROR) },
		{ { sizeof(*into->counts), count_key, count_add, 0 }, SIDE(counts, NO_ERROR) },
	};
	size_t i, nr = sizeof(tables) / sizeof(tables[0]);

	/* What was counted of one alone is no measure of the samples of both. */
	if (!both_counted(into, other)) {
		into->nr_counts = 0;
		nr--;
	}
	for (i = 0; i < nr; i++)
		merge_table(&tables[i].table, &tables[i].side, later, NULL);
}

void merge_rows(struct snapshot *into, const struct snapshot *other, bool later)
{
	struct renames mine = { 0 }, theirs = { 0 };

	merge_stacks(into, other, later, &mine, &theirs);
	merge_accesses(into, other, later, &mine, &theirs);
	merge_plain(into, other, later);
	free(mine.stacks);
	free(theirs.stacks);
}

#define SUM(table, name) do { \
	struct table_sum *sum = &snap->sum[table]; \
	size_t row; \
	memset(sum, 0, sizeof(*sum)); \
	sum->rows = snap->nr_##name; \
	for (row = 0; row < snap->nr_##name; row++) { \
		sum->samples += snap->name[row].samples; \
		sum->weight += snap->name[row].weight; \
		sum->cost += snap->name[row].cost; \
	} \
} while (0)

void merge_sums(struct snapshot *snap)
{
	size_t i;

	SUM(TABLE_LINES, lines);
	SUM(TABLE_SITES, sites);
	SUM(TABLE_ACCESSES, accesses);
	SUM(TABLE_THREADS, threads);
	SUM(TABLE_STACKS, stacks);
	memset(&snap->sum[TABLE_SOURCES], 0, sizeof(snap->sum[TABLE_SOURCES]));
	snap->sum[TABLE_SOURCES].rows = snap->nr_sources;
	for (i = 0; i < snap->nr_sources; i++)
		snap->sum[TABLE_SOURCES].samples += snap->sources[i].samples;
	memset(&snap->sum[TABLE_STRIDES], 0, sizeof(snap->sum[TABLE_STRIDES]));
	snap->sum[TABLE_STRIDES].rows = snap->nr_strides;
	for (i = 0; i < snap->nr_strides; i++)
		snap->sum[TABLE_STRIDES].samples += snap->strides[i].pairs;
}
