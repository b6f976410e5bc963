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

static bool take_by(void *by, int option)
{
	(void)option;
	return view_take_by(by, table_name, DATA_TABLES);
}

static void show(struct profile *profile, struct namer *namer,
		 const struct view_options *options, const void *by)
{
	const struct data_view view = {
		.profile = profile, .namer = namer, .by = *(const unsigned int *)by,
		.show = options->show, .width = out_width(),
	};

	REPORT_SHOW(data, options->format, stdout, &view);
}

static enum exit_status data_run(int argc, char **argv)
{
	static const struct option known[] = {
		{ "by", required_argument, NULL, OPT_BY }, VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
	};
	struct cmd_args args = {
		.cmd = &cmd_data, .argc = argc, .argv = argv,
		.letters = VIEW_LETTERS, .options = known,
	};
	struct view_options options = VIEW_OPTIONS_OF(ACCESSES);
	unsigned int by = (1U << DATA_TABLES) - 1;

	if (!view_options_read(&args, &options, take_by, &by))
		return args.status;
	return view_run(&options, TABLES, show, &by);
}

const struct cmd cmd_data = {
	.name = "data",
	.summary = "what is waited for: variables, fields, heap objects, regions",
	.help =
"usage: memlat-ctl data [-i FILE] [--by TABLE] [-n N] [--json | --csv]\n"
"\n"
"Loads and stores by what they are loads and stores of: tables by variable, by field,\n"
"by the place where heap objects were allocated, by type and one by one of objects that\n"
"have no symbol, and by region of memory.\n"
"\n"
"  --by TABLE         variable, field, heap, type, object, region, or all (the default)\n"
VIEW_HELP_CHAINS
VIEW_HELP_SELECT_ALL
VIEW_HELP
"\n"
"% latency is the row's share of sampled latency, weighted by period,\n"
"cum. that of the rows down to it; loads and stores are samples, est. accesses what\n"
"they stand for; avg and max are core cycles of loads; HITM are loads served from\n"
"another core's modified copy, rmt on another socket, lcl on this one; who are the\n"
"threads that cost most, each with its part of the row. Types of objects on heap,\n"
"stack and in mappings are told by the instructions that access them, where their program\n"
"has debug information. Where heap objects were allocated is known when\n"
"'memlat-ctl record --heap' noted it.\n",
	.run = data_run,
};
