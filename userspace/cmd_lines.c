// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "analysis/line.h"
#include "analysis/lineset.h"
#include "views/views.h"

/*
 * The table of threads is small and still has the cost of evicted lines. The accesses tell where in
 * a line its samples are.
 */
#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD)

static enum exit_status show(struct profile *profile, struct namer *namer,
			     const struct view_options *options, const void *unused)
{
	const struct rows_view view = view_rows(profile, namer, options);

	lineset_unite(&profile->snap, profile->history);
	line_sort(profile->snap.lines, profile->snap.nr_lines, view.word, view.show);
	REPORT_SHOW(lines, options->format, stdout, &view);
	return DONE;
}

static const struct option known[] = {
	{ "sort", required_argument, NULL, OPT_SORT },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static const struct view_words orders = { "no such order", line_order_name, LINE_ORDERS };

static enum exit_status lines_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(LINES, .words = &orders, .word = LINE_BY_COST);

	return view_command(args, &view, TABLES, show);
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
	.options = known,
	.letters = VIEW_LETTERS,
	.run = lines_run,
};
