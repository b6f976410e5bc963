// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/start_options.h"
#include "cli/why.h"
#include "host/device.h"
#include "views/started.h"

static enum exit_status start_run(int argc, char **argv)
{
	struct start_options options = { 0 };
	struct memlat_query query;
	struct memlat_status session;
	enum exit_status status;
	int fd, ret;

	if (!start_options_read(&options, &cmd_start, argc, argv, &status))
		return status;
	fd = cmd_open(&query);
	if (fd < 0)
		return FAILED;
	status = MISUSED;
	if (start_options_fit(&options, &query)) {
		status = DONE;
		ret = memlat_device_start(fd, &options.config);
		if (ret)
			status = why_explain(fd, -ret, &options.config, &query);
		else
			started_print(stdout, &options.config, &query,
				      memlat_device_status(fd, &session) ?
				      NULL : &session);
	}
	close(fd);
	return status;
}

const struct cmd cmd_start = {
	.name = "start",
	.summary = "sample loads and stores on all CPUs, until stop",
	.help =
"usage: memlat-ctl start [OPTIONS]\n"
"\n"
"Own the PMU, arm the CPUs and count from zero. The session goes on after\n"
"this command, until memlat-ctl stop.\n"
"\n"
START_HELP_WHAT
START_HELP_WHOM
START_HELP_KEPT
"\n"
"  --no-guests            you state that no VM guest runs until stop\n"
"  -h, --help             this text\n",
	.run = start_run,
};
