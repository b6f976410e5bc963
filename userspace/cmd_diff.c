// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"
#include "views/diff.h"

/* The threads' table comes always: it remembers what evicted rows had cost. */
static const __u32 tables[DIFF_BYS] = {
	[DIFF_BY_VARIABLE] = 1U << MEMLAT_REC_ACCESS,
	[DIFF_BY_FUNCTION] = 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_CORE,
	[DIFF_BY_LINE] = 1U << MEMLAT_REC_LINE,
};

struct diff_options {
	struct view_options view;
	enum diff_by by;
	const char *paths[DIFF_SIDES];
};

static bool take_by(void *context, int option)
{
	enum diff_by *by = context;
	char shown[64];
	unsigned int i;

	(void)option;
	for (i = 0; i < DIFF_BYS; i++)
		if (!strcmp(optarg, diff_by_name(i))) {
			*by = i;
			return true;
		}
	text_escape(shown, sizeof(shown), optarg);
	out_complain("--by %s: rows have no such name; give variable, function or line",
		     *shown ? shown : "\"\"");
	return false;
}

static bool options_read(struct diff_options *options, int argc, char **argv,
			 enum exit_status *status)
{
	static const struct option known[] = {
		{ "by", required_argument, NULL, OPT_BY },
		{ "csv", no_argument, NULL, OPT_CSV },
		{ "no-pager", no_argument, NULL, OPT_NO_PAGER },
		{ "debug-path", required_argument, NULL, OPT_DEBUG_PATH },
		CMD_JSON_OPTION, CMD_HELP_OPTION, { 0 }
	};
	struct cmd_args args = {
		.cmd = &cmd_diff, .argc = argc, .argv = argv,
		.letters = ":hn:", .options = known, .rest = true,
	};

	if (!view_options_read(&args, &options->view, take_by, &options->by)) {
		*status = args.status;
		return false;
	}
	*status = MISUSED;
	if (argc - optind != DIFF_SIDES) {
		out_complain("diff: give two profiles, of before and after\n  memlat-ctl diff A B");
		return false;
	}
	memcpy(options->paths, argv + optind, sizeof(options->paths));
	return true;
}

static void show(const struct diff_view *view, enum report_format format)
{
	if (format == REPORT_TEXT)
		diff_print(stdout, view);
	else if (format == REPORT_CSV)
		diff_csv(stdout, view);
	else
		json_print(stdout, diff_json(view));
}

static void compare(const struct diff_options *options,
		    const struct profile profiles[DIFF_SIDES])
{
	struct diff_rows rows;
	struct diff_view view = {
		.rows = &rows, .show = options->view.show, .width = out_width(),
		.profiles = { &profiles[DIFF_BEFORE], &profiles[DIFF_AFTER] },
		.paths = { options->paths[DIFF_BEFORE], options->paths[DIFF_AFTER] },
		.namers = { namer_new(&profiles[DIFF_BEFORE], options->view.debug),
			    namer_new(&profiles[DIFF_AFTER], options->view.debug) },
	};

	diff_rows_find(&rows, options->by, view.profiles, view.namers);
	view_pager_begin(&options->view);
	show(&view, options->view.format);
	view_pager_end();
	diff_rows_free(&rows);
	namer_free(view.namers[DIFF_BEFORE]);
	namer_free(view.namers[DIFF_AFTER]);
}

static enum exit_status diff_run(int argc, char **argv)
{
	struct diff_options options = { .view = VIEW_OPTIONS_DEFAULT };
	struct profile profiles[DIFF_SIDES];
	enum exit_status status;
	unsigned int side;

	if (!options_read(&options, argc, argv, &status))
		return status;
	for (side = 0; side < DIFF_SIDES; side++) {
		options.view.file = options.paths[side];
		if (!view_open(&profiles[side], &options.view, tables[options.by])) {
			while (side--)
				view_close(&profiles[side]);
			return FAILED;
		}
	}
	compare(&options, profiles);
	for (side = 0; side < DIFF_SIDES; side++)
		view_close(&profiles[side]);
	return DONE;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "two profiles side by side: what a fix has changed",
	.help =
"usage: memlat-ctl diff A B [--by NAME] [-n N] [--json | --csv]\n"
"\n"
"What was measured before (A) and after (B) a change, matched by name: addresses,\n"
"processes and machines may differ. The largest change comes first.\n"
"\n"
"  --by NAME          variable: and field (the default)\n"
"                     function: whose instructions waited\n"
"                     line: cache line, by its first variable and where in that it is\n"
"  -n N               show N rows (20); 0: all\n"
"  --json, --csv      for programs: the same figures\n"
"  --no-pager         never through a pager\n"
"  --debug-path DIRS  where separate debug files are, colon-separated\n"
"  -h, --help         this text\n"
"\n"
"cycles/s are the cycles that loads took per second of the session, an estimate by\n"
"weight; change is after less before, left is after as a share of before; cost is\n"
"the row's share of its profile's sampled latency; HITM and samples are counts. What is\n"
"left alone in each profile under one name is taken for the same in two modules.\n",
	.run = diff_run,
};
