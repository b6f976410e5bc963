// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>

#include "views/buckets.h"
#include "views/json.h"
#include "views/quality.h"

static enum exit_status buckets_run(int argc, char **argv)
{
	enum exit_status status;
	struct snapshot snap;
	bool json;

	if (!cmd_json_only(&cmd_buckets, argc, argv, &json, &status))
		return status;
	if (!cmd_snapshot(&snap))
		return FAILED;
	if (json) {
		json_print(buckets_json(&snap));
	} else {
		buckets_print(stdout, &snap);
		/* Beside the table, not in it: scripts read the table. */
		fflush(stdout);
		if (!snap.head.status.samples)
			quality_print_hint(stderr, &snap.head.status);
	}
	snapshot_free(&snap);
	return DONE;
}

const struct cmd cmd_buckets = {
	.name = "buckets",
	.summary = "samples by latency and source",
	.help =
"usage: memlat-ctl buckets [--json]\n"
"\n"
"Samples by latency (rows, core cycles) and by where the load was served from\n"
"(columns): the table of /sys/kernel/memlat/buckets.\n"
"l3 is L3 hits with and without a clean snoop; other is unknown, pmem, rpmem,\n"
"l4, io and uncached. JSON holds each source by itself.\n"
"\n"
"  --json             as JSON, with stable keys\n"
"  -h, --help         this text\n",
	.run = buckets_run,
};
