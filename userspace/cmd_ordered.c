// SPDX-License-Identifier: GPL-2.0
#include "cmd_ordered.h"

const struct option ordered_known[] = {
	{ "sort", required_argument, NULL, OPT_SORT },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static bool take_order(void *context, int option)
{
	struct ordered_options *options = context;

	(void)option;
	return cmd_take_word("--sort", "no such order", options->order_name, options->nr_orders,
			     &options->order);
}

bool ordered_options_read(struct ordered_options *options, struct cmd_args *args)
{
	return view_options_read(args, &options->view, take_order, options);
}
