// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "util/out.h"
#include "views/advise.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_CORE | \
		 1U << MEMLAT_REC_SOURCE | 1U << MEMLAT_REC_COUNT)

enum { OPT_ALL = OPT_OWN };

static bool take(void *context, int option)
{
	bool *all = context;

	if (option != OPT_ALL)
		return false;
	*all = true;
	return true;
}

static void show(struct profile *profile, struct namer *namer, const struct view_options *options,
		 const void *context)
{
	const bool *all = context;
	const struct advise_shown shown = { .all = *all, .width = out_width() };
	struct advise advise;

	advise_take(&advise, profile, namer);
	if (options->format == REPORT_JSON) {
		json_print(stdout, advise_json(&advise));
	} else {
		view_pager_begin(options);
		advise_print(stdout, &advise, &shown);
		namer_print_notes(namer, stdout);
		view_pager_end();
	}
	advise_free(&advise);
}

static enum exit_status advise_run(int argc, char **argv)
{
	static const struct option known[] = {
		{ "all", no_argument, NULL, OPT_ALL },
		{ "input", required_argument, NULL, 'i' },
		{ "no-pager", no_argument, NULL, OPT_NO_PAGER },
		{ "debug-path", required_argument, NULL, OPT_DEBUG_PATH },
		CMD_JSON_OPTION, CMD_HELP_OPTION, { 0 }
	};
	struct cmd_args args = {
		.cmd = &cmd_advise, .argc = argc, .argv = argv, .letters = ":hi:", .options = known,
	};
	struct view_options view = VIEW_OPTIONS_DEFAULT;
	bool all = false;

	if (!view_options_read(&args, &view, take, &all))
		return args.status;
	if (!view.file) {
		out_complain("advise: give a profile with -i that has counts\n"
			     "  memlat-ctl record --counts --type load,store -- COMMAND      writes memlat.out");
		return MISUSED;
	}
	return view_run(&view, TABLES, show, &all);
}

const struct cmd cmd_advise = {
	.name = "advise",
	.summary = "what to change, and how many cycles that would save",
	.help =
"usage: memlat-ctl advise -i FILE [--all] [--json]\n"
"\n"
"What to do against the false sharing of a profile that 'memlat-ctl record --counts'\n"
"wrote, and what it would save: an interval of the CPU cycles, the most certain first.\n"
"A share of latency is no share of time, for a core does other work meanwhile: the\n"
"interval comes from the cycles in which the CPUs stood still, and from whose loads the\n"
"samples say they waited for. Where misses overlap others it is wide, and says so.\n"
"\n"
"For a structure, class or variable whose type is known the declaration is printed that\n"
"ends the fight, with each member's offset before and after.\n"
"\n"
"  --all              what saves less than 1 %, too, and all members of long structures\n"
"  -i, --input FILE   a profile with counts\n"
"  --json             for programs: all of it\n"
"  --no-pager         never through a pager\n"
"  --debug-path DIRS  where separate debug files are, colon-separated\n"
"  -h, --help         this text\n",
	.run = advise_run,
};
