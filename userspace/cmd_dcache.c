// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>

#include "views/dcache.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_SITE | \
		 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_COUNT | \
		 1U << MEMLAT_REC_ACCESS)

static const char *table_name(unsigned int table)
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

static bool take(void *context, int option)
{
	bool *buckets = context;

	*buckets = !strcmp(optarg, "True");
	return *buckets || !strcmp(optarg, "False") ||
	       cmd_refuse("--latency-buckets", optarg, "give True or False");
}

static enum exit_status show(struct profile *profile, struct namer *namer,
			     const struct view_options *options, const void *context)
{
	const bool *buckets = context;
	const struct dcache_view view = {
		.profile = profile, .namer = namer, .by = view_tables(options),
		.buckets = *buckets, .show = options->show, .width = out_width(),
	};

	REPORT_SHOW(dcache, options->format, stdout, &view);
	return DONE;
}

static const struct option known[] = {
	{ "by", required_argument, NULL, OPT_BY },
	{ "latency-buckets", required_argument, NULL, OPT_LATENCY_BUCKETS },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static const struct view_words tables = { "no such table", table_name, DCACHE_BY + 1 };

static enum exit_status dcache_run(struct cmd_args *args)
{
	struct view_options options = VIEW_OPTIONS_OF(SITES, .words = &tables, .word = DCACHE_BY);
	bool buckets = true;

	if (!view_options_read(args, &options, take, &buckets))
		return args->status;
	return view_run(&options, TABLES, show, &buckets);
}

const struct cmd cmd_dcache = {
	.name = "dcache",
	.summary = "cache misses by module, function, source line, instruction",
	.help =
"usage: memlat-ctl dcache [-i FILE] [--by TABLE] [--latency-buckets False] [-n N]\n"
"                         [--json | --csv]\n"
"\n"
"Show loads that missed the first-level cache, by the code that executed them: totals,\n"
"then tables by load module, function, source line and instruction, then the code\n"
"around the most costly instructions.\n"
"\n"
"  --by TABLE         module, function, line, instruction, or all (the default)\n"
"  --latency-buckets False  leave out the latency buckets (True: the default)\n"
VIEW_HELP_CHAINS
VIEW_HELP_SELECT_SITES
VIEW_HELP
"\n"
"% latency is the row's share of sampled latency, weighted by period, and cum. the sum\n"
"of that down to this row. waiting is how many of the row's loads waited at once, on\n"
"average while CPUs were not idle; latencies overlap, so that is not a share of time.\n"
"hits are sampled loads served from L1; misses are all others, including those that\n"
"found the line on its way (LFB). latency and avg are cycles of the misses. The latency\n"
"buckets say which part of the misses took how long. A function that was inlined has\n"
"its own row, which names the function it was inlined into.\n",
	.options = known,
	.letters = VIEW_LETTERS,
	.run = dcache_run,
};
