// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "take.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../cli/open.h"
#include "../host/device.h"
#include "../host/privilege.h"
#include "../host/process.h"
#include "../host/session_end.h"
#include "../names/kernel_core.h"
#include "../names/namer.h"
#include "../profile/file.h"
#include "../profile/heap.h"
#include "../profile/history.h"
#include "../profile/intervals.h"
#include "../profile/keeper.h"
#include "../profile/known.h"
#include "../profile/profile.h"
#include "../util/command.h"
#include "../util/io.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "../views/summary.h"
#include "engine.h"
#include "keeper.h"

#define SHOWN_MAX	(4 * 256)

void take_explain_end(int device, __u64 started_ns)
{
	struct memlat_status status;

	if (memlat_device_status(device, &status))
		return;
	if (status.started_ns != started_ns)
		out_complain("somebody stopped the session and started another one");
	else if (status.ended == MEMLAT_END_STOPPED)
		out_complain("somebody stopped the session; what was sampled until then is kept");
	else
		out_complain("the session ended by itself: %s; what was sampled until then is kept",
			     session_end_text(status.ended));
	if (status.started_ns == started_ns && status.state != MEMLAT_STATE_RUNNING)
		session_end_print_way_out(stderr, status.ended);
}

static bool take_tables(const struct take *take, struct profile *profile)
{
	struct snapshot *snap = &profile->snap;

	if (take->engine) {
		engine_take(take->engine, snap);
		cmd_warn_account(snap);
		return true;
	}
	snap->keep_stream = true;
	if (!cmd_is_read(snap, snapshot_read(snap, take->device)))
		return false;
	if (snap->head.status.started_ns != take->started_ns) {
		out_complain("another session has started since then, so nothing was written\n"
			     "  memlat-ctl status");
		return false;
	}
	return true;
}

