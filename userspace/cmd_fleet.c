// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/privilege.h"
#include "profile/file.h"
#include "util/command.h"
#include "util/order.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "views/fleet.h"
#include "views/quality.h"
#include "views/report.h"

#define SHOWN_MAX	256
#define HEAD_ALONE	(1U << MEMLAT_REC_STATUS)

/* Where one profile of all is written, and the profiles, from args->argv[optind] on. */
struct merge_options {
	const char *output;
	char **inputs;
	int nr_inputs;
};

static void print_fleet(const struct fleet *fleet, const struct view_options *options)
{
	view_pager_begin(options);
	REPORT_SHOW(options->format, stdout, fleet_print(stdout, fleet, options->show, out_width()),
		    fleet_csv(stdout, fleet, options->show), fleet_json(fleet, options->show));
	pager_end();
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

static const struct cmd_words names = { "rows have no such name", FLEET_BYS, .list = fleet_by_names };

static bool profile_of(struct profile *profile, const char *path, __u32 tables)
{
	char why[PROFILE_ERROR_MAX];

	return !profile_read(profile, path, tables, false, why) ||
	       cmd_refuse("cannot read the profile", path, "%s", why);
}

struct input {
	const char *path;
	__u64 began;
};

ORDER_BY(by_time, struct input, began)

/*
 * Sort the inputs by the time of measurement, because what was alive between two sessions is found
 * from the earlier one. For sorting, only the head of the tables is read.
 */
static bool inputs_sort(struct input *inputs, const struct merge_options *options)
{
	int i;

	for (i = 0; i < options->nr_inputs; i++) {
		struct profile profile;

		if (!profile_of(&profile, options->inputs[i], HEAD_ALONE))
			return false;
		inputs[i].path = options->inputs[i];
		inputs[i].began = profile.snap.head.status.started_ns;
		profile_free(&profile);
	}
	qsort(inputs, (size_t)options->nr_inputs, sizeof(*inputs), by_time);
	return true;
}

static bool merge_one(struct profile *all, const char *path)
{
	char shown[SHOWN_MAX], why[PROFILE_ERROR_MAX];
	struct profile profile;
	int ret;

	if (!profile_of(&profile, path, 0))
		return false;
	ret = profile_merge(all, &profile, why);
	profile_free(&profile);
	if (ret)
		out_complain("cannot merge %s with the others: %s",
			     text_typed(shown, sizeof(shown), path), why);
	return !ret;
}

static bool write_all(const struct profile *all, const char *path)
{
	char shown[SHOWN_MAX], why[PROFILE_ERROR_MAX];

	cmd_warn_account(&all->snap);
	if (profile_write(all, path, why))
		return cmd_refuse("cannot write the profile", path, "%s", why);
	quality_print_line(stdout, &all->snap.head.status);
	command_reads("input", path);
	command_say(stdout, "\n%zu sessions in %s      see: memlat-ctl report\n", all->nr_sessions,
		    text_typed(shown, sizeof(shown), path));
	return true;
}

static bool merge(const struct merge_options *options, struct input *inputs)
{
	struct profile all;
	bool good;
	int i;

	privilege_drop(NEED_TO_WRITE);
	if (!inputs_sort(inputs, options) || !profile_of(&all, inputs[0].path, 0))
		return false;
	good = true;
	for (i = 1; i < options->nr_inputs && good; i++)
		good = merge_one(&all, inputs[i].path);
	good = good && write_all(&all, options->output);
	profile_free(&all);
	return good;
}

static enum exit_status merge_run(const struct merge_options *options)
{
	struct input *inputs;
	bool good;

	if (options->nr_inputs < 2) {
		out_complain("fleet -o: give two profiles or more\n  memlat-ctl fleet A B -o C");
		return MISUSED;
	}
	inputs = xcalloc((size_t)options->nr_inputs, sizeof(*inputs));
	good = merge(options, inputs);
	free(inputs);
	return good ? DONE : FAILED;
}

static enum exit_status fleet_run(struct cmd_args *args)
{
	struct view_options options = VIEW_OPTIONS_DEFAULT;
	struct merge_options all = { 0 };
	const struct cmd_sets sets[] = { SETS(OUTPUT, text, all.output), { 0 } };
	struct fleet fleet;
	bool good = true;

	if (!view_options_read(args, &options, sets, NULL, NULL))
		return args->status;
	if (optind == args->argc) {
		out_complain("fleet: give the profiles\n  memlat-ctl fleet A B C");
		return MISUSED;
	}
	if (!cmd_fits(args, all.output && (options.by || options.format || options.show != VIEW_SHOWN) ?
		      "fleet: -o writes a profile and shows no table; leave out the others" : NULL))
		return MISUSED;
	if (all.output) {
		all.inputs = args->argv + optind;
		all.nr_inputs = args->argc - optind;
		return merge_run(&all);
	}
	fleet_begin(&fleet, options.by);
	for (; good && optind < args->argc; optind++)
		good = add_one(&fleet, &options, args->argv[optind]);
	if (good) {
		fleet_end_adding(&fleet);
		print_fleet(&fleet, &options);
	}
	fleet_free(&fleet);
	return good ? DONE : FAILED;
}

const struct cmd cmd_fleet = {
	.name = "fleet",
	.summary = "profiles of many machines as one table: which types cost most",
	.usage =
"usage: memlat-ctl fleet A B... [--by WHAT] [-n N] [--json | --csv]\n"
"       memlat-ctl fleet A B... -o C\n"
"\n"
"Add up several profiles by name, the most costly first. Machines, boots, processes,\n"
"addresses and builds of the programs may differ.\n",
	.notes =
"cost is the share of all sampled latency, in which a longer profile counts for more.\n"
"% mean is the mean of the shares in each profile, and % most the highest of them.\n"
"profiles counts those that have the name, and builds the different build ids of the\n"
"code that used it.\n"
"\n"
"With -o, what the profiles have of the same line, instruction, thread or call chain becomes\n"
"one row. A program that was started again is another process, with its own rows. Intervals\n"
"of 'record --interval' follow one session after the other; a profile without intervals\n"
"counts as one. To compare two profiles, use memlat-ctl diff.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(BY, .text = "type: of the variable or object (the default); variable; field: of a type, or of a variable; function", .words = &names),
		TAKES(OUTPUT, .text = "add them up as one profile, and write this file, which may be one of them. They have to be of one machine between two boots, one after the other, and must have sampled the same"),
		TAKES(ROWS_N), VIEW_FORM, { 0 }
	},
	.rest = true,
	.run = fleet_run,
};
