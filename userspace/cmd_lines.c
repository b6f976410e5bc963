// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "cmd_top.h"
#include "lib/line.h"
#include "views/json.h"
#include "views/lines.h"

/*
 * The threads are few, and remember what an evicted line had cost; the
 * accesses tell where in a line its samples weigh.
 */
#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD)

static const char *order_name(unsigned int order)
{
	return line_order_name(order);
}

static enum exit_status lines_run(int argc, char **argv)
{
	struct top_options options = {
		.cmd = &cmd_lines,
		.order_name = order_name,
		.nr_orders = LINE_ORDERS,
		.order = LINE_BY_HITM,
		.show = TOP_SHOWN,
	};
	struct lines_view view = { 0 };
	enum exit_status status;
	struct snapshot snap;
	int ret = 0;

	if (!top_options_read(&options, argc, argv, &status))
		return status;
	if (!cmd_snapshot(&snap, TABLES))
		return FAILED;
	view.snap = &snap;
	view.order = options.order;
	view.show = options.show;
	view.width = out_width();
	slots_prepare(&snap);
	line_sort(snap.lines, snap.nr_lines, view.order);
	if (options.json)
		json_print(lines_json(&view));
	else
		ret = lines_print(stdout, &view);
	snapshot_free(&snap);
	if (ret) {
		out_complain("cannot show the lines: %s", strerror(-ret));
		return FAILED;
	}
	return DONE;
}

const struct cmd cmd_lines = {
	.name = "lines",
	.summary = "cache lines, the most fought-over first",
	.help =
"usage: memlat-ctl lines [-n N] [--sort ORDER] [--json]\n"
"\n"
"Cache lines with who loaded and stored them and what that cost.\n"
"\n"
"  -n N               show N lines (20); 0: all\n"
"  --sort ORDER       hitm: remote and local HITM, then cost (the default)\n"
"                     cost: cycles; loads, stores: number of samples\n"
"  --json             as JSON, with stable keys\n"
"  -h, --help         this text\n"
"\n"
"cost is the line's share of all cycles that loads took, weighted by period;\n"
"HITM are loads served from another core's modified copy, rmt on another socket,\n"
"lcl on this one; loads and stores are samples, est. accesses what they stand\n"
"for; avg and max are core cycles of loads; CPUs counts those that used the line;\n"
"home and phys, with start --phys-data, are the node and the address in memory.\n",
	.run = lines_run,
};
