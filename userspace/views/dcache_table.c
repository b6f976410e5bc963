// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "dcache_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/trait.h"
#include "../profile/imported.h"
#include "../util/number.h"
#include "../util/source.h"
#include "row.h"
#include "where.h"

enum which {
	W_SHARE, W_CUMULATIVE, W_WAITING, W_WAITING_TEXT, W_RATE, W_AVERAGE, W_SOURCES,
	W_ESTIMATE, W_INSTRUCTION, W_WHERE, W_LINE, W_MODULE, W_PROCESS
};

static const struct dcache_table *table_of(const void *context)
{
	return context;
}

static struct cell_room *room_of(const struct dcache_table *table)
{
	return report_table_room(&table->table);
}

/*
 * The instruction that made the access. If records hold the next one's address, it is the one
 * before.
 */
static struct cell instruction_cell(const struct dcache_table *table,
				    const struct dcache_row *row)
{
	const struct memlat_rec_site *site = row->site;
	bool after = trait_here(&table->view->profile->snap.head.status,
				MEMLAT_TRAIT_IP_AFTER);
	struct disasm_line lines[2];
	size_t at, nr;

	if (!table->disasm)
		return cell_none();
	nr = disasm_around(table->disasm, site->space, site->gen, site->ip,
			   row->name->raw ? row->name->offset + after : 0, after, 0, lines, &at);
	if (!nr || (after && !at))
		return cell_none();
	return cell_say(room_of(table), "%s", lines[after ? at - 1 : at].text);
}

static struct cell name_cell(const struct dcache_table *table,
			     const struct dcache_row *row, enum which which)
{
	const struct code_name *name = row->name;

	switch (which) {
	case W_INSTRUCTION:
		return instruction_cell(table, row);
	case W_WHERE:
		/* If nothing is known of the code, show its address. */
		if (!name->module && !name->function)
			return cell_number(CELL_HEX, row->site->ip);
		return where_offset(room_of(table), name);
	case W_LINE:
		/* If no line is known, a row of this table is a function. */
		if (!name->file && table->rows.by == DCACHE_LINE)
			return name->function ?
			       cell_say(room_of(table), "(in %s)", name->function) :
			       where_function(room_of(table), name);
		return where_line(room_of(table), name->file, name->line);
	case W_MODULE:
		return name->module && name->deleted ?
		       cell_say(room_of(table), "%s (deleted)", name->module) :
		       cell_text(name->module ? name->module : "(unknown)");
	case W_PROCESS:
		return row_process_cell(room_of(table), row->site->comm, row->site->space, 0);
	default:
		return cell_none();
	}
}

static struct cell figure(const void *context, size_t at, unsigned int which)
{
	const struct dcache_table *table = table_of(context);
	const struct dcache_row *row = &table->rows.rows[at];
	const struct dcache_sum *sum = &row->sum;

	switch ((enum which)which) {
	case W_SHARE:
		return row_cost_cell(&table->whole, sum->cost, sum->hits + sum->misses);
	case W_CUMULATIVE:
		return cell_ratio(CELL_SHARE, row->cost_before + sum->cost,
				  number_whole(table->whole.cost.weight));
	case W_WAITING:
		return cell_ratio(CELL_AVERAGE, scale_up(&table->scale, sum->cost), table->busy);
	case W_WAITING_TEXT:
		return table->busy ? cell_say(room_of(table), "%.2f",
					      (double)scale_up(&table->scale, sum->cost) /
					      (double)table->busy) :
				     cell_none();
	case W_RATE:
		return cell_ratio(CELL_SHARE, sum->misses, sum->hits + sum->misses);
	case W_AVERAGE:
		return cell_ratio(CELL_AVERAGE, sum->latency,
				  imported_timed(&table->view->profile->snap.head.status,
						 sum->misses));
	case W_SOURCES:
		return cell_keep(room_of(table), row_sources(sum->source, sum->part));
	case W_ESTIMATE:
		return cell_count(scale_up(&table->scale, sum->est_misses));
	default:
		return name_cell(table, row, which);
	}
}

