// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>

#include "host/device.h"
#include "util/command.h"

static enum exit_status reset(int fd, const struct memlat_query *query, void *context)
{
	struct memlat_status session;
	int ret = memlat_device_reset(fd);

	if (ret)
		cmd_complain_device("reset", -ret);
	else if (memlat_device_status(fd, &session))
		puts("all tables are empty");
	else if (session.state == MEMLAT_STATE_RUNNING)
		puts("all tables are empty; the session goes on and counts from zero");
	else
		command_say(stdout, "all tables are empty; no session runs: memlat-ctl start --ldlat 30\n");
	return ret ? FAILED : DONE;
}

static enum exit_status reset_run(struct cmd_args *args)
{
	return cmd_options(args, NULL, NULL) ? cmd_with_session(reset, NULL) : args->status;
}

const struct cmd cmd_reset = {
	.name = "reset",
	.summary = "empty all tables; a running session continues",
	.help =
"usage: memlat-ctl reset\n"
"\n"
"Empty all tables and set every count to zero; a running session continues.\n"
"\n"
"  -h, --help         this text\n",
	.options = cmd_help_only,
	.run = reset_run,
};
