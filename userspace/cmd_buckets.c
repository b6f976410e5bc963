// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>

#include "util/command.h"
#include "views/filter.h"
#include "views/quality.h"
#include "views/views.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_SOURCE)

enum { SAMPLES, WEIGHT, WORD, FORMS };

static const char *const forms[FORMS] = { "samples", "weight", "word" };
static const struct cmd_words words = { "no such table", FORMS, .list = forms };

static bool options_read(struct view_options *options, struct cmd_args *args)
{
	memset(options, 0, sizeof(*options));
	if (!view_options_read(args, options, NULL, NULL, NULL))
		return false;
	if (options->format != REPORT_TEXT && options->by == WEIGHT) {
		const char *form = options->format == REPORT_JSON ? "JSON" : "CSV";

		out_complain("buckets: --%s and --by weight: %s holds the samples and what they stand for; leave out one of them",
			     options->format == REPORT_JSON ? "json" : "csv", form);
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
				    "  memlat-ctl dcache --by site      shows where they are made\n");
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
	REPORT_SHOW(format, stdout, raw_text(snap), words_csv(stdout, snap), words_json(snap));
}

static void print_buckets(struct snapshot *snap, const struct view_options *options)
{
	if (options->by == WORD) {
		raw_show(snap, options->format);
		return;
	}
	REPORT_SHOW(options->format, stdout, buckets_print(stdout, snap, options->by == WEIGHT),
		    buckets_csv(stdout, snap), buckets_json(snap));
	if (options->format == REPORT_TEXT)
		print_hint(&snap->head.status);
}

static enum exit_status buckets_run(struct cmd_args *args)
{
	struct view_options options;
	struct profile profile;

	if (!options_read(&options, args))
		return args->status;
	if (!view_open_unnamed(&profile, &options, TABLES))
		return FAILED;
	if (options.by == WORD && !profile.snap.nr_cores) {
		out_complain("buckets --by word: this module does not count source words by kind of core\n"
			     "  memlat-ctl buckets --json      has their low bytes under raw");
		profile_free(&profile);
		return FAILED;
	}
	print_buckets(&profile.snap, &options);
	profile_free(&profile);
	return DONE;
}

const struct cmd cmd_buckets = {
	.name = "buckets",
	.summary = "loads by latency and source",
	.usage =
"usage: memlat-ctl buckets [-i FILE] [--by WHAT] [--json | --csv]\n"
"\n"
"Show loads by latency (rows, core cycles) and by source (columns): where they\n"
"were served from. It is the table of /sys/kernel/memlat/buckets. Stores have no\n"
"latency. l3 is L3 hits without a snoop or with a clean one; other is unknown,\n"
"far memory, l4, io and uncached. JSON has each source by itself. l3fwd, notmem\n"
"and the lines of use latency and stores depend on the CPU: see the manual page.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(BY, .text = "samples (the default); weight: instead of samples the loads that they stand for, by their periods: an estimate, and not with --json or --csv, which have both; "
			  "word: source words as the hardware wrote them, by kind of core, and how memlat decodes each", .words = &words),
		VIEW_INPUT, CMD_FORMS,
		TAKES(UNPRINTED), VIEW_ROWS, { 0 }
	},
	.run = buckets_run,
};
