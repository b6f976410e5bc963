// SPDX-License-Identifier: GPL-2.0
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "../profile/snapshot_rows.h"
#include "../util/xalloc.h"

#define PAGE	4096

void import_tables_begin(struct import_tables *tables, struct snapshot *snap, __u64 bytes,
			 __u32 flags)
{
	struct memlat_table *table;
	unsigned int row;

	memset(tables, 0, sizeof(*tables));
	tables->snap = snap;
	memlat_tables_plan(&tables->rows, bytes, flags & MEMLAT_F_CALL_GRAPH,
			   flags & MEMLAT_F_STRIDE, PAGE);
	for (table = tables->rows.table; table < tables->rows.table + MEMLAT_TABLES; table++) {
		/* With calloc(), unused memory stays with the kernel. */
		table->set = xcalloc(table->sets, MEMLAT_TABLE_SET_BYTES);
		table->chunk = xcalloc(table->max_chunks, sizeof(*table->chunk));
	}
	snap->have_head = snap->have_buckets = snap->have_parts = true;
	snap->have_stores = snap->have_raw = true;
	snap->buckets.rows = snap->parts.rows = MEMLAT_BUCKETS;
	snap->buckets.sources = snap->stores.sources = MEMLAT_SRC_NR;
	snap->parts.parts = MEMLAT_PART_NR;
	for (row = 0; row < MEMLAT_BUCKETS - 1; row++)
		snap->buckets.edge[row] = memlat_bucket_edge[row];
	tables->core.hdr = (struct memlat_rec_header){ MEMLAT_REC_CORE, sizeof(tables->core) };
}

/* Make room for one more row in chunks, as the module's store does. */
static void make_room(struct memlat_table *table)
{
	if (!memlat_table_room(table) && table->chunks < table->max_chunks)
		table->chunk[table->chunks++] = xmalloc(MEMLAT_TABLE_CHUNK);
}

static void add_part(struct memlat_part_figures *part, const struct memlat_cell *cell)
{
	const unsigned int row = memlat_cell_bucket(cell);

	part->count[row]++;
	part->weight[row] += cell->weight;
	part->latency += cell->latency_sum;
}

static void add_load(struct snapshot *snap, const struct memlat_cell *cell,
		     const struct import_more *more)
{
	struct memlat_status *status = &snap->head.status;
	const unsigned int source = memlat_cell_source(cell), row = memlat_cell_bucket(cell);

	snap->buckets.count[row][source]++;
	snap->buckets.weight[row][source] += cell->weight;
	snap->buckets.latency[source] += cell->latency_sum;
	snap->raw.count[more->word & 0xff]++;
	if (more->use_latency) {
		snap->buckets.cache_latency[source] += cell->latency_sum;
		snap->parts.use_latency[source] += more->use_latency;
		status->cache_latency_sum += cell->latency_sum;
		status->use_latency_sum += more->use_latency;
	}
	if (cell->flags & MEMLAT_CELL_XSNP_FWD)
		add_part(&snap->parts.part[MEMLAT_PART_XSNP_FWD], cell);
	if (cell->flags & MEMLAT_CELL_NOT_MEMORY)
		add_part(&snap->parts.part[MEMLAT_PART_NOT_MEMORY], cell);
	status->blocked_data += !!(cell->flags & MEMLAT_CELL_BLOCKED_DATA);
	status->blocked_addr += !!(cell->flags & MEMLAT_CELL_BLOCKED_ADDR);
	status->loads++;
	status->weight_loads += cell->weight;
	status->latency_sum += cell->latency_sum;
	memlat_raise(&status->latency_max, cell->latency_sum);
}

static void add_store(struct snapshot *snap, const struct memlat_cell *cell)
{
	const unsigned int source = memlat_cell_source(cell);

	snap->stores.count[source]++;
	snap->stores.weight[source] += cell->weight;
	snap->stores.latency[source] += cell->latency_sum;
	snap->stores.xsnp_fwd += !!(cell->flags & MEMLAT_CELL_XSNP_FWD);
	snap->head.status.stores++;
	snap->head.status.weight_stores += cell->weight;
}

/*
 * A CPU has few source words, while a damaged file may have many. The surplus counts for the last.
 */
#define WORDS_MAX	1024

static void add_word(struct import_tables *tables, const struct memlat_cell *cell,
		     const struct import_more *more)
{
	struct memlat_rec_source wanted = {
		.hdr = { MEMLAT_REC_SOURCE, sizeof(wanted) }, .word = more->word,
		.source = (__u8)memlat_cell_source(cell), .snoop = more->snoop,
		.flags = more->flags,
	};
	struct snapshot *snap = tables->snap;
	size_t i;

	for (i = 0; i < snap->nr_sources; i++) {
		struct memlat_rec_source *word = &snap->sources[i];

		if (i + 1 < WORDS_MAX && (word->word != wanted.word ||
					  word->source != wanted.source ||
					  word->snoop != wanted.snoop))
			continue;
		word->samples++;
		return;
	}
	ARRAY_GROW(snap->sources, snap->nr_sources + 1, snap->room_sources);
	wanted.samples = 1;
	snap->sources[snap->nr_sources++] = wanted;
}

