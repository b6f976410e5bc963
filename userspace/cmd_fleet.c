// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "views/fleet.h"
#include "views/pager.h"

static void show(const struct fleet *fleet, const struct view_options *options)
{
	if (options->format == REPORT_JSON) {
		json_print(stdout, fleet_json(fleet, options->show));
	} else if (options->format == REPORT_CSV) {
		fleet_csv(stdout, fleet, options->show);
	} else {
		view_pager_begin(options);
		fleet_print(stdout, fleet, options->show, out_width());
		pager_end();
	}
}

/* Add one profile at a time, so that only its rows by name stay in memory. */
static bool add_one(struct fleet *fleet, struct view_options *options, const char *path)
{
	const __u32 tables = fleet->by == FLEET_BY_FUNCTION ? 1U << MEMLAT_REC_SITE :
							      1U << MEMLAT_REC_ACCESS;
	struct profile profile;
	struct namer *namer;

	options->file = path;
	if (!view_open(&profile, options, tables | 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_CORE))
		return false;
	namer = namer_new(&profile, options->debug);
	fleet_add(fleet, &profile, namer);
	namer_free(namer);
	profile_free(&profile);
	return true;
}

static const struct option known[] = {
	{ "by", required_argument, NULL, OPT_BY },
	VIEW_FORM_OPTIONS, { 0 }
};

static const struct view_words names = { "rows have no such name", fleet_by_name, FLEET_BYS };

static enum exit_status fleet_run(struct cmd_args *args)
{
	struct view_options options = { .show = VIEW_SHOWN, .words = &names };
	struct fleet fleet;
	bool good = true;

	if (!view_options_read(args, &options, NULL, NULL))
		return args->status;
	if (optind == args->argc) {
		out_complain("fleet: give the profiles\n  memlat-ctl fleet A B C");
		return MISUSED;
	}
	fleet_begin(&fleet, options.word);
	for (; good && optind < args->argc; optind++)
		good = add_one(&fleet, &options, args->argv[optind]);
	if (good) {
		fleet_end_adding(&fleet);
		show(&fleet, &options);
	}
	fleet_free(&fleet);
	return good ? DONE : FAILED;
}

const struct cmd cmd_fleet = {
	.name = "fleet",
	.summary = "profiles of many machines as one table: which types cost most",
	.help =
"usage: memlat-ctl fleet A B... [--by NAME] [-n N] [--json | --csv]\n"
"\n"
"Add up several profiles by name, the most costly first. Machines, boots, processes,\n"
"addresses and builds of the programs may differ.\n"
"\n"
"  --by NAME          type: of the variable or object (the default); variable;\n"
"                     field: of a type, or of a variable; function\n"
"  -n N               show N rows (20); 0: all\n"
"  --json, --csv      for programs: the same figures\n"
"  --no-pager         do not use a pager\n"
"  --debug-path DIRS  folders with separate debug files, colon-separated; each file is\n"
"                     found by its build id\n"
"  -h, --help         this text\n"
"\n"
"cost is the share of all sampled latency, in which a longer profile counts for more.\n"
"% mean is the mean of the shares in each profile, and % most the highest of them.\n"
"profiles counts those that have the name, and builds the different build ids of the\n"
"code that used it.\n",
	.options = known,
	.letters = VIEW_LETTERS,
	.rest = true,
	.run = fleet_run,
};
