// SPDX-License-Identifier: GPL-2.0
#include "follow.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../host/device.h"
#include "../host/process.h"
#include "../names/kernel_core.h"
#include "../profile/history.h"
#include "../profile/snapshot.h"
#include "../util/clock.h"
#include "../util/out.h"
#include "../util/screen.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "engine.h"
#include "session.h"
#include "take.h"

/* how often CPUs are counted, tasks are looked for, and rings are read that are not nearly full */
#define TICK_NS		200000000ULL
#define LONGEST_NS	86400000000000ULL	/* of one wait: a day */

enum { FD_SIGNALS, FD_DEVICE, FD_PROCESS, FD_RINGS };

/* The state of follow(). */
struct loop {
	struct follow *follow;
	struct pollfd *fds;
	size_t room;
	__u64 begun, next_tick, next_interval;
	bool delayed;		/* the delay is not over */
	struct waiting waiting;
	bool ended;
	enum follow_end end;
};

static void end(struct loop *loop, enum follow_end why)
{
	if (loop->ended)
		return;
	loop->ended = true;
	loop->end = why;
}

static void fail(struct loop *loop, const char *what, int error)
{
	waiting_end(&loop->waiting);
	out_complain("cannot %s: %s; what was recorded until now is kept", what,
		     strerror(error));
	end(loop, FOLLOW_ERROR);
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->follow->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (loop->follow->child && child_ended(loop->follow->child))
				end(loop, FOLLOW_COMMAND);
			continue;
		}
		loop->follow->signal = (int)info.ssi_signo;
		end(loop, FOLLOW_SIGNAL);
	}
}

static void mapped(void *files, __u32 pid, struct history_map *map)
{
	kept_files_mapped(files, pid, map);
}

static void ended(void *files, __u32 pid)
{
	kept_files_ended(files, pid);
}

static void *open_maps(void *into)
{
	struct follow *follow = into;

	follow->maps = bpf_maps_open();
	__atomic_store_n(&follow->opening, OPENING_DONE, __ATOMIC_RELEASE);
	return NULL;
}

/* Have the first look been taken, and its thread ended? */
static bool maps_are_open(struct follow *follow, bool wait)
{
	const int opening = __atomic_load_n(&follow->opening, __ATOMIC_ACQUIRE);

	if (opening == OPENING && !wait)
		return false;
	if (opening != OPENING_NONE)
		pthread_join(follow->opener, NULL);
	follow->opening = OPENING_NONE;
	return true;
}

/*
 * A program of BPF was loaded. It may be gone with its maps before the session ends. The first look
 * takes long, and the rings would overflow meanwhile, so it has a thread.
 */
static void note_maps(struct follow *follow, bool wait)
{
	const size_t loads = follow->kernel ? history_loads(follow->collect->history) : 0;
	const bool first = loads && !follow->loads;

	if (loads == follow->loads || !maps_are_open(follow, wait))
		return;
	follow->loads = loads;
	if (!first) {
		bpf_maps_note(follow->maps);
		return;
	}
	follow->opening = OPENING;
	if (pthread_create(&follow->opener, NULL, open_maps, follow))
		follow->opening = OPENING_NONE;
}

struct bpf_maps *follow_maps(struct follow *follow)
{
	note_maps(follow, true);
	maps_are_open(follow, true);
	return follow->maps;
}

void follow_free(struct follow *follow)
{
	maps_are_open(follow, true);
	bpf_maps_free(follow->maps);
	modules_free(follow->modules);
	if (follow->process >= 0)
		close(follow->process);
	if (follow->signals >= 0)
		close(follow->signals);
}

void follow_read(struct follow *follow)
{
	const struct history_watch watch = {
		.mapped = mapped, .ended = ended, .arg = follow->files,
	};

	collect_read(follow->collect);
	note_maps(follow, false);
	if (follow->modules)
		modules_read(follow->modules);
	if (follow->files)
		history_tell(follow->collect->history, &watch);
}

/* Who samples; NULL: the module does. */
static struct engine *engine_of(const struct follow *follow)
{
	return follow->collect ? follow->collect->engine : NULL;
}

