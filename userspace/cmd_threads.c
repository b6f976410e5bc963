// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "views/threads.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_COUNT)

static enum exit_status show(struct profile *profile, struct namer *namer,
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

	return view_command(args, &options, TABLES, show);
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
