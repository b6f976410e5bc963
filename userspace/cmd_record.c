// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/start_options.h"
#include "profile/file.h"
#include "record/recording.h"

#define INTERVAL_LEAST_NS 100000000ULL

/* Check this before anything runs: at the end it would be too late. */
static bool may_write(const char *path)
{
	char why[FILE_NEW_WHY_MAX], *target;
	bool good;

	if (!*path)
		return cmd_refuse("-o", path, "no name of a file; give one such as " PROFILE_DEFAULT);
	target = file_new_target(path, why);
	if (!target)
		return cmd_refuse("-o", path, "%s", why);
	good = !access(dirname(target), W_OK | X_OK) ||
	       cmd_refuse("-o", path,
			  "cannot write there: %s; give a file in a folder that you may write to",
			  strerror(errno));
	free(target);
	return good;
}

static bool options_read(struct record_options *options, struct cmd_args *args)
{
	const struct cmd_sets sets[] = {
		RECORD_SETS(options), SETS(COUNTS, on, options->counts),
		SETS(DELAY, text, options->delay), SETS(DELAY, ns, options->delay_ns),
		SETS_WITHIN(INTERVAL, ns, options->interval_ns, INTERVAL_LEAST_NS, ~0ULL,
			    "0.1 (seconds) or more"), { 0 }
	};

	if (!cmd_options(args, sets, start_options_take, &options->start))
		return false;
	options->command = cmd_command(args);
	options->start.at_once = options->command;
	if (!cmd_fits(args, recording_clash(options)) ||
	    !start_options_check(&options->start, args))
		return false;
	args->status = FAILED;
	return may_write(options->file);
}

static enum exit_status record_run(struct cmd_args *args)
{
	struct record_options options = { .file = PROFILE_DEFAULT };

	if (!options_read(&options, args))
		return args->status;
	return two_passes_run(&options);
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "sample a command, a process or everything into a file",
	.usage =
"usage: memlat-ctl record [OPTIONS] -- COMMAND [ARGUMENT]...\n"
"       memlat-ctl record [OPTIONS] -p PID | -a\n"
"\n"
"Start a session, run the command or follow what already runs, stop, and write\n"
"the tables to a file, with the names of all that was sampled. So it reads the\n"
"same later, after the program was built anew, and on any machine. Views read\n"
"it: memlat-ctl c2c -i FILE, and so on. Ctrl-C (or SIGTERM) ends the session and\n"
"keeps what was recorded. The exit status is the\n"
"command's; 127: there is no such command, 126: it cannot be executed.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(TEXT, .text = "What to record:"), START_UNTIL, TAKES(DELAY), START_WHOM,
		TAKES(TEXT, .text = "Where to:"),
		TAKES(OUTPUT, .text = "this file (memlat.out); an older one stays until the new one is complete"),
		START_WHAT, TAKES(HEAP), TAKES(INTERVAL), TAKES(COUNTS), START_AND, TAKES(HELP), { 0 }
	},
	.command = true,
	.run = record_run,
};
