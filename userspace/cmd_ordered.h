/* SPDX-License-Identifier: GPL-2.0 */
/* Options of commands that show the rows of a table in an order that the user chooses. */
#ifndef MEMLAT_CMD_ORDERED_H
#define MEMLAT_CMD_ORDERED_H

#include <stdbool.h>

#include "cmd_input.h"

struct ordered_options {
	const struct cmd *cmd;
	const char *(*order_name)(unsigned int order);
	unsigned int nr_orders;
	/* The order; the caller sets the default. */
	unsigned int order;
	struct view_options view;
};

/* Read --sort and the options of every view; false: leave with *status. */
bool ordered_options_read(struct ordered_options *options, int argc, char **argv,
		      enum exit_status *status);

#endif
