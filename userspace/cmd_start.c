// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/open.h"
#include "cli/start_options.h"
#include "host/device.h"
#include "host/process.h"
#include "host/session_end.h"
#include "profile/history.h"
#include "record/session.h"
#include "util/clock.h"
#include "util/io.h"
#include "views/filter.h"
#include "views/status.h"

#define STATUS_CPUS	"/sys/kernel/memlat/cpus"
#define TRIES_MOST	1000
/* The first pause before a start is tried again. Each further one is twice as long. */
#define PAUSE_S		1
#define PAUSE_MOST_S	300
/* After a session of this length the tries count anew. */
#define STEADY_NS	(600 * CLOCK_SECOND)

struct starting {
	struct start_options options;
	bool perf;			/* perf's engine samples, and the keeper has the session */
	__u64 tries;			/* --keep; 0: leave when the session has started */
	struct keeper_child keeper;
	__u64 started_ns;		/* of the session that was started or found */
	bool foreign;			/* another command began it, and ends it */
};

/* Start the keeper, which keeps names of processes that end before a view, if that is possible. */
static void begin_keeping(struct starting *starting)
{
	struct keeper_place place = KEEPER_PLACE;

	/* With --keep this process stays too, in the cgroup of its unit or container. */
	place.stays = starting->tries;
	starting->keeper = (struct keeper_child){ .wire = -1 };
	if (process_sees_all())
		keeper_begin(&starting->keeper, &place, (__u32)starting->options.config.pid);
}

static void print_keeping(const struct keeper_child *keeper)
{
	if (!process_sees_all())
		fputs("(no names: this container has its own PID namespace; run it with --pid=host (Kubernetes: hostPID: true), or start memlat-ctl outside)\n",
		      stderr);
	else if (keeper->error)
		fprintf(stderr, "(processes that end before a view will have no names: the process that records names could not start: %s\n"
			" it needs " KEEPER_FOLDER ", a folder that this user owns, perf events on all CPUs, and UNIX sockets (CONFIG_UNIX))\n",
			strerror(keeper->error));
}

/* The session runs: print that after the keeper has taken over. */
static void go_on(struct starting *starting, int fd, const struct memlat_query *query)
{
	struct memlat_status session;
	bool known = !memlat_device_status(fd, &session);

	starting->started_ns = known ? session.started_ns : 0;
	starting->foreign = false;
	if (known)
		keeper_stay(&starting->keeper, session.started_ns);
	else
		keeper_drop(&starting->keeper);
	started_print(stdout, &starting->options.config, query, known ? &session : NULL);
	fflush(stdout);
	print_keeping(&starting->keeper);
}

static enum exit_status start(int fd, const struct memlat_query *query, void *context)
{
	struct starting *starting = context;
	struct start_options *options = &starting->options;
	int ret;

	options->config.reason = 0;
	if (!start_options_fit(options, query))
		return MISUSED;
	begin_keeping(starting);
	ret = memlat_device_start(fd, &options->config);
	if (!ret) {
		go_on(starting, fd, query);
		return DONE;
	}
	/* The keeper has perf events open, which block no counter. */
	keeper_drop(&starting->keeper);
	if (starting->tries && options->config.reason == MEMLAT_WHY_RUNNING)
		return FAILED;
	return refusal_explain(fd, -ret, &options->config, query);
}

/* By the engine that was chosen, unless one of perf's engine runs. */
static enum exit_status start_any(struct starting *starting)
{
	struct start_options *options = &starting->options;

	starting->keeper = (struct keeper_child){ .wire = -1 };
	options->config.reason = 0;
	if (session_runs()) {
		starting->perf = true;
		options->config.reason = MEMLAT_WHY_RUNNING;
		if (!starting->tries)
			out_complain("a session of perf's engine runs already\n"
				     "  memlat-ctl report      shows what it has so far\n"
				     "  memlat-ctl stop        ends it");
		return FAILED;
	}
	starting->perf = session_engine(options->engine, start_needs_module(options, false)) ==
			 ENGINE_PERF;
	starting->foreign = false;
	return starting->perf ? session_start(options, &starting->keeper, starting->tries) :
				cmd_with_device(start, starting);
}

/* Will the reason of this refusal pass? */
static bool passes(__u32 why)
{
	switch (why) {
	case MEMLAT_WHY_WATCHDOG:
	case MEMLAT_WHY_PERF:
	case MEMLAT_WHY_UNOWNED:
	case MEMLAT_WHY_DS:
	case MEMLAT_WHY_VMX:
	case MEMLAT_WHY_SUSPEND:
		return true;
	default:
		return false;
	}
}

