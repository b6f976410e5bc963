/* SPDX-License-Identifier: GPL-2.0 */
/* Commands that either sample and show the result in one call, or show a profile. */
#ifndef MEMLAT_CMD_SAMPLED_H
#define MEMLAT_CMD_SAMPLED_H

#include "cmd_input.h"
#include "record/recording.h"

struct sampled_options {
	struct view_options view;
	struct record_options record;
	bool sampled;		/* an option about what to sample, or how, was typed */
};

/* Take an option of the recording. */
bool sampled_take(struct sampled_options *options, int option);
/* The command to run, if words follow the options. */
void sampled_command(struct sampled_options *options, const struct cmd_args *args);
/* Do the options go together? False: leave with args->status, the reason was printed. */
bool sampled_check(struct sampled_options *options, struct cmd_args *args);

/* Sample, if asked to, and show. The status is the command's, or the view's if showing fails. */
enum exit_status sampled_run(struct sampled_options *options, __u32 tables, view_shown *show,
			     const void *context);

#endif
