// SPDX-License-Identifier: GPL-2.0
#include "cmd_sampled.h"

#include <stdio.h>
#include <unistd.h>

#include "record/two_passes.h"

bool sampled_take(struct sampled_options *options, int option)
{
	options->sampled = true;
	return recording_take(&options->record, option);
}

void sampled_command(struct sampled_options *options, const struct cmd_args *args)
{
	options->record.command = cmd_command(args);
	options->record.start.at_once = options->record.command;
	options->sampled |= options->record.command != NULL;
}

bool sampled_check(struct sampled_options *options, struct cmd_args *args)
{
	const char *wrong = options->view.file ?
		"-i and what is to be sampled: a profile was sampled already; give one of them" :
		recording_clash(&options->record);

	args->status = MISUSED;
	return cmd_fits(args, wrong) && start_options_check(&options->record.start, args);
}

enum exit_status sampled_run(struct sampled_options *options, __u32 tables, view_shown *show,
			     const void *context)
{
	enum exit_status status, shown;
	char path[32];
	int file = -1;

	if (!options->sampled)
		return view_run(&options->view, tables, show, context);
	status = recording_aside(&options->record, &file);
	if (file < 0)
		return status;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	options->view.file = path;
	shown = view_run(&options->view, tables, show, context);
	close(file);
	return shown == DONE ? status : shown;
}
