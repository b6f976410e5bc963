// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>

#include "views/buckets.h"
#include "views/filter.h"
#include "views/json.h"
#include "views/quality.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW)

static bool options_read(bool *json, bool *weighted, int argc, char **argv,
			 enum exit_status *status)
{
	static const struct option known[] = {
		{ "weighted", no_argument, NULL, OPT_WEIGHTED },
		CMD_JSON_OPTION, CMD_HELP_OPTION, { 0 }
	};
	struct cmd_args args = {
		.cmd = &cmd_buckets, .argc = argc, .argv = argv,
		.letters = ":h", .options = known,
	};
	int option;

	*json = *weighted = false;
	while ((option = cmd_next(&args)) != OPT_END) {
		if (option == OPT_STOP) {
			*status = args.status;
			return false;
		}
		*(option == OPT_JSON ? json : weighted) = true;
	}
	*status = MISUSED;
	if (*json && *weighted) {
		out_complain("buckets: --json and --weighted: JSON holds the samples and what they stand for; leave out one of them");
		return false;
	}
	return true;
}

static enum exit_status buckets_run(int argc, char **argv)
{
	enum exit_status status;
	struct snapshot snap;
	bool json, weighted;

	if (!options_read(&json, &weighted, argc, argv, &status))
		return status;
	if (!cmd_snapshot(&snap, TABLES))
		return FAILED;
	if (json) {
		json_print(buckets_json(&snap));
	} else {
		buckets_print(stdout, &snap, weighted);
		/* Beside the table, not in it: scripts read the table. */
		fflush(stdout);
		if (!snap.head.status.samples)
			quality_print_hint(stderr, &snap.head.status);
		else if (!filter_loads(snap.head.status.flags))
			fputs("No loads: this session samples stores, which have no latency.\n"
			      "  memlat-ctl sites      shows where they are made\n",
			      stderr);
	}
	snapshot_free(&snap);
	return DONE;
}

const struct cmd cmd_buckets = {
	.name = "buckets",
	.summary = "loads by latency and source",
	.help =
"usage: memlat-ctl buckets [--weighted | --json]\n"
"\n"
"Loads by latency (rows, core cycles) and by where they were served from\n"
"(columns): the table of /sys/kernel/memlat/buckets. Stores have no latency.\n"
"l3 is L3 hits with and without a clean snoop; other is unknown, pmem, rpmem,\n"
"l4, io and uncached. JSON holds each source by itself.\n"
"\n"
"  --weighted         the loads that the samples stand for, by their periods,\n"
"                     in place of samples: an estimate\n"
"  --json             as JSON, with stable keys: samples and weights\n"
"  -h, --help         this text\n",
	.run = buckets_run,
};
