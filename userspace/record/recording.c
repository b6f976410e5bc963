// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "recording.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cli/open.h"
#include "../host/process.h"
#include "../profile/cgroups.h"
#include "../profile/history.h"
#include "engine.h"
#include "follow.h"
#include "session.h"
#include "take.h"

#define FILES_MOST	(1ULL << 30)	/* bytes of copies */

/* What has to be released, however the recording ends. */
struct recording {
	struct record_options *options;
	struct memlat_query query;
	struct follow follow;
	struct child child;
	struct collect collect;	/* with perf's engine, if that samples */
	struct history *history;
	struct cgroups cgroups;	/* of processes, until the profile has them */
	struct preload preload;
	struct kept_files files;
	char files_folder[PATH_MAX];
	struct interval_run intervals;
	sigset_t mask;		/* the signal mask before the recording */
	/* of the process that is recorded, in the module's numbering; 0: all */
	__u32 pid;
	bool running;		/* our session runs */
};

bool recording_child(struct child *child, char *const command[], const sigset_t *mask,
		     char *const environment[], int device, struct memlat_config *config)
{
	int ret = child_make(child, command, mask, environment, device);

	if (ret) {
		out_complain("cannot make a process: %s", strerror(-ret));
		return false;
	}
	config->pid = (__s32)child->pid;
	config->flags |= MEMLAT_F_CHILDREN;
	return true;
}

static bool make_child(struct recording *recording)
{
	struct record_options *options = recording->options;

	if (!options->command)
		return true;
	if (options->heap && !preload_begin(&recording->preload))
		return false;
	recording->follow.child = &recording->child;
	return recording_child(&recording->child, options->command, &recording->mask,
			       recording->preload.environment, recording->follow.device,
			       &options->start.config);
}

static bool listen(struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct engine *engine = recording->collect.engine;
	int ret;

	recording->history = history_new();
	ret = collect_begin(&recording->collect, recording->history, RING_PAGES);
	if (ret && engine) {
		out_complain("%s", engine_ring_why(engine, ret));
		return false;
	}
	if (ret) {
		out_complain("the kernel does not report processes (perf_event_open: %s)\n"
			     "  sysctl kernel.perf_event_paranoid      above 1, it reports only to root and CAP_PERFMON%s",
			     strerror(-ret), ret == -EMFILE ?
			     "\n  ulimit -n      one file is needed for each CPU" : "");
		return false;
	}
	/*
	 * Read /proc after the rings are open, so that nothing is missed between the two. A command
	 * is still ours, and has not executed yet.
	 */
	history_read_live(recording->history, (__u32)options->start.config.pid);
	if (options->start.config.pid)
		cgroups_note(&recording->cgroups, (__u32)options->start.config.pid);
	else
		cgroups_note_all(&recording->cgroups);
	recording->follow.collect = &recording->collect;
	recording->follow.kernel = recording->options->start.config.flags & MEMLAT_F_KERNEL;
	if (recording->follow.kernel)
		recording->follow.modules = modules_watch();
	return true;
}

bool recording_start(int device, struct memlat_config *config, const struct memlat_query *query,
		     bool *running, struct memlat_status *session, enum exit_status *status)
{
	int ret = memlat_device_start(device, config);

	if (ret) {
		*status = refusal_explain(device, -ret, config, query);
		return false;
	}
	*running = true;
	ret = memlat_device_status(device, session);
	if (ret)
		cmd_complain_device("query the session", -ret);
	return !ret;
}

int recording_signals(sigset_t *mask)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	struct sigaction old;
	sigset_t set;
	size_t i;
	int fd;

	sigemptyset(&set);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&set, ends[i]);
	/* nohup ignores SIGHUP on purpose. A blocked signal would be seen all the same. */
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler == SIG_IGN)
		sigdelset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, mask);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		out_complain("cannot wait for signals: %s", strerror(errno));
	return fd;
}

/*
 * Programs that nobody can open any more when the session is over, because they were replaced or
 * because their container is gone. Without a folder, they have no names.
 */
static void keep_files(struct recording *recording)
{
	const char *temporary = getenv("TMPDIR");

	if (!temporary || *temporary != '/' || strlen(temporary) > PATH_MAX - 64)
		temporary = "/tmp";
	snprintf(recording->files_folder, sizeof(recording->files_folder), "%s/memlat-files.XXXXXX",
		 temporary);
	/* The folder gets mode 0700. */
	if (!mkdtemp(recording->files_folder)) {
		recording->files_folder[0] = '\0';
		return;
	}
	recording->files = (struct kept_files){
		.folder = recording->files_folder, .most = FILES_MOST,
	};
	recording->follow.files = &recording->files;
}

