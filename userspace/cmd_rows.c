// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl lines and dcache: the rows of one of the module's tables. */
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>

#include "analysis/line.h"
#include "analysis/lineset.h"
#include "views/figures.h"
#include "views/views.h"

/* What rows of one kind are made of. */
struct rows {
	unsigned int selectable;
	enum snapshot_table table;
	__u32 tables;
	void (*sort)(struct profile *profile, const struct rows_view *view);	/* NULL: not needed */
	struct json_object *(*show)(FILE *out, enum report_format format,
				    const struct rows_view *view);
};

static enum exit_status rows_show(struct profile *profile, const struct view_options *options,
				  const struct rows *rows, const struct rows_view *view)
{
	struct json_object *document;

	if (rows->sort)
		rows->sort(profile, view);
	document = rows->show(stdout, options->format, view);
	if (document)
		json_print(stdout, document);
	return DONE;
}

static void sort_lines(struct profile *profile, const struct rows_view *view)
{
	lineset_unite(&profile->snap, profile->history);
	line_sort(profile->snap.lines, profile->snap.nr_lines, view->word, view->show);
}

/*
 * The table of threads is small and still has the cost of evicted lines. The accesses tell where in
 * a line its samples are.
 */
static const struct rows lines = {
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | 1U << MEMLAT_REC_LINE |
		  1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD,
	.sort = sort_lines,
	.show = lines_show,
};

static enum exit_status show_lines(struct profile *profile, struct namer *namer,
				   const struct view_options *options, const void *unused)
{
	struct rows_view view = view_rows(profile, namer, options);

	view.word = options->sort;
	return rows_show(profile, options, &lines, &view);
}

static enum exit_status lines_run(struct cmd_args *args)
{
	struct view_options options = VIEW_OPTIONS_OF(LINES, .sort = LINE_BY_COST);

	if (!view_options_read(args, &options, NULL, NULL, NULL))
		return args->status;
	return view_run(&options, lines.tables, show_lines, NULL);
}

static const struct cmd_words lines_orders = { "no such order", LINE_ORDERS, .name = line_order_name };

const struct cmd cmd_lines = {
	.name = "lines",
	.summary = "cache lines, the most costly first",
	.usage =
"usage: memlat-ctl lines [-i FILE] [-n N] [--sort ORDER] [--json | --csv]\n"
"\n"
"Show cache lines: who loaded and stored them, what they hold, and what that cost.\n",
	.notes =
"cost is the line's share of sampled latency, weighted by period. HITM counts loads\n"
"served from another core's modified copy, rmt on another socket, lcl on this one. loads\n"
"and stores count samples; est. accesses is how many accesses these stand for. avg and\n"
"max are core cycles of loads. CPUs counts those that used the line. home and phys (with\n"
"start --phys-data) are the node and the address in memory. blk data and blk addr, if\n"
"the CPU reports them, count loads that waited for the data or the address of an earlier\n"
"store. verdict is what the CPUs do to each other on the line; sentences below the table\n"
"explain that of the first line, and memlat-ctl c2c that of each.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(SORT, .text = "cost: cycles (the default); hitm: remote and local HITM, then cost; loads, stores: number of samples",
		  .words = &lines_orders),
		TAKES(CALL_GRAPH), VIEW_ROWS, VIEW_REST, { 0 }
	},
	.run = lines_run,
};

static void sort_sites(struct profile *profile, const struct rows_view *view)
{
	site_sort(profile->snap.sites, profile->snap.nr_sites, view->word);
}

/* Misses by code. */
static const struct rows code = {
	.selectable = SELECT_OF_SITES, .table = TABLE_SITES,
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_CORE |
		  1U << MEMLAT_REC_COUNT | 1U << MEMLAT_REC_ACCESS,
	.show = dcache_show,
};

static const struct rows sites = {
	.selectable = SELECT_OF_SITES, .table = TABLE_SITES,
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | 1U << MEMLAT_REC_SITE |
		  1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD,
	.sort = sort_sites,
	.show = sites_show,
};

static const struct rows data = {
	.selectable = SELECT_OF_ACCESSES, .table = TABLE_ACCESSES,
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD,
	.show = data_show,
};

static const struct rows threads = {
	.selectable = SELECT_OF_THREADS, .table = TABLE_THREADS,
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD |
		  1U << MEMLAT_REC_COUNT,
	.show = threads_show,
};

