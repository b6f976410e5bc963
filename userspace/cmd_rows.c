// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl lines, sites, threads, data and dcache: the rows of one of the module's tables. */
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>

#include "analysis/line.h"
#include "analysis/lineset.h"
#include "views/figures.h"
#include "views/views.h"

struct rows_command {
	struct view_options options;
	__u32 tables;
	bool several;		/* --by names one of several tables that are shown without it */
	void (*sort)(struct profile *profile, const struct rows_view *view);	/* NULL: not needed */
	struct json_object *(*show)(FILE *out, enum report_format format,
				    const struct rows_view *view);
};

static enum exit_status show(struct profile *profile, struct namer *namer,
			     const struct view_options *options, const void *context)
{
	const struct rows_command *rows = context;
	struct rows_view view = view_rows(profile, namer, options);
	struct json_object *document;

	if (rows->several)
		view.word = view_tables(options);
	if (rows->sort)
		rows->sort(profile, &view);
	document = rows->show(stdout, options->format, &view);
	if (document)
		json_print(stdout, document);
	return DONE;
}

static enum exit_status rows_run(struct cmd_args *args)
{
	struct view_options options = args->cmd->rows->options;

	if (!view_options_read(args, &options, NULL, NULL))
		return args->status;
	return view_run(&options, args->cmd->rows->tables, show, args->cmd->rows);
}