bool recording_engine(struct collect *collect, struct start_options *start, bool command, bool unseen)
{
	static bool told;
	const char *why;

	collect->engine = engine_new(start, command, &why);
	if (!collect->engine) {
		out_complain("%s", why);
		return false;
	}
	why = engine_remark(collect->engine);
	if (why && !told && !unseen)
		fprintf(stderr, "(%s)\n", why);
	told |= why && !unseen;
	return true;
}

/* Before the rings are opened, which have its events. */
static bool begin_engine(struct recording *recording)
{
	struct record_options *options = recording->options;

	return recording->follow.device >= 0 ||
	       recording_engine(&recording->collect, &options->start, options->command, options->unseen);
}

/* Start sampling. False after printing why that failed. */
static bool start(struct recording *recording, enum exit_status *status)
{
	struct follow *follow = &recording->follow;
	struct memlat_status session;

	if (recording->collect.engine) {
		engine_start(recording->collect.engine, &recording->collect, recording->history);
		follow->started_ns = engine_status(recording->collect.engine)->started_ns;
		recording->running = true;
		return true;
	}
	if (!recording_start(follow->device, &recording->options->start.config,
			     &recording->query, &recording->running, &session, status))
		return false;
	follow->started_ns = session.started_ns;
	recording->pid = (__u32)session.pid;
	return true;
}

static bool begin(struct recording *recording, enum exit_status *status)
{
	struct memlat_config *config = &recording->options->start.config;
	struct follow *follow = &recording->follow;

	*status = FAILED;
	recording->follow.signals = recording_signals(&recording->mask);
	if (recording->follow.signals < 0 || !make_child(recording) ||
	    !begin_engine(recording) || !listen(recording))
		return false;
	if (!recording->options->command && config->pid) {
		follow->task = (__u32)config->pid;
		/*
		 * A thread that is not the first one has no pidfd: it is looked for at each tick.
		 */
		follow->process = (int)syscall(SYS_pidfd_open, config->pid, 0);
	}
	if (!start(recording, status))
		return false;
	if (recording->options->interval_ns) {
		recording->intervals.device = follow->device;
		recording->intervals.started_ns = follow->started_ns;
		recording->intervals.kept = intervals_new(recording->options->interval_ns);
		follow->intervals = &recording->intervals;
		follow->interval_ns = recording->options->interval_ns;
	}
	keep_files(recording);
	return true;
}

/* Nobody would read a session that is left running. An older module refuses unknown flags. */
void recording_tie(struct memlat_config *config, const struct memlat_query *query)
{
	config->flags |= query->flags & MEMLAT_F_TIED;
}

/*
 * Always count events while sampling: it takes more counters, but no more work for a sample. Views
 * scale the samples by these counts. A session of strides goes without.
 */
void recording_count(struct memlat_config *config, const struct memlat_query *query)
{
	if (!(config->flags & MEMLAT_F_STRIDE))
		config->flags |= query->flags & MEMLAT_F_COUNT;
}

void recording_stop(const struct follow *follow, bool *running)
{
	struct collect *collect = follow->collect;
	struct memlat_status status;

	if (*running && collect && collect->engine)
		engine_stop(collect->engine, collect);
	else if (*running &&
	    (memlat_device_status(follow->device, &status) || !follow->started_ns ||
	     status.started_ns == follow->started_ns))
		memlat_device_stop(follow->device);
	*running = false;
}

static enum exit_status run(struct recording *recording)
{
	struct record_options *options = recording->options;
	enum follow_end end;
	struct take take = {
		.device = recording->follow.device,
		.engine = recording->collect.engine,
		.started_ns = recording->follow.started_ns,
		.query = &recording->query,
		.history = recording->history,
		.cgroups = &recording->cgroups,
		.command = options->command,
		.file = options->file,
		.unseen = options->unseen,
		.counts = options->counted,
		.intervals = recording->intervals.kept ? &recording->intervals : NULL,
	};
	enum exit_status status;
	int error;

