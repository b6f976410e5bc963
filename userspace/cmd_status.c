// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lib/device.h"
#include "views/json.h"
#include "views/status.h"

static enum exit_status status_run(int argc, char **argv)
{
	struct memlat_query query;
	struct memlat_status session;
	enum exit_status status;
	struct timespec now;
	bool json;
	int fd, ret;

	if (!cmd_json_only(&cmd_status, argc, argv, &json, &status))
		return status;
	fd = cmd_open(&query);
	if (fd < 0)
		return FAILED;
	ret = memlat_device_status(fd, &session);
	close(fd);
	if (ret) {
		cmd_complain_device("read the status", -ret);
		return FAILED;
	}
	/* Read after the status, so that no session starts in the future. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (json)
		json_print(status_json(&query, &session));
	else
		status_print(stdout, &query, &session,
			     (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec);
	return DONE;
}

const struct cmd cmd_status = {
	.name = "status",
	.summary = "state, configuration and every counter with its meaning",
	.help =
"usage: memlat-ctl status [--json]\n"
"\n"
"State, configuration, quality and every counter of the account.\n"
"\n"
"  --json             as JSON, with stable keys\n"
"  -h, --help         this text\n",
	.run = status_run,
};
