/* SPDX-License-Identifier: GPL-2.0 */
/* Options of commands that show the rows of a table in an order that the user chooses. */
#ifndef MEMLAT_CMD_ORDERED_H
#define MEMLAT_CMD_ORDERED_H

#include "cmd_input.h"

struct ordered_options {
	const char *(*order_name)(unsigned int order);
	unsigned int nr_orders;
	/* The order; the caller sets the default. */
	unsigned int order;
	struct view_options view;
};

/* The options of such a command. */
extern const struct option ordered_known[];

/* Read these, and show the view, whose context is the order. */
enum exit_status ordered_run(struct ordered_options *options, struct cmd_args *args, __u32 tables,
			     view_shown *show);

#endif
