// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <unistd.h>

#include "host/session_end.h"
#include "util/command.h"
#include "views/export.h"

/* No format has strides, and only code has call chains. */
#define METRIC_TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
			 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_SITE | \
			 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD | \
			 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_SOURCE | 1U << MEMLAT_REC_COUNT)
#define CODE_TABLES	(METRIC_TABLES | 1U << MEMLAT_REC_STACK)

/* folded has one value, of enum export_value: folded alone means cycles. */
enum format {
	FOLDED, FOLDED_LAST = FOLDED + EXPORT_VALUES - 1, CALLGRIND, PPROF, OPENMETRICS, PROMETHEUS,
	FORMATS
};

static const char *const formats[FORMATS] = {
	"folded", "folded:loads", "folded:hitm", "folded:stores", "callgrind", "pprof", "openmetrics", "prometheus",
};

struct export_options {
	struct view_options view;
	unsigned int format;
	const char *output;		/* NULL: standard output */
};

static const struct cmd_words format_words = { "no such word", FORMATS, .list = formats };

static bool options_read(struct export_options *options, struct cmd_args *args)
{
	const struct cmd_sets sets[] = {
		SETS(OUTPUT, text, options->output), SETS(FORMAT, word, options->format), { 0 }
	};

	options->format = FORMATS;
	if (!view_options_read(args, &options->view, sets, NULL, NULL))
		return false;
	if (options->format == FORMATS) {
		out_complain("export: say for which tool; give --format folded, callgrind, pprof, openmetrics or prometheus");
		return false;
	}
	if (options->format != PPROF || options->output || !isatty(STDOUT_FILENO))
		return true;
	out_complain("--format pprof: its output is no text; write it to a file\n"
		     "  memlat-ctl export --format pprof -o profile.pb");
	return false;
}

static bool is_metrics(const struct export_options *options)
{
	return options->format == OPENMETRICS || options->format == PROMETHEUS;
}

static void put(FILE *out, const struct profile *profile, struct namer *namer,
		const void *context)
{
	const struct export_options *options = context;
	struct export export;

	if (is_metrics(options)) {
		export_metrics(out, profile, namer, options->format == OPENMETRICS,
			       ENDED_FOLDER);
		return;
	}
	export_begin(&export, profile, namer);
	if (options->format <= FOLDED_LAST)
		export_folded(out, &export, (enum export_value)(options->format - FOLDED));
	else if (options->format == CALLGRIND)
		export_callgrind(out, &export);
	else
		export_pprof(out, &export);
	export_end(&export);
}

static enum exit_status export_run(struct cmd_args *args)
{
	struct export_options options = { .view = { .self = true } };
	bool metrics;

	if (!options_read(&options, args))
		return args->status;
	metrics = is_metrics(&options);
	/* Metrics are read by another program's user. */
	return view_write(&options.view, metrics ? METRIC_TABLES : CODE_TABLES, options.output,
			  metrics, put, &options);
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "figures by code for other tools: pprof, callgrind, flame graphs, metrics",
	.usage =
"usage: memlat-ctl export --format FORMAT [-i FILE] [-o FILE]\n"
"\n"
"Write what instructions did and who called them, for other tools. Cycles are the\n"
"estimated cycles that loads waited; loads, HITM loads and stores are samples. The totals\n"
"are those of the profile: samples of evicted rows are the function [evicted].\n",
	.takes = (const struct cmd_takes[]){
		TAKES(FORMAT, .words = &format_words),
		TAKES(OUTPUT, .text = "write this file, completely or not at all (default: standard output)"),
		VIEW_INPUT, TAKES(DEBUG_PATH), TAKES(HELP), { 0 }
	},
	.run = export_run,
};
