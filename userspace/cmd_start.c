// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/start_options.h"
#include "cli/why.h"
#include "host/device.h"
#include "host/process.h"
#include "record/keeper.h"
#include "views/started.h"

/* Start the keeper, which keeps names of processes that end before a view, if that is possible. */
static void begin_keeping(struct keeper_child *keeper, const struct memlat_config *config)
{
	*keeper = (struct keeper_child){ .wire = -1 };
	if (process_sees_all())
		keeper_begin(keeper, &KEEPER_PLACE, (__u32)config->pid);
}

static void print_keeping(const struct keeper_child *keeper)
{
	if (!process_sees_all())
		fputs("(no names: this container has its own PID namespace; run it with --pid=host (Kubernetes: hostPID: true), or memlat-ctl outside)\n",
		      stderr);
	else if (keeper->error)
		fprintf(stderr, "(processes that end before a view will have no names: the process that records names could not start: %s\n"
			" it needs " KEEPER_FOLDER ", a folder that this user owns, perf events on all CPUs, and UNIX sockets (CONFIG_UNIX))\n",
			strerror(keeper->error));
}

/* The session runs: print that after the keeper has taken over. */
static void go_on(struct keeper_child *keeper, int fd, const struct memlat_config *config,
		  const struct memlat_query *query)
{
	struct memlat_status session;
	bool known = !memlat_device_status(fd, &session);

	if (known)
		keeper_stay(keeper, session.started_ns);
	else
		keeper_drop(keeper);
	started_print(stdout, config, query, known ? &session : NULL);
	print_keeping(keeper);
}

static enum exit_status start(int fd, const struct memlat_query *query, void *context)
{
	struct start_options *options = context;
	struct keeper_child keeper;
	int ret;

	if (!start_options_fit(options, query))
		return MISUSED;
	begin_keeping(&keeper, &options->config);
	ret = memlat_device_start(fd, &options->config);
	if (!ret) {
		go_on(&keeper, fd, &options->config, query);
		return DONE;
	}
	/* The keeper has perf events open, which block no counter. */
	keeper_drop(&keeper);
	return why_explain(fd, -ret, &options->config, query);
}

static const struct option known[] = {
	START_OPTIONS, CMD_HELP_OPTION, { 0 }
};

static enum exit_status start_run(struct cmd_args *args)
{
	struct start_options options = { 0 };

	return start_options_read(&options, args) ? cmd_with_device(start, &options) : args->status;
}

const struct cmd cmd_start = {
	.name = "start",
	.summary = "sample loads and stores on all CPUs, until stop",
	.help =
"usage: memlat-ctl start [OPTIONS]\n"
"\n"
"Take the PMU, enable sampling on the CPUs, and count from zero. The session\n"
"continues after this command, until memlat-ctl stop. A second process of\n"
"memlat-ctl runs until then: it records which processes exist and what they\n"
"have mapped, so views can name programs that have exited.\n"
"\n"
START_HELP_WHAT
START_HELP_WHOM
START_HELP_KEPT
"\n"
"  --no-guests            you state that no VM guest will run until stop\n"
"  -h, --help             this text\n",
	.options = known,
	.run = start_run,
};