static struct cell level_figure(const void *context, size_t at, unsigned int which)
{
	const struct dcache_table *table = table_of(context);
	const struct dcache_sum *sum = &table->rows.rows[at].sum;

	return cell_ratio(CELL_SHARE, level_sum(&table->levels.level[which], sum->bucket),
			  sum->misses);
}

static struct cell source_figure(const void *context, size_t at, unsigned int which)
{
	return cell_count(table_of(context)->rows.rows[at].sum.source[which]);
}

static struct cell code_cell(const void *context, size_t at, unsigned int which)
{
	const struct dcache_table *table = table_of(context);

	return where_cell(room_of(table), table->rows.rows[at].name, which);
}

/* The data that most of the instruction's samples access. */
static struct cell data_cell(const void *context, size_t at, unsigned int which)
{
	return site_data_cell(&table_of(context)->data[at], which);
}

#define ADD(of, ...)		REPORT_ADD(&(of)->table, __VA_ARGS__)
#define COUNT(member)		REPORT_NUMBER(CELL_COUNT, struct dcache_row, member)
#define SITE(kind, member)	REPORT_NUMBER_AT(CELL_ ## kind, struct dcache_row, site, member)

/* Columns for programs. Text shows the same in other columns. */
#define CODE(name, part)	.key = (name), .get_at = code_cell, .which = WHERE_ ## part
#define DATA(name, part)	.key = (name), .get_at = data_cell, .which = SITE_DATA_ ## part

/* The columns that name the row: one or two for people, all of them for programs. */
static void add_names(struct dcache_table *table)
{
	switch (table->rows.by) {
	case DCACHE_INSTRUCTION:
		ADD(table, "ip", NULL, SITE(HEX, ip));
		ADD(table, NULL, "where", true, true, .which = W_WHERE);
		ADD(table, "instruction", "instruction", true, .which = W_INSTRUCTION);
		ADD(table, CODE("function_offset", OFFSET));
		/* fallthrough */
	case DCACHE_LINE:
		ADD(table, NULL, "source line", true, table->rows.by == DCACHE_LINE,
		    .which = W_LINE);
		ADD(table, CODE("file", FILE));
		ADD(table, CODE("line", LINE_NUMBER));
		/* fallthrough */
	case DCACHE_FUNCTION:
		if (table->rows.by != DCACHE_INSTRUCTION)
			ADD(table, CODE(NULL, FUNCTION), .title = "function", .left = true,
			    .keep = table->rows.by == DCACHE_FUNCTION);
		ADD(table, CODE("function", FUNCTION_NAME));
		ADD(table, CODE("inlined_in", INLINED));
		/* fallthrough */
	default:
		ADD(table, NULL, "load module", true, table->rows.by == DCACHE_MODULE,
		    .which = W_MODULE);
		ADD(table, CODE("module", MODULE));
		ADD(table, CODE("path", PATH));
	}
}

static void add_buckets(struct dcache_table *table)
{
	unsigned int i;

	for (i = 0; i < table->levels.nr; i++) {
		const struct level *level = &table->levels.level[i];

		ADD(table, level->key, level->title, .get_at = level_figure, .which = i,
		    .group = "cycles");
	}
}

static void add_sources(struct dcache_table *table)
{
	static char keys[MEMLAT_SRC_NR][24];
	unsigned int i;

	for (i = 0; i < MEMLAT_SRC_NR; i++) {
		snprintf(keys[i], sizeof(keys[i]), "source_%s", source_name(i));
		ADD(table, keys[i], .get_at = source_figure, .which = i);
	}
}

/*
 * The most useful columns first. The name comes directly after the figures for which every terminal
 * has room.
 */
