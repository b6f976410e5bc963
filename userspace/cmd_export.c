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

enum format { FOLDED, CALLGRIND, PPROF, OPENMETRICS, PROMETHEUS, FORMATS };

static const char *const formats[FORMATS] = {
	"folded", "callgrind", "pprof", "openmetrics", "prometheus",
};

struct export_options {
	struct view_options view;
	unsigned int format, value;
	const char *output;		/* NULL: standard output */
};

static const char *format_name(unsigned int format)
{
	return formats[format];
}

static const char *value_name(unsigned int value)
{
	return export_value_names[value];
}

static bool take(void *context, int option)
{
	struct export_options *options = context;

	switch (option) {
	case 'i':
		options->view.file = optarg;
		command_reads("input", optarg);
		return true;
	case 'o':
		options->output = optarg;
		return true;
	case OPT_TIME:
		return view_take_time(&options->view);
	case OPT_DEBUG_PATH:
		options->view.debug = optarg;
		return true;
	case OPT_FORMAT:
		return cmd_take_word("--format", "no such word", format_name, FORMATS,
				     &options->format);
	default:
		return cmd_take_word("--value", "no such word", value_name, EXPORT_VALUES,
				     &options->value);
	}
}

static const struct option known[] = {
	VIEW_INPUT_OPTIONS,
	{ "output", required_argument, NULL, OPT_LETTER + 'o' },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "value", required_argument, NULL, OPT_SORT },
	{ "debug-path", required_argument, NULL, OPT_DEBUG_PATH },
	CMD_HELP_OPTION, { 0 }
};

static bool options_read(struct export_options *options, struct cmd_args *args)
{
	options->format = FORMATS;
	options->value = EXPORT_VALUES;
	if (!cmd_options(args, take, options))
		return false;
	if (options->format == FORMATS) {
		out_complain("export: say for which tool; give --format folded, callgrind, pprof, openmetrics or prometheus");
		return false;
	}
	if (options->format != FOLDED && options->value != EXPORT_VALUES) {
		out_complain("--value: only --format folded has a single value; leave it out");
		return false;
	}
	if (options->value == EXPORT_VALUES)
		options->value = EXPORT_CYCLES;
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
	if (options->format == FOLDED)
		export_folded(out, &export, (enum export_value)options->value);
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
	.help =
"usage: memlat-ctl export --format FORMAT [-i FILE] [-o FILE]\n"
"\n"
"Write what instructions did and who called them, for other tools. Cycles are the\n"
"estimated cycles that loads waited; loads, HITM loads and stores are samples. The totals\n"
"are those of the profile: samples of evicted rows are the function [evicted].\n"
"\n"
"  --format FORMAT    folded: for flamegraph.pl; callgrind: for callgrind_annotate and\n"
"                     KCachegrind; pprof: for pprof (profile.proto, not compressed);\n"
"                     openmetrics, prometheus: metrics of the session, and the five\n"
"                     lines that cost most; prometheus is for node_exporter's files\n"
"  --value VALUE      the one value of folded: cycles (the default), loads, hitm,\n"
"                     stores\n"
"  -o, --output FILE  write this file, completely or not at all (default: standard\n"
"                     output)\n"
"  -i, --input FILE   a profile that 'memlat-ctl record' wrote (default: what the\n"
"                     module holds now)\n"
"  --time FROM,TO     only these seconds of a profile that 'record --interval' wrote\n"
"  --debug-path DIRS  folders with separate debug files or programs, colon-separated\n"
"  -h, --help         this text\n",
	.options = known,
	.run = export_run,
};