void import_tables_add(struct import_tables *tables, struct memlat_cell *cell,
		       const struct import_more *more)
{
	struct memlat_batch batch = {
		.cells = 1, .cpu = more->cpu, .node = more->node, .cell = { cell },
	};
	struct memlat_table *const table = tables->rows.table;
	struct memlat_line *line;
	unsigned int i;

	tables->snap->head.status.samples++;
	if (memlat_cell_is_store(cell)) {
		add_store(tables->snap, cell);
	} else {
		add_load(tables->snap, cell, more);
		add_word(tables, cell, more);
	}
	for (i = 0; i < MEMLAT_TABLES; i++)
		make_room(&table[i]);
	if (more->stack)
		batch.stack[0] = memlat_stacks_add(&table[MEMLAT_STACKS], more->stack, cell);
	memlat_threads_add(&table[MEMLAT_THREADS], &batch, 0, more->who);
	memlat_batch_prefetch(&tables->rows, &batch);
	memlat_batch_add(&tables->rows, &batch, &line);
}

void import_tables_neighbour(struct import_tables *tables, struct memlat_step_ip *last, __u64 burst,
			     const struct memlat_cell *cell)
{
	static struct memlat_counts unused;
	static struct memlat_steps steps;
	struct memlat_table *strides = &tables->rows.table[MEMLAT_STRIDES];
	const struct memlat_sample load = {
		.ip = cell->ip, .addr = cell->addr, .tgid = cell->tgid, .gen = cell->gen,
		.latency = (u32)cell->latency_sum,
		.stlb_miss = cell->flags & MEMLAT_CELL_STLB_MISS,
	};

	/* All CPUs share the table, which gets a pair or none, and is empty again. */
	memcpy(steps.ip, last, sizeof(steps.ip));
	steps.burst = burst;
	memlat_steps_load(&steps, &unused, &load);
	memcpy(last, steps.ip, sizeof(steps.ip));
	if (steps.used) {
		make_room(strides);
		memlat_strides_add(strides, &steps.step[steps.place[0]]);
		tables->snap->head.status.pairs++;
	}
	memlat_steps_clear(&steps);
}

static void hand_over(struct snapshot *snap, struct memlat_table *table,
		      enum snapshot_table number)
{
	const struct row_kind *kind = &row_kinds[number];
	struct snapshot_rows *rows = &snap->rows[number];
	__u32 i;

	if (kind->status_rows) {
		row_put_figure(&snap->head.status, kind->status_rows, table->now.used);
		row_put_figure(&snap->head.status, kind->status_evicted, table->now.evicted);
		row_put_figure(&snap->head.status, kind->status_error, table->now.error);
	}
	rows->nr = rows->room = (size_t)table->now.used;
	rows->row = xmallocarray(rows->nr, memlat_table_row_bytes(table->kind));
	for (i = 0; i < table->now.used; i++) {
		memlat_table_read(table->kind, memlat_table_at(table, i), row_at(snap, number, i));
		row_sum(&snap->sum[number], number, row_at(snap, number, i));
	}
	for (i = 0; i < table->chunks; i++)
		free(table->chunk[i]);
	free(table->chunk);
	free(table->set);
}

void import_tables_end(struct import_tables *tables)
{
	struct snapshot *snap = tables->snap;
	struct memlat_status *status = &snap->head.status;
	struct memlat_table *const table = tables->rows.table;
	size_t i;

	status->stacks = table[MEMLAT_STACKS].now.used;
	status->stacks_lost = table[MEMLAT_STACKS].now.evicted;
	snap->have_end = true;
	hand_over(snap, &table[MEMLAT_LINES], TABLE_LINES);
	hand_over(snap, &table[MEMLAT_SITES], TABLE_SITES);
	hand_over(snap, &table[MEMLAT_ACCESSES], TABLE_ACCESSES);
	hand_over(snap, &table[MEMLAT_THREADS], TABLE_THREADS);
	hand_over(snap, &table[MEMLAT_STACKS], TABLE_STACKS);
	hand_over(snap, &table[MEMLAT_STRIDES], TABLE_STRIDES);
	for (i = 0; i < snap->nr_sources; i++)
		row_sum(&snap->sum[TABLE_SOURCES], TABLE_SOURCES, &snap->sources[i]);
	tables->core.loads = status->loads;
	tables->core.stores = status->stores;
	ARRAY_GROW(snap->cores, 1, snap->room_cores);
	snap->cores[0] = tables->core;
	snap->nr_cores = 1;
	row_sum(&snap->sum[TABLE_CORES], TABLE_CORES, &snap->cores[0]);
}
