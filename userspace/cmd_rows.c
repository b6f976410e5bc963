// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl lines, sites and threads: the rows of one of the module's tables. */
#include "cmd_input.h"

#include <stdio.h>

#include "analysis/line.h"
#include "analysis/lineset.h"
#include "views/threads.h"
#include "views/views.h"

static const struct option known_sorted[] = {
	{ "sort", required_argument, NULL, OPT_SORT },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

/*
 * The table of threads is small and still has the cost of evicted lines. The accesses tell where in
 * a line its samples are.
 */
#define LINES_TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
			 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_ACCESS | \
			 1U << MEMLAT_REC_THREAD)

static enum exit_status show_lines(struct profile *profile, struct namer *namer,
				   const struct view_options *options, const void *unused)
{
	const struct rows_view view = view_rows(profile, namer, options);

	lineset_unite(&profile->snap, profile->history);
	line_sort(profile->snap.lines, profile->snap.nr_lines, view.word, view.show);
	REPORT_SHOW(lines, options->format, stdout, &view);
	return DONE;
}

static const struct view_words lines_orders = { "no such order", line_order_name, LINE_ORDERS };

static enum exit_status lines_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(LINES, .words = &lines_orders,
						   .word = LINE_BY_COST);

	return view_command(args, &view, LINES_TABLES, show_lines);
}

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
	.run = lines_run,
};

#define SITES_TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
			 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD)

static enum exit_status show_sites(struct profile *profile, struct namer *namer,
				   const struct view_options *options, const void *unused)
{
	const struct rows_view view = view_rows(profile, namer, options);

	site_sort(profile->snap.sites, profile->snap.nr_sites, view.word);
	REPORT_SHOW(sites, options->format, stdout, &view);
	return DONE;
}

static const struct view_words sites_orders = { "no such order", site_order_name, SITE_ORDERS };

static enum exit_status sites_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(SITES, .words = &sites_orders,
						   .word = SITE_BY_COST);

	return view_command(args, &view, SITES_TABLES, show_sites);
}

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
	.run = sites_run,
};

#define THREADS_TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_ACCESS | \
			 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_COUNT)

static enum exit_status show_threads(struct profile *profile, struct namer *namer,
				     const struct view_options *options, const void *unused)
{
	const struct rows_view view = view_rows(profile, namer, options);

	REPORT_SHOW(threads, options->format, stdout, &view);
	return DONE;
}

static const struct option known[] = {
	{ "by", required_argument, NULL, OPT_BY },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, { 0 }
};

static const struct view_words tables = { "no such table", threads_by_name, THREADS_BY };

static enum exit_status threads_run(struct cmd_args *args)
{
	struct view_options options = VIEW_OPTIONS_OF(THREADS, .words = &tables,
							   .word = THREADS_BY_THREAD);

	return view_command(args, &options, THREADS_TABLES, show_threads);
}

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
	.options = known,
	.letters = VIEW_LETTERS,
	.run = threads_run,
};
