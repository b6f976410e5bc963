/* SPDX-License-Identifier: GPL-2.0 */
/* Options of the commands that show the top rows of a table. */
#ifndef MEMLAT_CMD_TOP_H
#define MEMLAT_CMD_TOP_H

#include <stdbool.h>

#include "cmd_input.h"

struct top_options {
	const struct cmd *cmd;
	const char *(*order_name)(unsigned int order);
	unsigned int nr_orders;
	/* What was asked for; the caller fills in what holds without. */
	unsigned int order;
	struct view_options view;
};

/* --sort, and what every view has; false: leave with *status. */
bool top_options_read(struct top_options *options, int argc, char **argv,
		      enum exit_status *status);

#endif