	if (options->command) {
		error = child_go(&recording->child);
		if (error)
			return child_explain(options->command[0], error);
	}
	end = follow(&recording->follow);
	if (end == FOLLOW_SESSION)
		take_explain_end(recording->follow.device, recording->follow.started_ns);
	recording_stop(&recording->follow, &recording->running);
	/* Read what was reported until then. */
	follow_read(&recording->follow);
	kept_files_end(&recording->files);
	take.files = &recording->files;
	take.maps = follow_maps(&recording->follow);
	take.modules = recording->follow.modules;
	if (!take.engine && !process_sees_all())
		history_only(recording->history, (__u32)options->start.config.pid,
			     recording->pid);
	if (recording->preload.folder[0])
		take.heap_folder = recording->preload.folder;
	if (end != FOLLOW_COMMAND)
		child_end(&recording->child, recording->follow.signal);
	if (end == FOLLOW_EARLY) {
		out_complain("the recording ended before the %s seconds of --delay were over, so it has nothing; give fewer",
			     options->delay);
		return FAILED;
	}
	status = take_profile(&take);
	recording->history = NULL;
	options->counted = NULL;
	if (status != DONE || end == FOLLOW_ERROR || end == FOLLOW_SESSION)
		return status == DONE ? FAILED : status;
	return end == FOLLOW_COMMAND ? (enum exit_status)child_status(&recording->child) :
				       DONE;
}

static void give_back(struct recording *recording)
{
	recording_stop(&recording->follow, &recording->running);
	child_drop(&recording->child);
	engine_free(recording->collect.engine);
	collect_end(&recording->collect);
	history_free(recording->history);
	cgroups_free(&recording->cgroups);
	preload_end(&recording->preload);
	kept_files_end(&recording->files);
	if (recording->files_folder[0])
		kept_files_remove(recording->files_folder);
	follow_free(&recording->follow);
	interval_free(&recording->intervals);
	if (recording->follow.device >= 0)
		close(recording->follow.device);
}

static struct recording *under_way;	/* NULL: none */

/*
 * Called when memory runs out (../util/xalloc.h), which can happen anywhere: do not leave the
 * command or the session running then either.
 */
static void abandon(void)
{
	if (!under_way)
		return;
	recording_stop(&under_way->follow, &under_way->running);
	if (under_way->child.go >= 0)
		child_drop(&under_way->child);
	else
		child_end(&under_way->child, 0);
	preload_end(&under_way->preload);
	if (under_way->files_folder[0])
		kept_files_remove(under_way->files_folder);
}

/* Is anything asked for that only the module does? */
static bool needs_module(const struct record_options *options)
{
	return start_needs_module(&options->start, options->command);
}

const char *recording_clash(struct record_options *options)
{
	if (options->start.engine == ENGINE_PERF && needs_module(options))
		return START_ONLY_MODULE;
	if (options->heap && !options->command)
		return "--heap needs a command that memlat-ctl starts; give it after --";
	if (options->counts && options->delay)
		return "--delay: --counts counts a whole run, from its beginning; leave out one of them";
	if (options->counts && !options->command && !options->duration_ns)
		return "--counts: half of the time is counted, the other half sampled; give --duration";
	return start_whom_clash(&options->start, options->command, "record", "recorded");
}

bool recording_open(enum engine_choice engine, bool needs_module, const struct memlat_config *config,
		    struct memlat_query *query, int *device)
{
	int error;

	*device = -1;
	if (session_engine(engine, needs_module) == ENGINE_MODULE) {
		*device = cmd_open(query);
		return *device >= 0;
	}
	error = engine_query(query);
	if (error)
		out_complain("%s", engine_why(error, config));
	return !error;
}

enum exit_status recording_run(struct record_options *options)
{
	struct recording recording = {
		.options = options,
		.follow = {
			.signals = -1, .process = -1,
			.delay_ns = options->delay_ns, .duration_ns = options->duration_ns,
		},
		.child = { .go = -1, .failed = -1 },
	};
	static bool registered;
	enum exit_status status;

	if (!recording_open(options->start.engine, needs_module(options), &options->start.config,
			    &recording.query, &recording.follow.device))
		return FAILED;
	if (options->command)
		options->start.config.flags |= MEMLAT_F_CHILDREN;
	recording_tie(&options->start.config, &recording.query);
	recording_count(&options->start.config, &recording.query);
	under_way = &recording;
	if (!registered)
		registered = !atexit(abandon);
	status = MISUSED;
	if (start_options_fit(&options->start, &recording.query) &&
	    begin(&recording, &status))
		status = run(&recording);
	under_way = NULL;
	give_back(&recording);
	return status;
}