/* Is the session that was started still the current one? */
static void take_state(struct loop *loop)
{
	struct memlat_status status;

	if (engine_of(loop->follow) || memlat_device_status(loop->follow->device, &status))
		return;
	if (status.state != MEMLAT_STATE_RUNNING ||
	    status.started_ns != loop->follow->started_ns)
		end(loop, FOLLOW_SESSION);
}

/* When it is due, show how many samples the session has. */
static void show_progress(struct waiting *waiting, const struct follow *follow)
{
	char time[TEXT_NUMBER_MAX], samples[TEXT_NUMBER_MAX], lost[TEXT_NUMBER_MAX];
	struct memlat_status status;

	if (!waiting->wanted || clock_now() < waiting->due)
		return;
	waiting->due += CLOCK_SECOND;
	if (engine_of(follow))
		status = *engine_status(engine_of(follow));
	else if (memlat_device_status(follow->device, &status))
		return;
	if (!(status.flags & (MEMLAT_F_LOADS | MEMLAT_F_STORES)))
		return;
	/* Overwrite the previous line, and clear its rest. */
	fprintf(stderr, "\r\033[Krecording: %s %s %s samples, %s lost (Ctrl-C ends it)",
		text_duration(time, status.duration_ns), text_dot(),
		text_count(samples, status.samples),
		text_count(lost, account_lost(&status)));
	fflush(stderr);
	waiting->shown = true;
}

/* When to tick next. A session that only counts has nothing to look at but its task. */
static __u64 after_tick(const struct follow *follow)
{
	return follow->collect || follow->task ? clock_now() + TICK_NS : ~0ULL;
}

static void look_at_cpus(struct loop *loop)
{
	struct follow *follow = loop->follow;
	bool changed;
	int ret;

	ret = collect_look(follow->collect, &changed);
	/* Read what was mapped on a new CPU before its ring was open. */
	if (!ret && changed)
		history_read_live(follow->collect->history, 0);
	if (ret)
		fail(loop, "follow CPUs that go online and offline", -ret);
}

static void tick(struct loop *loop)
{
	struct follow *follow = loop->follow;

	if (follow->collect)
		look_at_cpus(loop);
	if (follow->task && !process_may_exist(follow->task))
		end(loop, FOLLOW_PROCESS);
	if (engine_of(follow))
		engine_tick(engine_of(follow), follow->collect);
	if (follow->collect)
		show_progress(&loop->waiting, follow);
	loop->next_tick = after_tick(follow);
}

/* Take an interval. If one cannot be taken, go on without intervals: the samples are kept. */
static void take_interval(struct loop *loop)
{
	struct follow *follow = loop->follow;
	struct interval_run *run = follow->intervals;
	pid_t writer = 0;
	int ret;

	if (engine_of(follow))
		run->device = session_view(engine_of(follow), follow->collect, &writer);
	ret = run->device < 0 ? run->device : interval_take(run);
	if (writer)
		close(run->device);
	if (writer > 0)
		waitpid(writer, NULL, 0);
	if (ret) {
		follow->intervals->error = ret;
		follow->intervals = NULL;
	}
	/* Taking a snapshot hides the message that the session has ended, so look at the state. */
	take_state(loop);
	/* After a late one, leave out an end that is so near that its interval has little in it. */
	do
		loop->next_interval += follow->interval_ns;
	while (loop->next_interval < clock_now() + follow->interval_ns / 2);
}

/*
 * The delay is over: what is counted and recorded begins now. The session ran meanwhile, so that it
 * follows all that the command has forked, and so that its periods fit.
 */
static void begin_anew(struct loop *loop)
{
	struct follow *follow = loop->follow;
	struct snapshot past;
	int ret = 0;

	if (engine_of(follow)) {
		engine_reset(engine_of(follow), follow->collect);
		goto begun;
	}
	/* Taking a snapshot drains the records that are older, which a reset leaves. */
	snapshot_init(&past);
	past.tables = 1U << MEMLAT_REC_BUCKETS;
	ret = snapshot_read(&past, follow->device);
	snapshot_free(&past);
	if (!ret)
		ret = memlat_device_reset(follow->device);
	if (ret)
		fail(loop, "forget the time of --delay", -ret);
	take_state(loop);
begun:
	loop->delayed = false;
	loop->begun = clock_now();
	loop->next_interval = loop->begun + follow->interval_ns;
}

