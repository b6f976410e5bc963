// SPDX-License-Identifier: GPL-2.0
#include "snapshot_rows.h"

#include <assert.h>
#include <stddef.h>

#include "../util/text.h"
#include "snapshot.h"

static int check_line(struct snapshot *snap, void *row)
{
	const struct memlat_rec_line *line = row;

	if (line->addr % MEMLAT_LINE_BYTES)
		return snapshot_broken(snap, "record %llu: line address 0x%llx is not a multiple of %u",
			      snap->records, line->addr, MEMLAT_LINE_BYTES);
	if (line->stores > line->samples)
		return snapshot_broken(snap, "record %llu: a line has more stores than samples",
			      snap->records);
	if (line->xsnp_fwd > line->source[MEMLAT_SRC_L3_SNOOP])
		return snapshot_broken(snap, "record %llu: a line has more forwarded loads than of their source",
			      snap->records);
	return 0;
}

static int check_site(struct snapshot *snap, void *row)
{
	const struct memlat_rec_site *site = row;

	if (site->stores > site->samples)
		return snapshot_broken(snap, "record %llu: a site has more stores than samples",
			      snap->records);
	if (site->xsnp_fwd > site->source[MEMLAT_SRC_L3_SNOOP])
		return snapshot_broken(snap, "record %llu: a site has more forwarded loads than of their source",
			      snap->records);
	/* Views subtract them, for what missed. */
	if (site->source[MEMLAT_SRC_L1] > site->samples - site->stores ||
	    site->latency[MEMLAT_SRC_L1] > site->latency_sum)
		return snapshot_broken(snap, "record %llu: a site has more loads from L1, or more of their latency, than of all",
			      snap->records);
	return 0;
}

static int check_stack(struct snapshot *snap, void *row)
{
	const struct memlat_rec_stack *stack = row;

	if (stack->frames > MEMLAT_STACK_FRAMES || stack->kernel_frames > stack->frames)
		return snapshot_broken(snap, "record %llu: a stack has %u frames, %u of them in the kernel; possible are %u",
			      snap->records, stack->frames, stack->kernel_frames,
			      MEMLAT_STACK_FRAMES);
	return 0;
}

/* types of cores of a machine; the module knows no more than 8 */
#define CORES_MOST	64

static int check_core(struct snapshot *snap, void *row)
{
	struct memlat_rec_core *core = row;

	if (snap->nr_cores == CORES_MOST)
		return snapshot_broken(snap, "record %llu: it has more than %u types of cores",
			      snap->records, CORES_MOST);
	if (snapshot_core(snap, core->core))
		return snapshot_broken(snap, "record %llu is a second record of core %u",
			      snap->records, core->core);
	text_plain(core->model_name, sizeof(core->model_name));
	text_plain(core->model_title, sizeof(core->model_title));
	return 0;
}

static int check_source(struct snapshot *snap, void *row)
{
	const struct memlat_rec_source *source = row;

	if (source->source >= MEMLAT_SRC_NR)
		return snapshot_broken(snap, "record %llu: source %u of a word, known here are %u",
			      snap->records, source->source,
			      (unsigned int)MEMLAT_SRC_NR);
	return 0;
}

static int check_count(struct snapshot *snap, void *row)
{
	const struct memlat_rec_count *count = row;

	if (count->running > count->enabled)
		return snapshot_broken(snap, "record %llu: event %u of CPU %u was counted for longer than it was to be",
			      snap->records, count->event, count->cpu);
	return 0;
}

static int check_stride(struct snapshot *snap, void *row)
{
	const struct memlat_rec_stride *stride = row;

	if (stride->stlb_miss > stride->pairs || stride->new_page > stride->pairs)
		return snapshot_broken(snap, "record %llu: a stride has more STLB misses or new pages than pairs",
			      snap->records);
	if (stride->onward > stride->pairs || stride->turned > stride->pairs - stride->onward)
		return snapshot_broken(snap, "record %llu: a stride goes on and turns more often than it has pairs",
			      snap->records);
	return 0;
}

