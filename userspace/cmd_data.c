// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "views/data.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD)

static const char *table_name(unsigned int table)
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

static enum exit_status show(struct profile *profile, struct namer *namer,
			     const struct view_options *options, const void *unused)
{
	const struct data_view view = {
		.profile = profile, .namer = namer, .by = view_tables(options),
		.show = options->show, .width = out_width(),
	};

	REPORT_SHOW(data, options->format, stdout, &view);
	return DONE;
}

static const struct option known[] = {
	{ "by", required_argument, NULL, OPT_BY }, VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static const struct view_words tables = { "no such table", table_name, DATA_TABLES + 1 };

static enum exit_status data_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(ACCESSES, .words = &tables, .word = DATA_TABLES);

	return view_command(args, &view, TABLES, show);
}

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
"% latency is the row's share of sampled latency, weighted by period, and cum. the sum\n"
"of that down to this row. loads and stores count samples; est. accesses is how many\n"
"accesses these stand for. avg and max are core cycles of loads. HITM counts loads served\n"
"from another core's modified copy, rmt on another socket, lcl on this one. who names\n"
"the threads that cost most, each with its part of the row. The instructions that access\n"
"an object on the heap, on a stack or in a mapping show its type, if their program has\n"
"debug information. 'memlat-ctl record --heap' records where heap objects were allocated.\n",
	.options = known,
	.letters = VIEW_LETTERS,
	.run = data_run,
};
