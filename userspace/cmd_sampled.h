/* SPDX-License-Identifier: GPL-2.0 */
/* Commands that sample and then show what came, in one call; or show a profile that is there. */
#ifndef MEMLAT_CMD_SAMPLED_H
#define MEMLAT_CMD_SAMPLED_H

#include "cmd_input.h"
#include "record/recording.h"

struct sampled_options {
	struct view_options view;
	struct record_options record;
	bool sampled;		/* an option was typed that tells what is to be sampled, or how */
};

/* Take an option of the recording's. */
bool sampled_take(struct sampled_options *options, int option);
/* The command to run, if words follow the options. */
void sampled_command(struct sampled_options *options, int argc, char **argv);
/* Do the options go together? false: leave with *status, it was said why. */
bool sampled_check(struct sampled_options *options, const char *name, enum exit_status *status);

/*
 * Sample, if that was asked for, and show. The status is the command's; where showing fails,
 * the view's.
 */
enum exit_status sampled_run(struct sampled_options *options, const char *name,
			     enum exit_status (*view)(const struct view_options *options,
						      const void *context),
			     const void *context);

#endif