/* What dcache can group by: rows, and which of their tables; of code and data as bits. */
static const struct {
	const char *name;
	const struct rows *rows;
	unsigned int word;
} groupings[] = {
	{ "all", &code, (1U << DCACHE_BY) - 1 },
	{ "module", &code, 1U << DCACHE_MODULE },
	{ "function", &code, 1U << DCACHE_FUNCTION },
	{ "line", &code, 1U << DCACHE_LINE },
	{ "instruction", &code, 1U << DCACHE_INSTRUCTION },
	{ "site", &sites, 0 },
	{ "data", &data, (1U << DATA_TABLES) - 1 },
	{ "variable", &data, 1U << DATA_BY_VARIABLE },
	{ "field", &data, 1U << DATA_BY_FIELD },
	{ "heap", &data, 1U << DATA_BY_SITE },
	{ "type", &data, 1U << DATA_BY_TYPE },
	{ "object", &data, 1U << DATA_BY_OBJECT },
	{ "region", &data, 1U << DATA_BY_REGION },
	{ "thread", &threads, THREADS_BY_THREAD },
	{ "process", &threads, THREADS_BY_PROCESS },
	{ "cgroup", &threads, THREADS_BY_CGROUP },
	{ "node", &threads, THREADS_BY_NODE },
	{ "cpu", &threads, THREADS_BY_CPU },
};

static const char *grouping_name(unsigned int by)
{
	return groupings[by].name;
}

static void group(struct view_options *options)
{
	const struct rows *rows = groupings[options->by].rows;

	options->selectable = rows->selectable;
	options->table = rows->table;
	options->has_chains = rows->table <= TABLE_ACCESSES;
}

static enum exit_status show_grouped(struct profile *profile, struct namer *namer,
				     const struct view_options *options, const void *context)
{
	const struct rows *rows = context;
	struct rows_view view = view_rows(profile, namer, options);

	view.word = rows == &sites ? options->sort : groupings[options->by].word;
	return rows_show(profile, options, rows, &view);
}

static enum exit_status dcache_run(struct cmd_args *args)
{
	struct view_options options = VIEW_OPTIONS_OF(SITES, .sort = SITE_BY_COST, .grouped = group);
	const struct rows *rows;

	if (!view_options_read(args, &options, NULL, NULL, NULL))
		return args->status;
	rows = groupings[options.by].rows;
	if (!cmd_fits(args, options.sorted && rows != &sites ?
		      "--sort: only --by site has orders to choose from; leave it out" : NULL))
		return MISUSED;
	return view_run(&options, rows->tables, show_grouped, rows);
}

static const struct cmd_words dcache_tables = {
	"no such table", sizeof(groupings) / sizeof(groupings[0]), .name = grouping_name,
};
static const struct cmd_words sites_orders = { "no such order", SITE_ORDERS, .name = site_order_name };

const struct cmd cmd_dcache = {
	.name = "dcache",
	.summary = "who waits, and for what: by code, instruction, data, thread",
	.usage =
"usage: memlat-ctl dcache [-i FILE] [--by WHAT] [-n N] [--json | --csv]\n"
"\n"
"Show loads that missed the first-level cache, by the code that executed them: totals,\n"
"then tables by load module, function, source line and instruction, then the code\n"
"around the most costly instructions. Or all loads and stores by something else.\n",
	.notes =
"cost is the row's share of sampled latency, weighted by period, and cum. the sum of that\n"
"down to this row. By code, waiting is how many of the row's loads waited at once, on\n"
"average while CPUs were not idle; latencies overlap, so that is not a share of time.\n"
"hits are sampled loads served from L1; misses are all others, including those that\n"
"found the line on its way (LFB). latency and avg are cycles of the misses. The latency\n"
"buckets say which part of the misses took how long. A function that was inlined has\n"
"its own row, which names the function it was inlined into.\n"
"\n"
"By anything else, loads and stores are samples, est. accesses what these stand for; avg\n"
"and max are core cycles of loads. HITM counts loads served from another core's modified\n"
"copy, rmt on another socket, lcl on this one. who names the threads that cost most.\n"
"The columns are explained in the manual page.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(BY, .text = "what rows are. all (the default), or one of module, function, line, instruction: misses by code; "
			  "site: instructions with their stores, HITM and what they access; "
			  "data, or one of variable, field, heap, type, object, region: the data; "
			  "thread, process, cgroup, node, cpu: who waits. A thread that was sampled on several nodes or CPUs is in the row of that set",
		  .words = &dcache_tables),
		TAKES(SORT, .text = "with --by site, cost: cycles (the default); hitm: remote and local HITM; samples: loads and stores; stores",
		  .words = &sites_orders),
		TAKES(CALL_GRAPH), VIEW_CODE, TAKES(SELECT_PID), TAKES(SELECT_CGROUP), TAKES(SELECT_NODE),
		TAKES(SELECT_TID, .text = "only rows of this thread: of data and threads"),
		TAKES(SELECT_DATA, .text = "only rows of this variable, object or member, 'stats.*': of data"),
		VIEW_REST, { 0 }
	},
	.run = dcache_run,
};
