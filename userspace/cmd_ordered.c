// SPDX-License-Identifier: GPL-2.0
#include "cmd_ordered.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"

static bool take_order(void *context, int option)
{
	struct ordered_options *options = context;
	char shown[64], known[128];
	unsigned int order;
	size_t used = 0;

	(void)option;
	for (order = 0; order < options->nr_orders; order++)
		if (!strcmp(optarg, options->order_name(order))) {
			options->order = order;
			return true;
		}
	for (order = 0; order < options->nr_orders; order++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", !order ? "" :
					 order + 1 < options->nr_orders ? ", " : " or ",
					 options->order_name(order));
	text_escape(shown, sizeof(shown), optarg);
	out_complain("--sort %s: no such order; give %s",
		     *shown ? shown : "\"\"", known);
	return false;
}

bool ordered_options_read(struct ordered_options *options, int argc, char **argv,
		      enum exit_status *status)
{
	static const struct option known[] = {
		{ "sort", required_argument, NULL, OPT_SORT },
		VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
	};
	struct cmd_args args = {
		.cmd = options->cmd, .argc = argc, .argv = argv,
		.letters = ":" VIEW_LETTERS VIEW_CHAINS_LETTER, .options = known,
	};

	if (view_options_read(&args, &options->view, take_order, options))
		return true;
	*status = args.status;
	return false;
}
