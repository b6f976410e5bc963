// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/open.h"
#include "host/privilege.h"
#include "profile/file.h"
#include "util/command.h"
#include "util/order.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "views/quality.h"

#define SHOWN_MAX	256
#define HEAD_ALONE	(1U << MEMLAT_REC_STATUS)

struct merge_options {
	const char *output;
	char **inputs;
	int nr_inputs;
};

static bool options_read(struct merge_options *options, struct cmd_args *args)
{
	if (!cmd_output_option(args, &options->output))
		return false;
	options->inputs = args->argv + optind;
	options->nr_inputs = args->argc - optind;
	if (options->nr_inputs < 2) {
		out_complain("merge: give two profiles or more\n  memlat-ctl merge A B -o C");
		return false;
	}
	if (!options->output) {
		out_complain("merge: give a name for the new profile\n  memlat-ctl merge A B -o C");
		return false;
	}
	return true;
}

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

static enum exit_status merge_run(struct cmd_args *args)
{
	struct merge_options options = { 0 };
	struct input *inputs;
	bool good;

	if (!options_read(&options, args))
		return args->status;
	inputs = xcalloc((size_t)options.nr_inputs, sizeof(*inputs));
	good = merge(&options, inputs);
	free(inputs);
	return good ? DONE : FAILED;
}

const struct cmd cmd_merge = {
	.name = "merge",
	.summary = "several profiles as one",
	.help =
"usage: memlat-ctl merge A B... -o C\n"
"\n"
"Add up profiles that were recorded one after the other, between two boots of one\n"
"machine. What they have of the same line, instruction, thread or call chain becomes one\n"
"row. A program that was started again is another process, with its own rows. The\n"
"profiles must have sampled the same: --ldlat, loads or stores, --phys-data. Intervals\n"
"of 'record --interval' follow one session after the other; a profile without intervals\n"
"counts as one.\n"
"\n"
"  -o, --output FILE  the new profile; it may be one of the others\n"
"  -h, --help         this text\n"
"\n"
"To compare profiles of different machines or boots, use memlat-ctl diff; to add them up\n"
"by name, memlat-ctl fleet.\n",
	.options = cmd_output_only,
	.rest = true,
	.run = merge_run,
};
