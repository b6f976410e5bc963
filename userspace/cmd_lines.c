// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/line.h"
#include "views/json.h"
#include "views/lines.h"
#include "views/text.h"

#define LINES_DEFAULT	20

static bool take_number(struct lines_view *view, const char *text)
{
	enum number_result result;
	uint64_t value;

	result = number_parse(text, 0, INT_MAX, &value);
	if (result != NUMBER_OK) {
		cmd_complain_value("-n", text, result,
				   "how many lines to show, 0 for all");
		return false;
	}
	view->show = (size_t)value;
	return true;
}

static bool take_order(struct lines_view *view, const char *text)
{
	char shown[64];
	unsigned int order;

	for (order = LINE_BY_HITM; order <= LINE_BY_LOADS; order++)
		if (!strcmp(text, line_order_name(order))) {
			view->order = order;
			return true;
		}
	text_escape(shown, sizeof(shown), text);
	out_complain("--sort %s: no such order; give hitm, cost or loads",
		     *shown ? shown : "\"\"");
	return false;
}

static bool options_read(struct lines_view *view, bool *json, int argc,
			 char **argv, enum exit_status *status)
{
	static const struct option known[] = {
		{ "sort", required_argument, NULL, OPT_SORT },
		CMD_JSON_OPTION, CMD_HELP_OPTION, { 0 }
	};
	struct cmd_args args = {
		.cmd = &cmd_lines, .argc = argc, .argv = argv,
		.letters = ":hn:", .options = known,
	};
	bool good = true;

	*json = false;
	while (good) {
		switch (cmd_next(&args)) {
		case OPT_END:
			return true;
		case OPT_STOP:
			*status = args.status;
			return false;
		case OPT_JSON:
			*json = true;
			break;
		case OPT_SORT:
			good = take_order(view, optarg);
			break;
		case 'n':
			good = take_number(view, optarg);
			break;
		}
	}
	*status = MISUSED;
	return false;
}

static enum exit_status lines_run(int argc, char **argv)
{
	struct lines_view view = {
		.order = LINE_BY_HITM,
		.show = LINES_DEFAULT,
	};
	enum exit_status status;
	struct snapshot snap;
	bool json;
	int ret = 0;

	if (!options_read(&view, &json, argc, argv, &status))
		return status;
	if (!cmd_snapshot(&snap))
		return FAILED;
	line_sort(snap.lines, snap.nr_lines, view.order);
	view.snap = &snap;
	view.width = out_width();
	if (json)
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
"Cache lines with who loaded them and what that cost.\n"
"\n"
"  -n N               show N lines (20); 0: all\n"
"  --sort ORDER       hitm: remote and local HITM, then cost (the default)\n"
"                     cost: sum of latencies; loads: number of samples\n"
"  --json             as JSON, with stable keys\n"
"  -h, --help         this text\n"
"\n"
"cost is the line's share of all sampled latency cycles; HITM are loads served\n"
"from another core's modified copy, rmt on another socket, lcl on this one;\n"
"avg and max are core cycles; CPUs counts those that loaded the line.\n",
	.run = lines_run,
};
