// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cli/open.h"
#include "../profile/history.h"
#include "../util/out.h"
#include "../util/xalloc.h"
#include "engine.h"
#include "follow.h"
#include "take.h"

/* What has to be released, however the run ends. */
struct counting {
	struct counting_options *options;
	struct follow follow;
	struct collect collect;	/* its engine counts; NULL: the module does */
	struct history *history;
	struct child child;
	sigset_t mask;		/* the signal mask before the run */
	bool running;
};

static bool begin_engine(struct counting *counting)
{
	int ret;

	if (!recording_engine(&counting->collect, &counting->options->start, counting->options->command,
			      false))
		return false;
	counting->follow.collect = &counting->collect;
	counting->history = history_new();
	ret = collect_begin(&counting->collect, counting->history, RING_PAGES_FEW);
	if (ret)
		out_complain("%s", engine_ring_why(counting->collect.engine, ret));
	else
		engine_start(counting->collect.engine, &counting->collect, counting->history);
	counting->running = !ret;
	return !ret;
}

static bool begin(struct counting *counting, const struct memlat_query *query,
		  enum exit_status *status)
{
	struct memlat_config *config = &counting->options->start.config;
	char **command = counting->options->command;
	struct follow *follow = &counting->follow;
	struct memlat_status session;

	follow->signals = recording_signals(&counting->mask);
	if (follow->signals < 0)
		return false;
	if (command) {
		follow->child = &counting->child;
		if (!recording_child(&counting->child, command, &counting->mask,
				     counting->options->environment, follow->device, config))
			return false;
	} else if (config->pid) {
		follow->task = (__u32)config->pid;
		follow->process = (int)syscall(SYS_pidfd_open, config->pid, 0);
	}
	if (follow->device < 0)
		return begin_engine(counting);
	recording_tie(config, query);
	if (!recording_start(follow->device, config, query, &counting->running, &session, status))
		return false;
	follow->started_ns = session.started_ns;
	return true;
}

static bool read_counts(const struct follow *follow, struct snapshot *snap)
{
	if (follow->collect) {
		engine_take(follow->collect->engine, snap);
		if (!snap->nr_counts)
			out_complain("the counters were free for a part of the run only: something else counts, too\n"
				     "  memlat-ctl doctor      names who uses them");
		return snap->nr_counts;
	}
	snap->tables = 1U << MEMLAT_REC_COUNT;
	snap->keep_stream = true;
	if (!cmd_is_read(snap, snapshot_read(snap, follow->device)))
		return false;
	if (snap->head.status.started_ns == follow->started_ns)
		return true;
	out_complain("the counts are lost: somebody started another session");
	return false;
}

static bool run(struct counting *counting, struct snapshot *snap, enum exit_status *status)
{
	const struct counting_options *options = counting->options;
	enum follow_end end;
	int error;

	if (options->command) {
		error = child_go(&counting->child);
		if (error) {
			*status = child_explain(options->command[0], error);
			return false;
		}
	}
	end = follow(&counting->follow);
	if (end == FOLLOW_SESSION)
		take_explain_end(counting->follow.device, counting->follow.started_ns);
	recording_stop(&counting->follow, &counting->running);
	counting->options->interrupted = end == FOLLOW_SIGNAL;
	if (end != FOLLOW_COMMAND)
		child_end(&counting->child, end == FOLLOW_SIGNAL ? counting->follow.signal : 0);
	if (!read_counts(&counting->follow, snap))
		return false;
	*status = end == FOLLOW_SESSION || end == FOLLOW_ERROR ? FAILED : DONE;
	if (end == FOLLOW_COMMAND)
		*status = (enum exit_status)child_status(&counting->child);
	return true;
}

bool counting_run(int device, const struct memlat_query *query,
		  struct counting_options *options, struct snapshot *snap,
		  enum exit_status *status)
{
	struct counting counting = {
		.options = options,
		.follow = {
			.device = device, .signals = -1, .process = -1,
			.duration_ns = options->duration_ns,
		},
		.child = { .go = -1, .failed = -1 },
	};
	bool good;

