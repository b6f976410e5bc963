// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/device.h"
#include "start_options.h"
#include "views/started.h"
#include "why.h"

static enum exit_status start_run(int argc, char **argv)
{
	struct start_options options = { 0 };
	struct memlat_query query;
	struct memlat_status session;
	enum exit_status status;
	int fd, ret;

	if (!start_options_read(&options, argc, argv, &status))
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
"What is sampled:\n"
"  --ldlat N              loads longer than N core cycles: 3 to 65535 (30)\n"
"  -t, --type TYPE        load, store or load,store (both, where the CPU can)\n"
"  -U, --all-user         only what is done in user mode\n"
"  -K, --all-kernel       only what is done in kernel mode; with -U: both, as\n"
"                         when neither is given\n"
"How often:\n"
"  --max-overhead PERCENT move the periods so that memlat takes this share of\n"
"                         each CPU's busy time (1); 0: fixed periods\n"
"  --period N             one of N such loads, and fixed (1009)\n"
"  --store-period N       one of N stores, and fixed (10007)\n"
"Of whom (all processes, all CPUs):\n"
"  -p, --pid PID          this process, with all its threads\n"
"  --children             and what it forks from now on, with -p\n"
"  --tid TID              this thread alone\n"
"  --cgroup PATH          tasks in this cgroup v2, or below it\n"
"  -C, --cpu LIST         these CPUs, such as 0-3,8\n"
"What is kept:\n"
"  -g, --call-graph       the call chain of each sample; costs an interrupt each\n"
"  --phys-data            physical lines and the nodes of their pages\n"
"  --max-memory SIZE      bound of the session's tables, such as 64M\n"
"\n"
"  --no-guests            you state that no VM guest runs until stop\n"
"  -h, --help             this text\n",
	.run = start_run,
};