static void add_columns(struct dcache_table *table)
{
	ADD(table, "share", "% latency", false, true, .which = W_SHARE, .bounded = true);
	ADD(table, "cumulative", "cum.", .which = W_CUMULATIVE);
	ADD(table, "loads_waiting", NULL, .which = W_WAITING);
	ADD(table, NULL, table->busy ? "waiting" : NULL, .which = W_WAITING_TEXT);
	ADD(table, "hits", "hits", COUNT(sum.hits));
	ADD(table, "misses", "misses", false, true, COUNT(sum.misses));
	ADD(table, "miss_rate", "miss rate", .which = W_RATE);
	ADD(table, "latency_cycles", "latency cyc", COUNT(sum.latency));
	ADD(table, "latency_avg", "avg cyc", .which = W_AVERAGE);
	add_names(table);
	if (table->rows.by == DCACHE_INSTRUCTION)
		ADD(table, DATA(NULL, TEXT), .title = "data", .left = true);
	if (table->view->buckets)
		add_buckets(table);
	ADD(table, NULL, "served from", true, .which = W_SOURCES);
	ADD(table, "est_misses", "est. misses", .which = W_ESTIMATE);
	ADD(table, "cost_cycles", NULL, COUNT(sum.cost));
	ADD(table, "weight", NULL, COUNT(sum.weight));
	ADD(table, "stores", NULL, COUNT(sum.stores));
	ADD(table, "sites", NULL, COUNT(nr_sites));
	if (table->rows.by == DCACHE_INSTRUCTION) {
		ADD(table, NULL, "process", true, .which = W_PROCESS);
		ADD(table, "pid", NULL, SITE(COUNT, space));
		ADD(table, DATA("data", NAME));
		ADD(table, DATA("data_field", FIELD));
		ADD(table, DATA("data_kind", KIND));
		ADD(table, DATA("data_type", TYPE));
		ADD(table, DATA("data_how", HOW));
		ADD(table, DATA("data_share", SHARE));
	}
	add_sources(table);
}

static struct site_key key_of(const void *table, size_t row)
{
	const struct memlat_rec_site *site = table_of(table)->rows.rows[row].site;

	return (struct site_key){ site->ip, site->space, site->gen };
}

void dcache_table_init(struct dcache_table *table, const struct dcache_view *view,
		       enum dcache_by by)
{
	static const char *const keys[DCACHE_BY] = {
		[DCACHE_MODULE]		= "modules",
		[DCACHE_FUNCTION]	= "functions",
		[DCACHE_LINE]		= "lines",
		[DCACHE_INSTRUCTION]	= "instructions",
	};
	static const char *const titles[DCACHE_BY] = {
		[DCACHE_MODULE]		= "Load modules",
		[DCACHE_FUNCTION]	= "Functions",
		[DCACHE_LINE]		= "Source lines",
		[DCACHE_INSTRUCTION]	= "Instructions",
	};
	const struct profile *profile = view->profile;

	memset(table, 0, sizeof(*table));
	table->view = view;
	row_whole_take(&table->whole, &profile->snap);
	dcache_rows_find(&table->rows, profile, view->namer, by, view->show,
			 view->fold ? &table->whole : NULL);
	if (by == DCACHE_INSTRUCTION) {
		table->disasm = disasm_new(view->namer);
		table->data = site_data_find(profile, view->namer, key_of, table, table->rows.nr,
					     DATA_BY_FIELD);
	}
	scale_compute(&table->scale, &profile->snap);
	table->busy = snapshot_busy(&profile->snap.head.status);
	levels_find(&table->levels, &profile->machine, &profile->snap);
	report_table_begin(&table->table, table, keys[by], titles[by], table->rows.nr,
			   table->rows.total);
	table->table.report.rows = table->rows.rows;
	table->table.report.get_at = figure;
	add_columns(table);
}

void dcache_table_free(struct dcache_table *table)
{
	dcache_rows_free(&table->rows);
	disasm_free(table->disasm);
	free(table->data);
}
