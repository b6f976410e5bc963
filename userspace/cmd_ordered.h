/* SPDX-License-Identifier: GPL-2.0 */
/* Options of the commands that show rows of a table in an order that people choose. */
#ifndef MEMLAT_CMD_ORDERED_H
#define MEMLAT_CMD_ORDERED_H

#include <stdbool.h>

#include "cmd_input.h"

struct ordered_options {
	const struct cmd *cmd;
	const char *(*order_name)(unsigned int order);
	unsigned int nr_orders;
	/* What was asked for; the caller fills in what holds without. */
	unsigned int order;
	struct view_options view;
};

/* --sort, and what every view has; false: leave with *status. */
bool ordered_options_read(struct ordered_options *options, int argc, char **argv,
		      enum exit_status *status);

#endif
