/* SPDX-License-Identifier: GPL-2.0 */
/* The options of memlat-ctl start: reading them, and holding them against what the module takes. */
#ifndef MEMLAT_START_OPTIONS_H
#define MEMLAT_START_OPTIONS_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "views/out.h"

/* What was typed; texts are NULL where nothing was. */
struct start_options {
	struct memlat_config config;
	const char *ldlat;
	const char *type;
	const char *period;
	const char *store_period;
	const char *overhead;
	const char *pid;
	const char *tid;
	const char *cgroup;
	const char *cpus;
	const char *memory;
};

/*
 * Read the words and ask the machine what they mean (is there such a process?);
 * false: leave with *status, something was said.
 */
bool start_options_read(struct start_options *options, int argc, char **argv,
			enum exit_status *status);

/*
 * Fill in what was not given, and check what only the module knows. False
 * after saying what does not fit: that is wrong use.
 */
bool start_options_fit(struct start_options *options,
		       const struct memlat_query *query);

#endif
