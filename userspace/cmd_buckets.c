// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>

#include "util/command.h"
#include "util/json.h"
#include "views/filter.h"
#include "views/quality.h"
#include "views/views.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_SOURCE)

struct options {
	struct view_options view;
	bool weighted, raw;
};

static bool take(void *context, int option)
{
	struct options *options = context;

	if (option == OPT_RAW)
		options->raw = true;
	else
		options->weighted = true;
	return true;
}

static const struct option known[] = {
	{ "weighted", no_argument, NULL, OPT_WEIGHTED },
	{ "raw", no_argument, NULL, OPT_RAW },
	VIEW_INPUT_OPTIONS, VIEW_SELECT_CODE, VIEW_SELECT_TASKS, CMD_FORM_OPTIONS, { 0 }
};

static bool options_read(struct options *options, struct cmd_args *args)
{
	memset(options, 0, sizeof(*options));
	if (!view_options_read(args, &options->view, take, options))
		return false;
	if (options->raw && options->weighted) {
		out_complain("buckets: --raw and --weighted: source words are counted as samples; leave out one of them");
		return false;
	}
	if (options->view.format != REPORT_TEXT && options->weighted) {
		const char *form = options->view.format == REPORT_JSON ? "JSON" : "CSV";

		out_complain("buckets: --%s and --weighted: %s holds the samples and what they stand for; leave out one of them",
			     options->view.format == REPORT_JSON ? "json" : "csv", form);
		return false;
	}
	return true;
}

/* Print why the table is empty, on standard error, because scripts read the table. */
static void print_hint(const struct memlat_status *status)
{
	fflush(stdout);
	if (!status->samples)
		quality_print_hint(stderr, status);
	else if (!filter_loads(status->flags))
		command_say(stderr, "No loads: this session samples stores, which have no latency.\n"
				    "  memlat-ctl sites      shows where they are made\n");
}

static void raw_text(struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;

	if (snap->nr_sources)
		words_print(stdout, snap, out_width());
	else if (status->samples && filter_loads(status->flags))
		fputs("No loads so far, only stores.\n", stderr);
	print_hint(status);
}

static void raw_show(struct snapshot *snap, enum report_format format)
{
	words_sort(snap);
	if (format == REPORT_TEXT)
		raw_text(snap);
	else if (format == REPORT_CSV)
		words_csv(stdout, snap);
	else
		json_print(stdout, words_json(snap));
}

static void show(struct snapshot *snap, const struct options *options)
{
	if (options->raw) {
		raw_show(snap, options->view.format);
	} else if (options->view.format == REPORT_CSV) {
		buckets_csv(stdout, snap);
	} else if (options->view.format == REPORT_JSON) {
		json_print(stdout, buckets_json(snap));
	} else {
		buckets_print(stdout, snap, options->weighted);
		print_hint(&snap->head.status);
	}
}

static enum exit_status buckets_run(struct cmd_args *args)
{
	struct options options;
	struct profile profile;

	if (!options_read(&options, args))
		return args->status;
	if (!view_open_unnamed(&profile, &options.view, TABLES))
		return FAILED;
	if (options.raw && !profile.snap.nr_cores) {
		out_complain("buckets --raw: this module does not count source words by kind of core\n"
			     "  memlat-ctl buckets --json      has their low bytes under raw");
		profile_free(&profile);
		return FAILED;
	}
	show(&profile.snap, &options);
	profile_free(&profile);
	return DONE;
}

const struct cmd cmd_buckets = {
	.name = "buckets",
	.summary = "loads by latency and source",
	.help =
"usage: memlat-ctl buckets [-i FILE] [--weighted | --raw] [--json | --csv]\n"
"\n"
"Show loads by latency (rows, core cycles) and by source (columns): where they\n"
"were served from. It is the table of /sys/kernel/memlat/buckets. Stores have no\n"
"latency. l3 is L3 hits without a snoop or with a clean one; other is unknown,\n"
"far memory, l4, io and uncached. JSON has each source by itself. l3fwd, notmem\n"
"and the lines of use latency and stores depend on the CPU: see the manual page.\n"
"\n"
"  -i, --input FILE   a profile that 'memlat-ctl record' wrote (default: what the\n"
"                     module holds now)\n"
"  --time FROM,TO     only these seconds of a profile that 'record --interval' wrote\n"
"  --weighted         instead of samples the loads that they stand for, by their\n"
"                     periods: an estimate; not with --json or --csv, which have\n"
"                     both\n"
"  --raw              source words as the hardware wrote them, by kind of core, and\n"
"                     how memlat decodes each\n"
"  --json, --csv      for programs, with stable keys: samples and weights\n"
"  -h, --help         this text\n",
	.options = known,
	.run = buckets_run,
};
