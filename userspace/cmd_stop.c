// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <errno.h>
#include <stdio.h>

#include "host/device.h"
#include "host/session_end.h"
#include "profile/history.h"
#include "profile/keeper.h"
#include "record/take.h"
#include "util/command.h"
#include "views/quality.h"

static void complain_idle(const struct memlat_status *session)
{
	if (!session_end_by_itself(session)) {
		out_complain("nothing to stop: no session runs\n"
			     "  memlat-ctl start --ldlat 30");
		return;
	}
	out_complain("nothing to stop: no session runs; the last one ended: %s\n"
		     "  memlat-ctl report                 shows what it has",
		     session_end_text(session->ended));
	session_end_print_way_out(stderr, session->ended);
}

/*
 * The tables stay, and so do the names of their processes: wait until the keeper has written them.
 * False: nobody keeps any, or the keeper saw the end itself and names what was sampled.
 */
static bool end_keeping(__u64 started_ns)
{
	struct keeper_told told;

	history_free(keeper_ask(KEEPER_FOLDER, started_ns, NULL, 0, true, &told));
	return told.state == KEEPER_HERE;
}

static enum exit_status stop(int fd, const struct memlat_query *query, void *context)
{
	struct memlat_status session;
	const int stopped = memlat_device_stop(fd);
	int ret;
	bool kept;

	if (stopped && stopped != -ENODATA) {
		cmd_complain_device("stop", -stopped);
		return FAILED;
	}
	ret = memlat_device_status(fd, &session);
	if (ret) {
		cmd_complain_device("read the status after stopping", -ret);
		return FAILED;
	}
	/* Nobody has to know whether the process has ended before its session is stopped. */
	if (stopped && session.ended != MEMLAT_END_GONE) {
		complain_idle(&session);
		return FAILED;
	}
	if (stopped)
		printf("the session has ended before: %s\n", session_end_text(session.ended));
	kept = end_keeping(session.started_ns);
	quality_print(stdout, &session);
	command_say(stdout, "the tables stay until the next start: memlat-ctl report | memlat-ctl c2c | memlat-ctl status\n");
	if (kept)
		names_leave(session.started_ns);
	return DONE;
}

static enum exit_status stop_run(struct cmd_args *args)
{
	return cmd_options(args, NULL, NULL, NULL) ? cmd_with_session(stop, NULL) : args->status;
}

const struct cmd cmd_stop = {
	.name = "stop",
	.summary = "end the session and give the PMU back; the tables stay",
	.usage =
"usage: memlat-ctl stop\n"
"\n"
"Drain and disarm every CPU, and give the PMU back as it was found. Anyone\n"
"who may open the device may stop the session. The tables stay readable\n"
"until the next start, reset or unload.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(HELP), { 0 }
	},
	.run = stop_run,
};
