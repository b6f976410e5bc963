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

enum exit_status ordered_run(struct ordered_options *options, struct cmd_args *args, __u32 tables,
			     view_shown *show)
{
	if (!view_options_read(args, &options->view, take_order, options))
		return args->status;
	return view_run(&options->view, tables, show, &options->order);
}