	snapshot_init(snap);
	*status = FAILED;
	good = begin(&counting, query, status) && run(&counting, snap, status);
	recording_stop(&counting.follow, &counting.running);
	child_drop(&counting.child);
	engine_free(counting.collect.engine);
	collect_end(&counting.collect);
	history_free(counting.history);
	follow_free(&counting.follow);
	sigprocmask(SIG_SETMASK, &counting.mask, NULL);
	return good;
}

enum exit_status counting_into(const char *file, struct start_options *start,
			       enum engine_choice engine, bool needs_module,
			       enum exit_status (*count)(void *context, int device,
							 const struct memlat_query *query,
							 FILE *out),
			       void *context)
{
	enum exit_status status = FAILED;
	struct memlat_query query;
	int device;
	FILE *out;

	if (!recording_open(engine, needs_module, &start->config, &query, &device))
		return FAILED;
	out = start_options_fit_count(start, &query) ? out_open(file) : NULL;
	if (out) {
		status = count(context, device, &query, out);
		if (!out_close(out, file) && status == DONE)
			status = FAILED;
	}
	if (device >= 0)
		close(device);
	return status;
}

/* False: leave with *status. */
static bool count_first(struct record_options *options, enum exit_status *status)
{
	struct counting_options counting = {
		.start = options->start,
		.duration_ns = options->duration_ns,
		.command = options->command,
	};
	struct memlat_config *config = &counting.start.config;
	struct preload preload = { 0 };
	struct memlat_query query;
	int device;
	bool good;

	*status = FAILED;
	if (!recording_open(options->start.engine, start_needs_module(&options->start, options->command),
			    config, &query, &device))
		return false;
	/* How loads are sampled matters only in the second run. */
	config->ldlat = 0;
	config->period = config->store_period = config->max_overhead = config->max_memory = 0;
	config->flags &= MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_THREAD | MEMLAT_F_CHILDREN |
			 MEMLAT_F_NO_GUESTS;
	options->counted = xmalloc(sizeof(*options->counted));
	snapshot_init(options->counted);
	/*
	 * Preload the heap library in the counting run too, or the two runs would not do the same
	 * work. What it logs in the counting run is discarded.
	 */
	good = start_options_fit_count(&counting.start, &query) &&
	       (!options->heap || preload_begin(&preload));
	counting.environment = preload.environment;
	good = good && counting_run(device, &query, &counting, options->counted, status);
	preload_end(&preload);
	if (device >= 0)
		close(device);
	/* A signal ends everything, whatever it interrupted. */
	if (good && counting.interrupted) {
		out_complain("interrupted during the run that is counted: nothing was recorded");
		*status = FAILED;
		good = false;
	} else if (good && *status != DONE) {
		out_complain("the run that was counted ended with status %d: nothing was recorded",
			     *status);
		good = false;
	}
	return good;
}

enum exit_status two_passes_run(struct record_options *options)
{
	enum exit_status status = DONE;

	if (options->counts && !options->command)
		options->duration_ns /= 2;
	if (!options->counts || count_first(options, &status))
		status = recording_run(options);
	if (options->counted)
		snapshot_free(options->counted);
	free(options->counted);
	options->counted = NULL;
	return status;
}

enum exit_status recording_aside(struct record_options *record, int *file)
{
	const char *place = getenv("TMPDIR");
	char folder[PATH_MAX], path[PATH_MAX + 16];
	enum exit_status status;
	sigset_t mask;

	*file = -1;
	snprintf(folder, sizeof(folder), "%s/memlat-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(folder)) {
		out_complain("cannot make a folder like %s: %s\n"
			     "  TMPDIR=FOLDER memlat-ctl ...      makes it elsewhere",
			     folder, strerror(errno));
		return FAILED;
	}
	snprintf(path, sizeof(path), "%s/profile", folder);
	record->file = path;
	record->unseen = true;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	status = two_passes_run(record);
	/* The signal that ended the sampling may end the view as well. */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	*file = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	rmdir(folder);
	return status;
}