#define KIND(row_type, row_name, row_names) \
	.name = row_name, .names = row_names, .type = row_type
#define COST_OF(record) \
	.samples = offsetof(struct record, samples), .weight = offsetof(struct record, weight), \
	.cost = offsetof(struct record, cost)
#define EVICTS(record, table) \
	.error = offsetof(struct record, error), \
	.status_rows = offsetof(struct memlat_status, table), \
	.status_evicted = offsetof(struct memlat_status, table##_evicted), \
	.status_error = offsetof(struct memlat_status, table##_error)
#define RANGE(record, first, last) \
	{ offsetof(struct record, first), \
	  offsetof(struct record, last) + sizeof(((struct record *)0)->last) }
#define LATENCY_OF(record) \
	.latency = offsetof(struct record, latency_sum), \
	.latency_most = offsetof(struct record, latency_max)
#define IN_END(table) \
	.end_rows = offsetof(struct memlat_rec_end, table)

const struct row_kind row_kinds[TABLE_NR] = {
	[TABLE_LINES] = {
		KIND(MEMLAT_REC_LINE, "line", "lines"), IN_END(lines),
		.size = sizeof(struct memlat_rec_line),
		.least = offsetof(struct memlat_rec_line, blocked_data),
		COST_OF(memlat_rec_line), EVICTS(memlat_rec_line, lines),
		.sums = {
			RANGE(memlat_rec_line, samples, samples),
			RANGE(memlat_rec_line, latency_sum, latency_sum),
			RANGE(memlat_rec_line, locked, slot_hitm),
			RANGE(memlat_rec_line, stores, slot_store),
			RANGE(memlat_rec_line, blocked_data, store_latency_sum),
		},
		LATENCY_OF(memlat_rec_line),
		.check = check_line,
	},
	[TABLE_SITES] = {
		KIND(MEMLAT_REC_SITE, "site", "sites"), IN_END(sites),
		.size = sizeof(struct memlat_rec_site),
		.least = offsetof(struct memlat_rec_site, blocked_data),
		COST_OF(memlat_rec_site), EVICTS(memlat_rec_site, sites),
		.sums = {
			RANGE(memlat_rec_site, samples, samples),
			RANGE(memlat_rec_site, stores, latency_sum),
			RANGE(memlat_rec_site, weight, cost),
			RANGE(memlat_rec_site, bucket, latency),
			RANGE(memlat_rec_site, blocked_data, store_latency_sum),
		},
		LATENCY_OF(memlat_rec_site),
		.check = check_site,
	},
	[TABLE_ACCESSES] = {
		KIND(MEMLAT_REC_ACCESS, "access", "accesses"), IN_END(accesses),
		.size = sizeof(struct memlat_rec_access),
		.least = offsetof(struct memlat_rec_access, xsnp_fwd),
		COST_OF(memlat_rec_access), EVICTS(memlat_rec_access, accesses),
		.sums = {
			RANGE(memlat_rec_access, samples, samples),
			RANGE(memlat_rec_access, stores, latency_hitm_remote),
			RANGE(memlat_rec_access, weight, cost),
			RANGE(memlat_rec_access, xsnp_fwd, store_xsnp_fwd),
		},
		LATENCY_OF(memlat_rec_access),
	},
	[TABLE_THREADS] = {
		KIND(MEMLAT_REC_THREAD, "thread", "threads"), IN_END(threads),
		.size = sizeof(struct memlat_rec_thread),
		.least = offsetof(struct memlat_rec_thread, first_ns),
		COST_OF(memlat_rec_thread), EVICTS(memlat_rec_thread, threads),
		.sums = {
			RANGE(memlat_rec_thread, samples, samples),
			RANGE(memlat_rec_thread, stores, cost),
		},
	},
	[TABLE_STACKS] = {
		KIND(MEMLAT_REC_STACK, "stack", "stacks"), IN_END(stacks),
		.size = sizeof(struct memlat_rec_stack),
		.least = sizeof(struct memlat_rec_stack),
		COST_OF(memlat_rec_stack),
		.sums = { RANGE(memlat_rec_stack, samples, cost) },
		.check = check_stack,
	},
	[TABLE_CORES] = {
		KIND(MEMLAT_REC_CORE, "core", "cores"), .always = true,
		.size = sizeof(struct memlat_rec_core),
		.least = sizeof(struct memlat_rec_core),
		.sums = { RANGE(memlat_rec_core, loads, stores) },
		.check = check_core,
	},
	[TABLE_SOURCES] = {
		KIND(MEMLAT_REC_SOURCE, "source", "sources"), IN_END(sources),
		.size = sizeof(struct memlat_rec_source),
		.least = sizeof(struct memlat_rec_source),
		.samples = offsetof(struct memlat_rec_source, samples),
		.sums = { RANGE(memlat_rec_source, samples, samples) },
		.check = check_source,
	},
	[TABLE_STRIDES] = {
		KIND(MEMLAT_REC_STRIDE, "stride", "strides"), IN_END(strides),
		.size = sizeof(struct memlat_rec_stride),
		.least = offsetof(struct memlat_rec_stride, onward),
		.samples = offsetof(struct memlat_rec_stride, pairs),
		EVICTS(memlat_rec_stride, strides),
		.sums = {
			RANGE(memlat_rec_stride, pairs, pairs),
			RANGE(memlat_rec_stride, stlb_miss, turned),
		},
		.check = check_stride,
	},
	[TABLE_COUNTS] = {
		KIND(MEMLAT_REC_COUNT, "count", "counts"), .always = true,
		.size = sizeof(struct memlat_rec_count),
		.least = sizeof(struct memlat_rec_count),
		.sums = { RANGE(memlat_rec_count, value, running) },
		.check = check_count,
	},
};

/* Check that the names in snapshot.h and the numbers of rows[] mean the same table. */
#define SAME_PLACE(table, name) \
	static_assert(offsetof(struct snapshot, rows[table].row) == \
		      offsetof(struct snapshot, name), #name)
SAME_PLACE(TABLE_LINES, lines);
SAME_PLACE(TABLE_SITES, sites);
SAME_PLACE(TABLE_ACCESSES, accesses);
SAME_PLACE(TABLE_THREADS, threads);
SAME_PLACE(TABLE_STACKS, stacks);
SAME_PLACE(TABLE_CORES, cores);
SAME_PLACE(TABLE_SOURCES, sources);
SAME_PLACE(TABLE_STRIDES, strides);
SAME_PLACE(TABLE_COUNTS, counts);

void row_figures_add(struct table_sum *sum, enum snapshot_table table, const void *row, __u64 times)
{
	const struct row_kind *kind = &row_kinds[table];

	sum->samples += times * row_figure(row, kind->samples);
	sum->weight += times * row_figure(row, kind->weight);
	sum->cost += times * row_figure(row, kind->cost);
}

void row_sum(struct table_sum *sum, enum snapshot_table table, const void *row)
{
	sum->rows++;
	row_figures_add(sum, table, row, 1);
}

void range_add(void *to, const void *more, struct row_range range, __u64 times)
{
	size_t at;

	for (at = range.from; at < range.to; at += sizeof(__u64)) {
		__u64 sum, one;

		memcpy(&sum, (const char *)to + at, sizeof(sum));
		memcpy(&one, (const char *)more + at, sizeof(one));
		row_put_figure(to, at, sum + times * one);
	}
}

void row_add(enum snapshot_table table, void *to, const void *more, __u64 times)
{
	const struct row_range *sums = row_kinds[table].sums;
	size_t i;

	for (i = 0; i < ROW_RANGES && sums[i].to; i++)
		range_add(to, more, sums[i], times);
}