static const struct option known_sorted[] = {
	{ "sort", required_argument, NULL, OPT_SORT },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static void sort_lines(struct profile *profile, const struct rows_view *view)
{
	lineset_unite(&profile->snap, profile->history);
	line_sort(profile->snap.lines, profile->snap.nr_lines, view->word, view->show);
}

static const struct view_words lines_orders = { "no such order", line_order_name, LINE_ORDERS };

/*
 * The table of threads is small and still has the cost of evicted lines. The accesses tell where in
 * a line its samples are.
 */
static const struct rows_command lines = {
	.options = VIEW_OPTIONS_OF(LINES, .words = &lines_orders, .word = LINE_BY_COST),
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | 1U << MEMLAT_REC_LINE |
		  1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD,
	.sort = sort_lines,
	.show = lines_show,
};

const struct cmd cmd_lines = {
	.name = "lines",
	.summary = "cache lines, the most costly first",
	.help =
"usage: memlat-ctl lines [-i FILE] [-n N] [--sort ORDER] [--json | --csv]\n"
"\n"
"Show cache lines: who loaded and stored them, what they hold, and what that cost.\n"
"\n"
"  --sort ORDER       cost: cycles (the default); hitm: remote and local HITM, then\n"
"                     cost; loads, stores: number of samples\n"
VIEW_HELP_CHAINS
VIEW_HELP_SELECT_ALL
VIEW_HELP
"\n"
"cost is the line's share of sampled latency, weighted by period. HITM counts loads\n"
"served from another core's modified copy, rmt on another socket, lcl on this one. loads\n"
"and stores count samples; est. accesses is how many accesses these stand for. avg and\n"
"max are core cycles of loads. CPUs counts those that used the line. home and phys (with\n"
"start --phys-data) are the node and the address in memory. blk data and blk addr, if\n"
"the CPU reports them, count loads that waited for the data or the address of an earlier\n"
"store. verdict is what the CPUs do to each other on the line; sentences below the table\n"
"explain that of the first line, and memlat-ctl c2c that of each.\n",
	.options = known_sorted,
	.letters = VIEW_LETTERS,
	.run = rows_run,
	.rows = &lines,
};

static void sort_sites(struct profile *profile, const struct rows_view *view)
{
	site_sort(profile->snap.sites, profile->snap.nr_sites, view->word);
}

static const struct view_words sites_orders = { "no such order", site_order_name, SITE_ORDERS };

static const struct rows_command sites = {
	.options = VIEW_OPTIONS_OF(SITES, .words = &sites_orders, .word = SITE_BY_COST),
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | 1U << MEMLAT_REC_SITE |
		  1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD,
	.sort = sort_sites,
	.show = sites_show,
};

const struct cmd cmd_sites = {
	.name = "sites",
	.summary = "instructions, the most costly first",
	.help =
"usage: memlat-ctl sites [-i FILE] [-n N] [--sort ORDER] [--json | --csv]\n"
"\n"
"Show instructions and what their loads waited for.\n"
"\n"
"  --sort ORDER       cost: cycles (the default); hitm: remote and local HITM;\n"
"                     samples: loads and stores; stores\n"
VIEW_HELP_CHAINS
VIEW_HELP_SELECT_SITES
VIEW_HELP
"\n"
"cost is the instruction's share of sampled latency, weighted by period, and ip its\n"
"address in its process. loads and stores count samples; est. accesses is how many\n"
"accesses these stand for. avg and max are core cycles of loads. data is the variable\n"
"or object, and its member, that most of the samples are in. spread is the distance\n"
"from the lowest to the highest address that the instruction used. blk data and blk\n"
"addr, if the CPU reports them, count loads that waited for the data or the address of\n"
"an earlier store. ip after means that this CPU's records name the next instruction.\n",
	.options = known_sorted,
	.letters = VIEW_LETTERS,
	.run = rows_run,
	.rows = &sites,
};

static const struct option known_threads[] = {
	{ "by", required_argument, NULL, OPT_BY },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, { 0 }
};

static const struct view_words threads_tables = { "no such table", threads_by_name, THREADS_BY };

static const struct rows_command threads = {
	.options = VIEW_OPTIONS_OF(THREADS, .words = &threads_tables, .word = THREADS_BY_THREAD),
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD |
		  1U << MEMLAT_REC_COUNT,
	.show = threads_show,
};

const struct cmd cmd_threads = {
	.name = "threads",
	.summary = "who waits: threads, processes, cgroups, nodes, CPUs",
	.help =
"usage: memlat-ctl threads [-i FILE] [--by TABLE] [-n N] [--json | --csv]\n"
"\n"
"Show threads and what they waited for, the most costly first, or the same added up.\n"
"\n"
"  --by TABLE         thread (the default), process, cgroup, node or cpu. A thread\n"
"                     that was sampled on several nodes or CPUs is in the row of\n"
"                     that set, because its samples are not kept apart\n"
"  --comm NAME        only processes of that name; it may have * and ?\n"
"  --pid PID          only this process\n"
"  --tid TID          only this thread\n"
"  --cgroup PATH      only processes in this cgroup or below it\n"
VIEW_HELP_SELECT_NODE
VIEW_HELP
"\n"
"cost is the row's share of sampled latency, weighted by period; loads and stores are\n"
"samples, est. accesses what they stand for; avg are core cycles of a load; HITM are\n"
"loads that found the line modified in another core. cgroup is the one that the\n"
"process was in when it was last looked at, or its parent's; - where nobody looked.\n",
	.options = known_threads,
	.letters = VIEW_LETTERS,
	.run = rows_run,
	.rows = &threads,
};

static const char *data_table_name(unsigned int table)
{
	static const char *const names[DATA_TABLES + 1] = {
		[DATA_BY_VARIABLE]	= "variable",
		[DATA_BY_FIELD]		= "field",
		[DATA_BY_SITE]		= "heap",
		[DATA_BY_TYPE]		= "type",
		[DATA_BY_OBJECT]	= "object",
		[DATA_BY_REGION]	= "region",
		[DATA_TABLES]		= "all",
	};

	return names[table];
}

static const struct option known_data[] = {
	{ "by", required_argument, NULL, OPT_BY }, VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static const struct view_words data_tables = { "no such table", data_table_name, DATA_TABLES + 1 };

static const struct rows_command data = {
	.options = VIEW_OPTIONS_OF(ACCESSES, .words = &data_tables, .word = DATA_TABLES),
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD,
	.several = true,
	.show = data_show,
};

const struct cmd cmd_data = {
	.name = "data",
	.summary = "what is waited for: variables, fields, heap objects, regions",
	.help =
"usage: memlat-ctl data [-i FILE] [--by TABLE] [-n N] [--json | --csv]\n"
"\n"
"Show loads and stores by the data that they access: tables by variable, by field, by\n"
"where heap objects were allocated, of objects without a symbol by type and one by one,\n"
"and by region of memory.\n"
"\n"
"  --by TABLE         variable, field, heap, type, object, region, or all (the default)\n"
VIEW_HELP_CHAINS
VIEW_HELP_SELECT_ALL
VIEW_HELP
"\n"
"cost is the row's share of sampled latency, weighted by period, and cum. the sum\n"
"of that down to this row. loads and stores count samples; est. accesses is how many\n"
"accesses these stand for. avg and max are core cycles of loads. HITM counts loads served\n"
"from another core's modified copy, rmt on another socket, lcl on this one. who names\n"
"the threads that cost most, each with its part of the row. The instructions that access\n"
"an object on the heap, on a stack or in a mapping show its type, if their program has\n"
"debug information. 'memlat-ctl record --heap' records where heap objects were allocated.\n",
	.options = known_data,
	.letters = VIEW_LETTERS,
	.run = rows_run,
	.rows = &data,
};

static const char *dcache_table_name(unsigned int table)
{
	static const char *const names[DCACHE_BY + 1] = {
		[DCACHE_MODULE]		= "module",
		[DCACHE_FUNCTION]	= "function",
		[DCACHE_LINE]		= "line",
		[DCACHE_INSTRUCTION]	= "instruction",
		[DCACHE_BY]		= "all",
	};

	return names[table];
}

static const struct option known_dcache[] = {
	{ "by", required_argument, NULL, OPT_BY },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static const struct view_words dcache_tables = { "no such table", dcache_table_name, DCACHE_BY + 1 };

static const struct rows_command dcache = {
	.options = VIEW_OPTIONS_OF(SITES, .words = &dcache_tables, .word = DCACHE_BY),
	.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_CORE |
		  1U << MEMLAT_REC_COUNT | 1U << MEMLAT_REC_ACCESS,
	.several = true,
	.show = dcache_show,
};

const struct cmd cmd_dcache = {
	.name = "dcache",
	.summary = "cache misses by module, function, source line, instruction",
	.help =
"usage: memlat-ctl dcache [-i FILE] [--by TABLE] [-n N] [--json | --csv]\n"
"\n"
"Show loads that missed the first-level cache, by the code that executed them: totals,\n"
"then tables by load module, function, source line and instruction, then the code\n"
"around the most costly instructions.\n"
"\n"
"  --by TABLE         module, function, line, instruction, or all (the default)\n"
VIEW_HELP_CHAINS
VIEW_HELP_SELECT_SITES
VIEW_HELP
"\n"
"cost is the row's share of sampled latency, weighted by period, and cum. the sum\n"
"of that down to this row. waiting is how many of the row's loads waited at once, on\n"
"average while CPUs were not idle; latencies overlap, so that is not a share of time.\n"
"hits are sampled loads served from L1; misses are all others, including those that\n"
"found the line on its way (LFB). latency and avg are cycles of the misses. The latency\n"
"buckets say which part of the misses took how long. A function that was inlined has\n"
"its own row, which names the function it was inlined into.\n",
	.options = known_dcache,
	.letters = VIEW_LETTERS,
	.run = rows_run,
	.rows = &dcache,
};
