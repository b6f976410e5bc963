// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "views/summary.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_LINE | \
		 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_COUNT)

static void show(struct profile *profile, struct namer *namer,
		 const struct view_options *options, const void *context)
{
	const struct summary_view view = {
		.profile = profile, .namer = namer, .file = options->file, .width = out_width(),
	};

	(void)context;
	if (options->format == REPORT_TEXT)
		summary_print(stdout, &view);
	else if (options->format == REPORT_CSV)
		summary_csv(stdout, &view);
	else
		json_print(stdout, summary_json(&view));
}

static enum exit_status report_run(int argc, char **argv)
{
	static const struct option known[] = { VIEW_OPTIONS, VIEW_SELECT_TASKS, { 0 } };
	struct view_options options = VIEW_OPTIONS_DEFAULT;
	struct cmd_args args = {
		.cmd = &cmd_report, .argc = argc, .argv = argv,
		.letters = ":hi:", .options = known,
	};

	if (!view_options_read(&args, &options, NULL, NULL))
		return args.status;
	return view_run(&options, TABLES, show, NULL);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "the answer on one screen: how much, from where, the three worst",
	.help =
"usage: memlat-ctl report [-i FILE] [--json | --csv]\n"
"\n"
"How much of the CPUs' busy cycles may be waits for memory, from which sources, the\n"
"three things that cost most, how good the figures are, and what to type next. A thing\n"
"is a cache line that is fought over, or a source line whose loads wait for anything\n"
"else; what a fight costs is not told of again with the code that waits for it.\n"
"\n"
VIEW_HELP_INPUT
VIEW_HELP_FORM
"\n"
"Latencies overlap each other and other work, so their sum is an upper bound of the time\n"
"that was waited. Things with less than 1% of sampled latency, or fewer than 10 samples,\n"
"are left out. Other views have all: c2c, dcache, data.\n",
	.run = report_run,
};
