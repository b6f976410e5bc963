// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "counting_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cli/open.h"
#include "../cli/why.h"
#include "../host/device.h"
#include "../host/process.h"
#include "../util/clock.h"
#include "child.h"
#include "recording.h"
#include "signals.h"
#include "take.h"

#define LONGEST_NS	86400000000000ULL	/* of one wait: a day */
#define TICK_NS		200000000ULL	/* how often a thread, which has no pidfd, is looked for */

enum end { END_COMMAND, END_PROCESS, END_DURATION, END_SIGNAL, END_SESSION, END_ERROR };

/* What has to be released, however the run ends. */
struct counting {
	struct counting_options *options;
	int device;
	int signals;		/* signalfd */
	int process;		/* pidfd of the process that was asked for, -1: none */
	int signal;		/* the signal, for END_SIGNAL */
	__u64 started_ns;
	struct child child;
	sigset_t mask;		/* the signal mask before the run */
	bool running;
};

static bool begin(struct counting *counting, const struct memlat_query *query,
		  enum exit_status *status)
{
	struct memlat_config *config = &counting->options->start.config;
	char **command = counting->options->command;
	struct memlat_status session;

	counting->signals = signals_hold(&counting->mask);
	if (counting->signals < 0)
		return false;
	if (command && !recording_child(&counting->child, command, &counting->mask,
					counting->options->environment, counting->device, config))
		return false;
	if (!command && config->pid)
		counting->process = (int)syscall(SYS_pidfd_open, config->pid, 0);
	recording_tie(config, query);
	if (!recording_start(counting->device, config, query, &counting->running, &session,
			     status))
		return false;
	counting->started_ns = session.started_ns;
	return true;
}

/* Is one of the signals a reason to end? */
static bool take_signals(struct counting *counting, enum end *end)
{
	struct signalfd_siginfo info;
	bool over = false;

	while (read(counting->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (!counting->options->command || !child_ended(&counting->child))
				continue;
			*end = END_COMMAND;
			return true;
		}
		counting->signal = (int)info.ssi_signo;
		*end = END_SIGNAL;
		over = true;
	}
	return over;
}

static bool session_over(const struct counting *counting)
{
	struct memlat_status status;

	return !memlat_device_status(counting->device, &status) &&
	       (status.state != MEMLAT_STATE_RUNNING ||
		status.started_ns != counting->started_ns);
}

/* Milliseconds until something has to be looked at; -1: none. */
static int wait_ms(const struct counting *counting, __u64 begun)
{
	const __u64 duration = counting->options->duration_ns;
	__u64 time = clock_now(), due = ~0ULL;

	if (counting->options->start.config.pid && !counting->options->command)
		due = time + TICK_NS;
	if (duration && begun + duration < due)
		due = begun + duration;
	if (due == ~0ULL)
		return -1;
	/* poll() counts milliseconds in an int, which is less than a month. */
	if (due > time + LONGEST_NS)
		due = time + LONGEST_NS;
	return due > time ? (int)((due - time + 999999) / 1000000) : 0;
}

static enum end wait_for_end(struct counting *counting)
{
	const struct counting_options *options = counting->options;
	const __u64 begun = clock_now();
	enum end end;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = counting->signals, .events = POLLIN },
			{ .fd = counting->device, .events = POLLPRI },
			{ .fd = counting->process, .events = POLLIN },
		};

		if (poll(fds, sizeof(fds) / sizeof(fds[0]), wait_ms(counting, begun)) < 0 &&
		    errno != EINTR) {
			out_complain("cannot wait for events: %s", strerror(errno));
			return END_ERROR;
		}
		if (take_signals(counting, &end))
			return end;
		if (fds[1].revents & POLLPRI && session_over(counting))
			return END_SESSION;
		if (fds[2].revents ||
		    (options->start.config.pid && !options->command &&
		     !process_may_exist((__u64)options->start.config.pid)))
			return END_PROCESS;
		if (options->duration_ns && clock_now() >= begun + options->duration_ns)
			return END_DURATION;
	}
}

/* Stop only our own session: somebody may have stopped it and started another one. */
static void stop(struct counting *counting)
{
	if (counting->running && !session_over(counting))
		memlat_device_stop(counting->device);
	counting->running = false;
}

static bool take(struct counting *counting, struct snapshot *snap)
{
	int ret;

	snap->tables = 1U << MEMLAT_REC_COUNT;
	snap->keep_stream = true;
	ret = snapshot_read(snap, counting->device);
	if (ret == -EBADMSG)
		out_complain("the snapshot is malformed: %s\n"
			     "  use the memlat-ctl that was built with the module", snap->error);
	else if (ret)
		cmd_complain_device("take a snapshot", -ret);
	else if (snap->head.status.started_ns != counting->started_ns)
		out_complain("the counts are lost: somebody started another session");
	else
		return true;
	return false;
}

static bool run(struct counting *counting, struct snapshot *snap, enum exit_status *status)
{
	const struct counting_options *options = counting->options;
	enum end end;
	int error;

	if (options->command) {
		error = child_go(&counting->child);
		if (error) {
			*status = child_explain(options->command[0], error);
			return false;
		}
	}
	end = wait_for_end(counting);
	if (end == END_SESSION)
		take_explain_end(counting->device, counting->started_ns);
	stop(counting);
	counting->options->interrupted = end == END_SIGNAL;
	if (end != END_COMMAND)
		child_end(&counting->child, end == END_SIGNAL ? counting->signal : 0);
	if (!take(counting, snap))
		return false;
	*status = end == END_SESSION || end == END_ERROR ? FAILED : DONE;
	if (end == END_COMMAND)
		*status = (enum exit_status)child_status(&counting->child);
	return true;
}

bool counting_run(int device, const struct memlat_query *query,
		  struct counting_options *options, struct snapshot *snap,
		  enum exit_status *status)
{
	struct counting counting = {
		.options = options, .device = device, .signals = -1, .process = -1,
		.child = { .go = -1, .failed = -1 },
	};
	bool good;

	snapshot_init(snap);
	*status = FAILED;
	good = begin(&counting, query, status) && run(&counting, snap, status);
	stop(&counting);
	child_drop(&counting.child);
	if (counting.process >= 0)
		close(counting.process);
	if (counting.signals >= 0)
		close(counting.signals);
	sigprocmask(SIG_SETMASK, &counting.mask, NULL);
	return good;
}

enum exit_status counting_into(const char *file, struct start_options *start,
			       enum exit_status (*count)(void *context, int device,
							 const struct memlat_query *query,
							 FILE *out),
			       void *context)
{
	enum exit_status status = FAILED;
	struct memlat_query query;
	const int device = cmd_open(&query);
	FILE *out;

	if (device < 0)
		return FAILED;
	out = start_options_fit_count(start, &query) ? out_open(file) : NULL;
	if (out) {
		status = count(context, device, &query, out);
		if (!out_close(out, file) && status == DONE)
			status = FAILED;
	}
	close(device);
	return status;
}
