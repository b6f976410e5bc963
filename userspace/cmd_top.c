// SPDX-License-Identifier: GPL-2.0
#include "cmd_top.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "views/text.h"

static bool take_number(struct top_options *options, const char *text)
{
	enum number_result result;
	uint64_t value;

	result = number_parse(text, 0, INT_MAX, &value);
	if (result != NUMBER_OK) {
		char right[64];

		snprintf(right, sizeof(right), "how many %s to show, 0 for all",
			 options->cmd->name);
		cmd_complain_value("-n", text, result, right);
		return false;
	}
	options->show = (size_t)value;
	return true;
}

static bool take_order(struct top_options *options, const char *text)
{
	char shown[64], known[128];
	unsigned int order;
	size_t used = 0;

	for (order = 0; order < options->nr_orders; order++)
		if (!strcmp(text, options->order_name(order))) {
			options->order = order;
			return true;
		}
	for (order = 0; order < options->nr_orders; order++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", !order ? "" :
					 order + 1 < options->nr_orders ? ", " : " or ",
					 options->order_name(order));
	text_escape(shown, sizeof(shown), text);
	out_complain("--sort %s: no such order; give %s",
		     *shown ? shown : "\"\"", known);
	return false;
}

bool top_options_read(struct top_options *options, int argc, char **argv,
		      enum exit_status *status)
{
	static const struct option known[] = {
		{ "sort", required_argument, NULL, OPT_SORT },
		CMD_JSON_OPTION, CMD_HELP_OPTION, { 0 }
	};
	struct cmd_args args = {
		.cmd = options->cmd, .argc = argc, .argv = argv,
		.letters = ":hn:", .options = known,
	};
	bool good = true;

	while (good) {
		switch (cmd_next(&args)) {
		case OPT_END:
			return true;
		case OPT_STOP:
			*status = args.status;
			return false;
		case OPT_JSON:
			options->json = true;
			break;
		case OPT_SORT:
			good = take_order(options, optarg);
			break;
		case 'n':
			good = take_number(options, optarg);
			break;
		}
	}
	*status = MISUSED;
	return false;
}