/* Wait for so long, or until a signal asks to end. Returns that signal, or 0. */
static int pause_for(unsigned int seconds)
{
	const struct timespec limit = { .tv_sec = seconds };
	sigset_t asked;
	int caught;

	sigemptyset(&asked);
	sigaddset(&asked, SIGTERM);
	sigaddset(&asked, SIGINT);
	do
		caught = sigtimedwait(&asked, NULL, &limit);
	while (caught < 0 && errno == EINTR);
	return caught > 0 ? caught : 0;
}

static enum exit_status read_status(int fd, const struct memlat_query *query, void *context)
{
	const int ret = memlat_device_status(fd, context);

	if (ret)
		cmd_complain_device("read the session's status", -ret);
	return ret ? FAILED : DONE;
}

/*
 * Does the session still run? The device is opened only if it does not, because that keeps the
 * module from being unloaded.
 */
static bool is_running(const struct starting *starting)
{
	char cpus[16];

	if (starting->perf)
		return session_runs();
	return io_text(STATUS_CPUS, cpus, sizeof(cpus)) && *cpus;
}

/* A session runs that this process has not started. It may have lost its keeper. */
static void find_session(struct starting *starting)
{
	struct memlat_status session;
	struct keeper_told told;

	starting->keeper = (struct keeper_child){ .wire = -1 };
	starting->foreign = !starting->perf;
	if (starting->perf)
		puts("a session of perf's engine runs already: waiting for its end");
	if (starting->perf || cmd_with_device(read_status, &session))
		return;
	starting->started_ns = session.started_ns;
	starting->foreign = session.flags & MEMLAT_F_TIED || filter_only_counts(session.flags);
	printf("a session runs already: waiting for its end\n");
	fflush(stdout);
	if (starting->foreign)
		return;
	history_free(keeper_ask(KEEPER_FOLDER, session.started_ns, NULL, 0, false, &told));
	if (told.state == KEEPER_HERE)
		return;
	begin_keeping(starting);
	keeper_stay(&starting->keeper, session.started_ns);
}

/* Has the keeper of this session ended? Then begin another one, but not for ever. */
static void look_after_keeper(struct starting *starting, struct session_end_counts *counts, uint64_t *lost)
{
	bool gone = false;
	pid_t pid;

	/* Those of earlier sessions end, too. */
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		gone |= pid == starting->keeper.pid;
	/* It ends with its session, too. */
	if (starting->perf || !gone || !is_running(starting))
		return;
	counts->keepers++;
	session_end_write(ENDED_FOLDER, counts);
	out_complain("the process that keeps names has ended before its session%s",
		     *lost < starting->tries ? ": starting another one" : ", too often to start another one");
	if ((*lost)++ >= starting->tries)
		return;
	begin_keeping(starting);
	keeper_stay(&starting->keeper, starting->started_ns);
	print_keeping(&starting->keeper);
}

/* Watch the session until it ends, or until a signal asks to end it, which is returned. */
static int watch(struct starting *starting, struct session_end_counts *counts, struct memlat_status *session)
{
	const __u64 begun = clock_now();
	uint64_t lost = 0;
	int caught;

	for (;;) {
		caught = pause_for(1);
		if (caught)
			return caught;
		if (is_running(starting)) {
			look_after_keeper(starting, counts, &lost);
			continue;
		}
		memset(session, 0, sizeof(*session));
		if (starting->perf) {
			session->ended = session_was_killed() ? MEMLAT_END_CLOSED : MEMLAT_END_STOPPED;
			session->duration_ns = clock_now() - begun;
			return 0;
		}
		if (access(MEMLAT_DEVICE, F_OK) || cmd_with_device(read_status, session) ||
		    session->state != MEMLAT_STATE_RUNNING)
			return 0;
	}
}

static void now_away(struct session_end_counts *counts)
{
	if (!counts->since_ns)
		counts->since_ns = clock_now();
	session_end_write(ENDED_FOLDER, counts);
}

static void now_back(struct session_end_counts *counts)
{
	if (counts->since_ns)
		counts->away_ns += clock_now() - counts->since_ns;
	counts->since_ns = 0;
	if (session_end_write(ENDED_FOLDER, counts))
		out_complain("metrics will not say how often the session ended: " ENDED_FOLDER " cannot be written");
}

