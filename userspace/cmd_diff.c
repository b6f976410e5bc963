// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/diff.h"
#include "views/report.h"

/*
 * Lines and accesses are for the verdicts. The table of threads is always read: it still has the cost
 * of rows that were evicted.
 */
#define TABLES	(1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_SITE | \
		 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_COUNT)

#define CONDITIONS_MAX	16

struct diff_options {
	struct view_options view;	/* by: enum diff_by */
	const char *paths[DIFF_SIDES];
	struct diff_condition conditions[CONDITIONS_MAX];
	size_t nr_conditions;
};

static bool read_option(void *context, int option)
{
	struct diff_options *options = context;

	if (options->nr_conditions < CONDITIONS_MAX)
		return diff_condition_take(&options->conditions[options->nr_conditions++], optarg);
	out_complain("--fail-if: give %d conditions at most", CONDITIONS_MAX);
	return false;
}

static bool options_read(struct diff_options *options, struct cmd_args *args)
{
	if (!view_options_read(args, &options->view, NULL, read_option, options))
		return false;
	if (args->argc - optind != DIFF_SIDES) {
		out_complain("diff: give two profiles, of before and after\n  memlat-ctl diff A B");
		return false;
	}
	memcpy(options->paths, args->argv + optind, sizeof(options->paths));
	return true;
}

static void print_diff(const struct diff_view *view, enum report_format format,
		       struct json_object *conditions)
{
	struct json_object *document;

	if (format == REPORT_TEXT) {
		diff_print(stdout, view);
	} else if (format == REPORT_CSV) {
		diff_csv(stdout, view);
	} else {
		document = diff_json(view);
		if (json_object_array_length(conditions))
			json_put(document, "conditions", json_object_get(conditions));
		json_print(stdout, document);
	}
}

/* Print to standard error, so that a CI log has it wherever the table goes. */
static enum exit_status judge(const struct diff_options *options, const struct diff_view *view,
			      struct json_object *list)
{
	enum exit_status status = DONE;
	struct diff_judged judged;
	size_t i;

	for (i = 0; i < options->nr_conditions; i++) {
		diff_condition_judge(&judged, &options->conditions[i], view->rows, view->profiles);
		diff_condition_print(stderr, &options->conditions[i], &judged);
		json_append(list, diff_condition_json(&options->conditions[i], &judged));
		if (judged.outcome == DIFF_FAILS)
			status = (enum exit_status)DIFF_FAIL_STATUS;
	}
	return status;
}

static enum exit_status compare(const struct diff_options *options,
		    const struct profile profiles[DIFF_SIDES])
{
	struct json_object *conditions = json_list();
	struct diff_fights fights;
	struct diff_rows rows;
	enum exit_status status;
	struct diff_view view = {
		.rows = &rows, .fights = &fights, .show = options->view.show, .width = out_width(),
		.profiles = { &profiles[DIFF_BEFORE], &profiles[DIFF_AFTER] },
		.paths = { options->paths[DIFF_BEFORE], options->paths[DIFF_AFTER] },
		.namers = { namer_new(&profiles[DIFF_BEFORE], options->view.debug),
			    namer_new(&profiles[DIFF_AFTER], options->view.debug) },
	};

	diff_rows_find(&rows, options->view.by, view.profiles, view.namers);
	diff_fights_find(&fights, &rows, view.profiles, view.namers);
	status = judge(options, &view, conditions);
	view_pager_begin(&options->view);
	print_diff(&view, options->view.format, conditions);
	pager_end();
	json_object_put(conditions);
	diff_fights_free(&fights);
	diff_rows_free(&rows);
	namer_free(view.namers[DIFF_BEFORE]);
	namer_free(view.namers[DIFF_AFTER]);
	return status;
}

static enum exit_status open_both(struct diff_options *options)
{
	struct profile profiles[DIFF_SIDES];
	enum exit_status status = FAILED;
	unsigned int side;

	for (side = 0; side < DIFF_SIDES; side++) {
		options->view.file = options->paths[side];
		if (!view_open(&profiles[side], &options->view, TABLES))
			break;
	}
	if (side == DIFF_SIDES)
		status = compare(options, profiles);
	while (side--)
		profile_free(&profiles[side]);
	return status;
}

static const struct cmd_words names = { "rows have no such name", DIFF_BYS, .list = diff_by_names };

static enum exit_status diff_run(struct cmd_args *args)
{
	struct diff_options options = { .view = VIEW_OPTIONS_DEFAULT };
	enum exit_status status = options_read(&options, args) ? open_both(&options) : args->status;
	size_t i;

	for (i = 0; i < options.nr_conditions; i++)
		free(options.conditions[i].name);
	return status;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "two profiles side by side: what a fix has changed",
	.usage =
"usage: memlat-ctl diff A B [--by WHAT] [--fail-if CONDITION]... [-n N] [--json | --csv]\n"
"\n"
"Compare a profile from before a change (A) with one from after it (B), by name: first\n"
"what became of each verdict, in words, then where the cost of loads changed.\n"
"Addresses, processes and machines may differ.\n",
	.notes =
"Cycles that loads took are an estimate by weight, per million instructions if both\n"
"profiles counted these, otherwise per second; --fail-if compares the same. change is in\n"
"percent of all of them before, with its error (95 %), or not significant; such rows come\n"
"last. left is after as a share of before. cost is the row's share of its profile's sampled\n"
"latency. HITM and samples are counts. Elements of an array are one row. A name that is\n"
"left in one module before and in one other module after counts as the same. Rows of code\n"
"of the kernel and of the loader are apart.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(BY, .text = "variable: variable and field (the default); function: whose instructions waited; line: cache line, by the object and field that it begins with; type: of the variable or object", .words = &names),
		TAKES(FAIL_IF), TAKES(ROWS_N), VIEW_FORM,
		TAKES(UNPRINTED), VIEW_ROWS, { 0 }
	},
	.rest = true,
	.run = diff_run,
};