/* Milliseconds until something is due; -1: nothing is. */
static int wait_ms(const struct loop *loop)
{
	__u64 due = loop->next_tick, time = clock_now();
	const struct follow *follow = loop->follow;
	const __u64 most = loop->delayed ? follow->delay_ns : follow->duration_ns;

	if (most && loop->begun + most < due)
		due = loop->begun + most;
	if (!loop->delayed && follow->intervals && loop->next_interval < due)
		due = loop->next_interval;
	if (due == ~0ULL)
		return -1;
	/* poll() counts milliseconds in an int, which is less than a month. */
	if (due > time + LONGEST_NS)
		due = time + LONGEST_NS;
	return due > time ? (int)((due - time + 999999) / 1000000) : 0;
}

static size_t rings_of(const struct follow *follow)
{
	return follow->collect ? follow->collect->nr_rings : 0;
}

static void set_fds(struct loop *loop)
{
	const struct follow *follow = loop->follow;
	const struct collect *collect = follow->collect;
	size_t i;

	ARRAY_GROW(loop->fds, FD_RINGS + rings_of(follow), loop->room);
	loop->fds[FD_SIGNALS] = (struct pollfd){ .fd = follow->signals, .events = POLLIN };
	loop->fds[FD_DEVICE] = (struct pollfd){ .fd = follow->device, .events = POLLPRI };
	loop->fds[FD_PROCESS] = (struct pollfd){ .fd = follow->process, .events = POLLIN };
	for (i = 0; i < rings_of(follow); i++)
		loop->fds[FD_RINGS + i] = (struct pollfd){
			/* The ring of an offline CPU would wake poll() all the time. */
			.fd = collect->rings[i].hung ? -1 : collect->rings[i].fd,
			.events = POLLIN,
		};
}

static void turn(struct loop *loop)
{
	struct follow *follow = loop->follow;
	struct collect *collect = follow->collect;
	size_t i;

	set_fds(loop);
	if (poll(loop->fds, FD_RINGS + rings_of(follow),
		 engine_wait(engine_of(follow), wait_ms(loop))) < 0 &&
	    errno != EINTR) {
		fail(loop, "wait for events", errno);
		return;
	}
	for (i = 0; i < rings_of(follow); i++)
		collect->rings[i].hung |= loop->fds[FD_RINGS + i].revents &
					  (POLLHUP | POLLERR);
	if (collect)
		follow_read(follow);
	if (loop->fds[FD_SIGNALS].revents & POLLIN)
		take_signals(loop);
	if (loop->fds[FD_DEVICE].revents & POLLPRI)
		take_state(loop);
	if (loop->fds[FD_PROCESS].revents)
		end(loop, FOLLOW_PROCESS);
	if (!loop->ended && loop->delayed && clock_now() >= loop->begun + follow->delay_ns)
		begin_anew(loop);
	if (!loop->delayed && follow->duration_ns &&
	    clock_now() >= loop->begun + follow->duration_ns)
		end(loop, FOLLOW_DURATION);
	if (!loop->ended && !loop->delayed && follow->intervals &&
	    clock_now() >= loop->next_interval)
		take_interval(loop);
	if (clock_now() >= loop->next_tick)
		tick(loop);
}

enum follow_end follow(struct follow *follow)
{
	struct loop loop = {
		.follow = follow, .begun = clock_now(), .delayed = follow->delay_ns,
	};

	loop.next_tick = after_tick(follow);
	loop.next_interval = loop.begun + follow->interval_ns;
	waiting_begin(&loop.waiting, NULL, 0);
	while (!loop.ended)
		turn(&loop);
	waiting_end(&loop.waiting);
	free(loop.fds);
	return loop.delayed && loop.end < FOLLOW_EARLY ? FOLLOW_EARLY : loop.end;
}