/* The session has ended. True: begin another one. */
static bool comes_back(const struct starting *starting, const struct memlat_status *session,
		       struct session_end_counts *counts)
{
	if (starting->foreign)
		return true;
	if (!starting->perf && access(MEMLAT_DEVICE, F_OK)) {
		puts("the module was unloaded");
		return false;
	}
	if (session->ended < ENDED_NR)
		counts->ended[session->ended]++;
	switch (session->ended) {
	case MEMLAT_END_STOPPED:
	case MEMLAT_END_REBOOT:
	case MEMLAT_END_GONE:
		session_end_write(ENDED_FOLDER, counts);
		printf("the session has ended: %s\n", session_end_text(session->ended));
		return false;
	default:
		now_away(counts);
		out_complain("the session has ended: %s", starting->perf ?
			     "the process that held it was killed" : session_end_text(session->ended));
		return true;
	}
}

/* A signal asked to end: stop the session, and leave what stop leaves. */
static enum exit_status stop(const struct starting *starting, struct session_end_counts *counts)
{
	char name[] = "stop", *words[] = { name, NULL };

	/* It parses options anew: see getopt(3). */
	optind = 0;
	if (starting->foreign || !is_running(starting))
		return DONE;
	counts->ended[MEMLAT_END_STOPPED]++;
	session_end_write(ENDED_FOLDER, counts);
	return cmd_run(&cmd_stop, 1, words) && is_running(starting) ? FAILED : DONE;
}

/*
 * Start a session, and start another one when it ends by itself. That may fail, again and again:
 * give up after so many tries in a row.
 */
static enum exit_status keep(struct starting *what)
{
	const struct start_options typed = what->options;
	unsigned int pause = PAUSE_S;
	struct memlat_status session;
	struct session_end_counts counts;
	uint64_t tried = 0;
	sigset_t asked;

	sigemptyset(&asked);
	sigaddset(&asked, SIGTERM);
	sigaddset(&asked, SIGINT);
	sigprocmask(SIG_BLOCK, &asked, NULL);
	if (!session_end_read(ENDED_FOLDER, &counts) && !access(ENDED_FOLDER "/ended", F_OK))
		out_complain("cannot read what " ENDED_FOLDER "/ended has counted: counting begins anew");
	for (;;) {
		enum exit_status status;

		what->options = typed;
		status = start_any(what);
		if (status && what->options.config.reason == MEMLAT_WHY_RUNNING)
			find_session(what);
		else if (status == MISUSED || (status && !passes(what->options.config.reason)))
			return status;
		if (status && what->options.config.reason != MEMLAT_WHY_RUNNING) {
			counts.refused++;
			now_away(&counts);
		} else {
			if (!what->foreign)
				now_back(&counts);
			if (watch(what, &counts, &session))
				return stop(what, &counts);
			if (!comes_back(what, &session, &counts))
				return DONE;
			if (what->foreign)
				continue;
			if (session.duration_ns >= STEADY_NS) {
				tried = 0;
				pause = PAUSE_S;
			}
		}
		if (tried++ >= what->tries) {
			out_complain("gave up after %llu tries; nothing is sampled from now on\n"
				     "  memlat-ctl doctor      looks for what is in the way",
				     (unsigned long long)what->tries);
			return FAILED;
		}
		out_complain("starting again in %u seconds (try %llu of %llu)", pause,
			     (unsigned long long)tried, (unsigned long long)what->tries);
		if (pause_for(pause)) {
			now_back(&counts);
			return DONE;
		}
		pause = 2 * pause < PAUSE_MOST_S ? 2 * pause : PAUSE_MOST_S;
	}
}

static enum exit_status start_run(struct cmd_args *args)
{
	struct starting what = { 0 };
	const struct cmd_sets sets[] = {
		SETS_WITHIN(KEEP, number, what.tries, 1, TRIES_MOST,
			    "1 to 1000: so many starts are tried in a row"), { 0 }
	};

	if (!cmd_options(args, sets, start_options_take, &what.options) ||
	    !cmd_fits(args, what.options.engine == ENGINE_PERF && start_needs_module(&what.options, false) ?
		      START_ONLY_MODULE : NULL) ||
	    !start_options_check(&what.options, args))
		return args->status;
	return what.tries ? keep(&what) : start_any(&what);
}

const struct cmd cmd_start = {
	.name = "start",
	.summary = "sample loads and stores on all CPUs, until stop",
	.usage =
"usage: memlat-ctl start [OPTIONS]\n"
"\n"
"Take the PMU, enable sampling on the CPUs, and count from zero. The session\n"
"continues after this command, until memlat-ctl stop. A second process of\n"
"memlat-ctl runs until then: it records which processes exist and what they\n"
"have mapped, so views can name programs that have exited.\n",
	.takes = (const struct cmd_takes[]){
		START_WHAT, TAKES(TEXT, .text = "Which tasks and CPUs (all):"), START_WHOM, START_AND, TAKES(KEEP), TAKES(HELP), { 0 }
	},
	.run = start_run,
};