/* Join the command's words with blanks, for people. */
static char *join(char **words)
{
	size_t size, i;
	char *text;
	FILE *out = xmemstream(&text, &size);

	for (i = 0; words[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", words[i]);
	xmemstream_end(out);
	return text;
}

/* 0, or -errno if the heap objects could not be read. */
static int take_names(struct take *take, struct profile *profile)
{
	/*
	 * In another PID namespace the numbers in the module's tables belong to other processes. perf
	 * numbers them as they are here.
	 */
	const bool numbers = take->engine || process_sees_all();
	size_t i;
	int ret;

	if (numbers) {
		history_read_sampled(profile->history, &profile->snap);
		for (i = 0; i < profile->snap.nr_threads; i++)
			cgroups_note(&profile->cgroups, profile->snap.threads[i].tgid);
	}
	history_settle(profile->history, &profile->snap);
	if (numbers)
		history_read_jit(profile->history, &profile->snap);
	machine_read(&profile->machine, take->query);
	if (take->heap_folder) {
		ret = heap_log_read(&profile->heap, take->heap_folder);
		if (ret)
			return ret;
		heap_keep(profile->heap, &profile->snap);
	}
	if (take->command)
		profile->command = join(take->command);
	if (!take->unseen)
		debug_fetch(profile, &take->fetch);
	/*
	 * Without these names, kernel addresses stay numbers, and views say so. The kernel takes
	 * some 500 million instructions to print its symbols, so they are read only if an address
	 * needs one.
	 */
	if (kernel_names_wanted(&profile->snap)) {
		kernel_names_read(&profile->kernel, &profile->snap, take->maps, true);
		/* A program of BPF may be gone by now. */
		history_name_kernel(profile->history, &profile->kernel);
		if (take->modules)
			modules_doubt(take->modules, profile->kernel);
	}
	return 0;
}

static void take_intervals(struct take *take, struct profile *profile)
{
	if (!take->intervals)
		return;
	interval_finish(take->intervals, &profile->snap);
	profile->intervals = take->intervals->kept;
	take->intervals->kept = NULL;
}

static void print_intervals(const struct take *take, const struct intervals *intervals)
{
	char length[TEXT_NUMBER_MAX];

	if (take->intervals && take->intervals->error)
		fprintf(stderr, "(the last interval lasts until the end, because no snapshot could be taken in between: %s)\n",
			strerror(-take->intervals->error));
	if (intervals && intervals->joins)
		fprintf(stderr, "(intervals are %s long: there is room for %u, and for %u MiB of rows)\n",
			text_duration(length, intervals->step_ns << intervals->joins),
			INTERVALS_MOST, INTERVALS_BYTES >> 20);
}

static void print_fetched(const struct debug_fetch *fetch)
{
	char fetched[TEXT_NUMBER_MAX], failed[TEXT_NUMBER_MAX];

	if (fetch->no_library)
		fputs("(DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not here: apt-get install libdebuginfod1)\n",
		      stderr);
	else if (fetch->fetched || fetch->failed)
		fprintf(stderr, "(debug information of %s file%s came from debuginfod; of %s it has none%s)\n",
			text_count(fetched, fetch->fetched), fetch->fetched == 1 ? "" : "s",
			text_count(failed, fetch->failed),
			fetch->cancelled ? "; interrupted" : "");
}

static void print_notes(const struct take *take, const struct profile *profile)
{
	const struct heap_log *heap = profile->heap;
	char count[TEXT_NUMBER_MAX], all[TEXT_NUMBER_MAX];
	__u64 lost = history_lost_events(profile->history);

	if (lost)
		fprintf(stderr,
			"(%s events of processes and mappings were lost: names may be missing)\n",
			text_count(count, lost));
	print_fetched(&take->fetch);
	if (!process_sees_all())
		fprintf(stderr, "(this container has its own PID namespace, so only %s:\n"
			" run it with --pid=host (Kubernetes: hostPID: true), or start memlat-ctl outside, for all)\n",
			take->engine ? "its processes are sampled in user mode" :
				       "the recorded process has names");
	if (!heap)
		return;
	if (!heap_processes(heap)) {
		fputs("(--heap: no allocation was recorded: the program is linked statically, runs as\n"
		      " another user, or has its own allocator)\n", stderr);
		return;
	}
	if (heap_lost(heap))
		fprintf(stderr,
			"(--heap: %s allocations were recorded, %s were not: a process records at most 256 MiB,\n"
			" and less if TMPDIR is full or ulimit -f is low)\n",
			text_count(all, heap_objects(heap)),
			text_count(count, heap_lost(heap)));
	if (heap_cut(heap))
		fprintf(stderr,
			"(--heap: what %s program%s allocated is not known, or not all of it: TMPDIR is full,\n"
			" ulimit -f is low, or its file cannot be read)\n",
			text_count(count, heap_cut(heap)), heap_cut(heap) == 1 ? "" : "s");
}

/*
 * Print what 'memlat-ctl report' would say, to standard error, because standard output is the
 * command's.
 */
static void print_summary(const struct profile *profile, struct namer *namer)
{
	struct rows_view view = { .profile = profile, .namer = namer };

	out_set_terminal(STDERR_FILENO);
	view.width = out_width();
	out_set_terminal(STDOUT_FILENO);
	summary_print(stderr, &view);
}

static void print_written(const struct profile *profile, struct namer *namer, const char *path)
{
	char size[TEXT_NUMBER_MAX], count[TEXT_NUMBER_MAX], name[SHOWN_MAX];
	struct stat st;

	text_escape(name, sizeof(name), path);
	fprintf(stderr, "wrote %s", name);
	if (!stat(path, &st))
		fprintf(stderr, " (%s)", text_bytes(size, (__u64)st.st_size));
	if (profile->heap)
		fprintf(stderr, ", with %s allocations recorded",
			text_count(count, heap_objects(profile->heap)));
	fputc('\n', stderr);
	command_reads("input", path);
	print_summary(profile, namer);
}

/* Where to find what cannot be written. */
static const char *kept_by(const struct take *take)
{
	return take->engine ? "" :
		"\n  memlat-ctl report      shows what was recorded: the module has it until the next start";
}

static enum exit_status write_file(const struct take *take, const struct profile *profile,
				   struct namer *namer)
{
	char why[PROFILE_ERROR_MAX], shown[SHOWN_MAX];

	if (profile_write(profile, take->file, why)) {
		out_complain("-o %s: %s%s", text_escape(shown, sizeof(shown), take->file), why,
			     kept_by(take));
		return FAILED;
	}
	print_notes(take, profile);
	print_intervals(take, profile->intervals);
	if (!take->unseen)
		print_written(profile, namer, take->file);
	return DONE;
}

/* Find the names that the profile keeps, and write it. */
static enum exit_status name_and_write(const struct take *take, struct profile *profile)
{
	struct namer *namer = namer_new(profile, NULL);
	enum exit_status status;

	namer_is_recording(namer, take->files ? take->files->folder : NULL);
	profile->known = namer_keep(namer);
	status = write_file(take, profile, namer);
	namer_free(namer);
	return status;
}

enum exit_status take_profile(struct take *take)
{
	enum exit_status status = FAILED;
	struct profile profile;
	int ret;

	profile_init(&profile);
	profile.history = take->history;
	profile.counts = take->counts;
	profile.cgroups = *take->cgroups;
	memset(take->cgroups, 0, sizeof(*take->cgroups));
	profile.recorded_at = (__u64)time(NULL);
	if (take_tables(take, &profile)) {
		/* The session is over. From here on files of the sampled processes are read. */
		privilege_drop(NEED_TO_WRITE);
		take_intervals(take, &profile);
		ret = take_names(take, &profile);
		if (ret)
			out_complain("cannot read the heap objects: %s%s", strerror(-ret),
				     kept_by(take));
		else
			status = name_and_write(take, &profile);
	}
	profile_free(&profile);
	return status;
}

/* Write the file, which gets its name when it is complete. */
static void write_names(struct known *known, __u64 started_ns)
{
	char path[KEEPER_PATH_MAX], part[KEEPER_PATH_MAX];
	void *bytes;
	size_t size;
	bool done;
	int fd;

	if (!keeper_path(path, KEEPER_FOLDER, started_ns, KEEPER_NAMES) ||
	    !keeper_path(part, KEEPER_FOLDER, started_ns, KEEPER_NAMES "-part"))
		return;
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	known_encode(known, &bytes, &size);
	done = !io_write(fd, bytes, size);
	free(bytes);
	close(fd);
	if (!done || rename(part, path))
		unlink(part);
}

void names_leave(__u64 started_ns)
{
	struct profile profile;
	struct namer *namer;
	bool read;
	int fd = memlat_device_open();

	if (fd < 0)
		return;
	profile_init(&profile);
	profile.live = true;
	read = !snapshot_read(&profile.snap, fd);
	close(fd);
	/* From here on files of the sampled processes are read. */
	privilege_drop(NEED_TO_WRITE);
	if (read && profile.snap.head.status.started_ns == started_ns) {
		profile_find_processes(&profile);
		/* Without a keeper, there is nobody to whom the file would belong. */
		if (profile.keeper.state == KEEPER_OVER && !profile.known) {
			namer = namer_new(&profile, NULL);
			profile.known = namer_keep(namer);
			write_names(profile.known, started_ns);
			namer_free(namer);
		}
	}
	profile_free(&profile);
}
