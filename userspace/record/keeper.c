// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../host/cgroup.h"
#include "../host/device.h"
#include "../host/privilege.h"
#include "../profile/history.h"
#include "../profile/snapshot.h"
#include "../util/clock.h"
#include "../util/io.h"
#include "../util/xalloc.h"
#include "engine.h"
#include "session.h"
#include "take.h"

/* a process that lives at least this long has its files held open */
#define TICK_MS		200
#define LOOK_NS		1000000000ULL	/* between two checks that the session runs */
#define LOOK_WELL_NS	60000000000ULL	/* between two checks that it is still the same session */
#define TRIM_NS		5000000000ULL	/* between two checks of the size */
/* What ended longer ago is in the tables by now, or never will be. */
#define LATE_NS		10000000000ULL
#define BYTES_TRIM	(16U << 20)	/* below this size nothing is dropped */
#define BYTES_MOST	(128U << 20)
#define CLIENT_S	5
#define FILES_MOST	(64ULL << 20)	/* bytes of copies: /run is in memory */
#define STAY_NS		10000000000ULL	/* for clients of a session of perf's engine that is over */

enum { FD_NAMES, FD_WIRE, FD_SESSION, FD_RINGS = FD_SESSION + SESSION_FDS };

struct keeper {
	const char *folder, *sys;
	__u64 started_ns;
	struct collect collect;
	struct history *history;
	struct kept_files files;
	char files_folder[KEEPER_PATH_MAX];
	int socket;
	char path[KEEPER_PATH_MAX];
	/* Of perf's engine: */
	struct session session;		/* its engine NULL: the session is the module's */
	char session_path[KEEPER_PATH_MAX];
	int wire;			/* to the starter, with whom the session ends; -1: with nobody */
	__u64 gone;			/* when the keeper ends at the latest, once the session is over */
	struct pollfd *fds;
	size_t room;
	__u64 next_look, next_well, next_trim;
	size_t trimmed;		/* size after the last trim */
	__u64 dropped;
};

static void mapped(void *arg, __u32 pid, struct history_map *map)
{
	kept_files_mapped(&((struct keeper *)arg)->files, pid, map);
}

static void ended(void *arg, __u32 pid)
{
	kept_files_ended(&((struct keeper *)arg)->files, pid);
}

/* Take in what the kernel has reported until now. */
static void take_in(struct keeper *keeper)
{
	const struct history_watch watch = { .mapped = mapped, .ended = ended, .arg = keeper };
	__u64 time = clock_now();

	collect_read(&keeper->collect);
	history_fold(keeper->history, time, &watch);
}

/*
 * The pids and tids in the tables. The device is open only for a moment, because it blocks rmmod.
 */
static __u32 *sampled(const struct keeper *keeper, size_t *nr)
{
	struct snapshot snap;
	__u32 *numbers = NULL;
	int fd = keeper->session.engine ? -1 : memlat_device_open();

	if (keeper->session.engine)
		return engine_numbers(keeper->session.engine, nr);
	if (fd < 0)
		return NULL;
	snapshot_init(&snap);
	if (!snapshot_read(&snap, fd))
		numbers = history_numbers_of(&snap, nr);
	snapshot_free(&snap);
	close(fd);
	return numbers;
}

static void trim(struct keeper *keeper)
{
	size_t size = history_size(keeper->history), nr = 0;
	__u32 *numbers;

	keeper->next_trim = clock_now() + TRIM_NS;
	if (size < BYTES_TRIM || size < keeper->trimmed + keeper->trimmed / 2)
		return;
	numbers = sampled(keeper, &nr);
	/*
	 * Without the tables nobody knows which names are needed, but the memory bound holds all
	 * the same.
	 */
	if (numbers || size > BYTES_MOST)
		keeper->dropped += history_trim(keeper->history, numbers, nr,
						numbers ? clock_now() - LATE_NS : 0,
						BYTES_MOST / 4 * 3);
	free(numbers);
	keeper->trimmed = history_size(keeper->history);
}

/* The first bytes of a file of the module's in sysfs; "": the file is gone. */
static void read_text(const struct keeper *keeper, const char *name, char *text, size_t room)
{
	char path[PATH_MAX];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", keeper->sys, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, room - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
}

enum session_state { SESSION_RUNS, SESSION_OVER, SESSION_GONE };

/* Check the session through sysfs, not the device: an open device would keep the module loaded. */
static enum session_state poll_session(struct keeper *keeper)
{
	const __u64 time = clock_now();
	char text[4096], *at;

	keeper->next_look = time + LOOK_NS;
	/* A later start has removed this keeper's socket. */
	if (access(keeper->path, F_OK))
		return SESSION_GONE;
	if (keeper->session.engine)
		return engine_has_tasks(keeper->session.engine) ? SESSION_RUNS : SESSION_OVER;
	read_text(keeper, "cpus", text, sizeof(text));
	if (!*text)
		return SESSION_GONE;
	if (*text != '\n' && time < keeper->next_well)
		return SESSION_RUNS;
	keeper->next_well = time + LOOK_WELL_NS;
	read_text(keeper, "status", text, sizeof(text));
	at = strstr(text, "started_ns ");
	if (!at || strtoull(at + strlen("started_ns "), NULL, 10) != keeper->started_ns)
		return SESSION_GONE;
	return strstr(text, "state running\n") ? SESSION_RUNS : SESSION_OVER;
}

static bool put_answer(const struct keeper *keeper, int fd, const __u32 *pids, size_t nr)
{
	struct history *part = history_extract(keeper->history, pids, nr);
	struct keeper_answer answer = {
		.magic = KEEPER_MAGIC,
		.pid = (__u32)getpid(),
		.started_ns = keeper->started_ns,
		.dropped = keeper->dropped,
		.files = keeper->files.copies,
		.files_lost = keeper->files.lost,
		.bytes = history_size(keeper->history),
	};
	size_t size;
	void *bytes;
	bool done;

	history_encode(part, &bytes, &size);
	answer.size = size;
	done = !io_write(fd, &answer, sizeof(answer)) && !io_write(fd, bytes, size);
	free(bytes);
	history_free(part);
	return done;
}

/* Write the file that views read from now on. It gets its name when it is complete. */
static void leave_file(const struct keeper *keeper)
{
	char path[KEEPER_PATH_MAX], part[KEEPER_PATH_MAX];
	__u32 *numbers = NULL;
	size_t nr = 0;
	bool done;
	int fd;

	if (!keeper_path(path, keeper->folder, keeper->started_ns, KEEPER_FILE) ||
	    !keeper_path(part, keeper->folder, keeper->started_ns, ".part"))
		return;
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	/* Write all processes, unless that is much; then write only those in the tables. */
	if (history_size(keeper->history) > BYTES_TRIM)
		numbers = sampled(keeper, &nr);
	done = put_answer(keeper, fd, numbers, nr);
	free(numbers);
	close(fd);
	if (!done || rename(part, path))
		unlink(part);
}

/* Answer a request. True: the client told the keeper to end. */
static bool answer(struct keeper *keeper, int client)
{
	struct keeper_request request;
	bool end = false;
	size_t size, i;
	__u32 *pids;

	if (io_read(client, &request, sizeof(request)) != sizeof(request) ||
	    request.magic != KEEPER_MAGIC || request.nr_pids > KEEPER_PIDS_MOST)
		return false;
	pids = xmallocarray(request.nr_pids, sizeof(*pids));
	size = request.nr_pids * sizeof(*pids);
	if (io_read(client, pids, size) == (ssize_t)size) {
		take_in(keeper);
		/* Read from /proc what live processes did without a report. */
		for (i = 0; i < request.nr_pids; i++)
			history_read_proc(keeper->history, pids[i]);
		take_in(keeper);
		end = request.flags & KEEPER_END;
		if (end)
			leave_file(keeper);
		put_answer(keeper, client, pids, request.nr_pids);
	}
	free(pids);
	return end;
}

static bool serve(struct keeper *keeper)
{
	const struct timeval patience = { .tv_sec = CLIENT_S };
	int client = accept4(keeper->socket, NULL, NULL, SOCK_CLOEXEC);
	bool end;

	if (client < 0)
		return false;
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	end = answer(keeper, client);
	/*
	 * Remove the socket before the client goes on, because it may start another session at
	 * once.
	 */
	if (end)
		unlink(keeper->path);
	close(client);
	return end;
}

static void wait_for_work(struct keeper *keeper)
{
	struct collect *collect = &keeper->collect;
	int ms = TICK_MS;
	size_t i;

	ARRAY_GROW(keeper->fds, FD_RINGS + collect->nr_rings, keeper->room);
	keeper->fds[FD_NAMES] = (struct pollfd){ .fd = keeper->socket, .events = POLLIN };
	keeper->fds[FD_WIRE] = (struct pollfd){ .fd = keeper->session.over ? -1 : keeper->wire };
	session_fds(&keeper->session, keeper->fds + FD_SESSION, &ms);
	for (i = 0; i < collect->nr_rings; i++)
		keeper->fds[FD_RINGS + i] = (struct pollfd){
			.fd = collect->rings[i].hung ? -1 : collect->rings[i].fd,
			.events = POLLIN,
		};
	if (poll(keeper->fds, FD_RINGS + collect->nr_rings, engine_wait(collect->engine, ms)) < 0)
		for (i = 0; i < FD_RINGS + collect->nr_rings; i++)
			keeper->fds[i].revents = 0;
	for (i = 0; i < collect->nr_rings; i++)
		collect->rings[i].hung |= keeper->fds[FD_RINGS + i].revents & (POLLHUP | POLLERR);
}

static int end_session(struct keeper *keeper, enum memlat_end why)
{
	int ret;

	engine_stop(keeper->session.engine, &keeper->collect);
	take_in(keeper);
	ret = session_leave(&keeper->session, why, keeper->folder, keeper->history, &keeper->files);
	kept_files_remove(keeper->files_folder);
	collect_end(&keeper->collect);
	unlink(keeper->path);
	unlink(keeper->session_path);
	session_ends(&keeper->session);
	keeper->gone = clock_now() + STAY_NS;
	return ret;
}

static int stop(void *keeper)
{
	return end_session(keeper, MEMLAT_END_STOPPED);
}

/* A turn of a session of perf's engine. False: it is over, and nobody asks any more. */
static bool hold_session(struct keeper *keeper)
{
	if (keeper->fds[FD_WIRE].revents)
		end_session(keeper, MEMLAT_END_CLOSED);
	if (!keeper->session.over)
		engine_tick(keeper->session.engine, &keeper->collect);
	session_turn(&keeper->session, keeper->fds + FD_SESSION);
	return !keeper->session.over || (keeper->session.nr && clock_now() < keeper->gone);
}

/* Checks that are not needed at each tick. */
static enum session_state seldom(struct keeper *keeper)
{
	bool changed = false;

	/* Read what was mapped on a new CPU before its ring was open. */
	if (!collect_look(&keeper->collect, &changed) && changed)
		history_read_live(keeper->history, 0);
	if (clock_now() >= keeper->next_trim)
		trim(keeper);
	return poll_session(keeper);
}

static void keep(struct keeper *keeper)
{
	for (;;) {
		wait_for_work(keeper);
		if (keeper->fds[FD_NAMES].revents & POLLIN && serve(keeper))
			return;
		take_in(keeper);
		if (keeper->session.engine && !hold_session(keeper))
			return;
		if (keeper->session.over || clock_now() < keeper->next_look)
			continue;
		switch (seldom(keeper)) {
		case SESSION_RUNS:
			continue;
		case SESSION_OVER:
			if (keeper->session.engine) {
				end_session(keeper, MEMLAT_END_GONE);
				continue;
			}
			leave_file(keeper);
			unlink(keeper->path);
			names_leave(keeper->started_ns);
			return;
		case SESSION_GONE:
			unlink(keeper->path);
			kept_files_remove(keeper->files_folder);
			return;
		}
	}
}

/* Remove what earlier sessions left. */
static void clear_folder(const char *folder)
{
	struct dirent *entry;
	char path[512];
	DIR *listed;

	listed = opendir(folder);
	while (listed && (entry = readdir(listed))) {
		if (strncmp(entry->d_name, "names-", strlen("names-")))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (unlink(path))
			kept_files_remove(path);
	}
	if (listed)
		closedir(listed);
}

/* Make a folder that nobody else can write to. Returns 0 or an errno. */
static int make_folder(const char *folder)
{
	struct stat st;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return errno;
	if (lstat(folder, &st))
		return errno;
	if (!S_ISDIR(st.st_mode) || (st.st_uid && st.st_uid != geteuid()) ||
	    st.st_mode & S_IWOTH)
		return EPERM;
	return access(folder, R_OK | W_OK | X_OK) ? errno : 0;
}

static int open_socket(struct keeper *keeper)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	if (!keeper_path(keeper->path, keeper->folder, keeper->started_ns, KEEPER_SOCKET) ||
	    !keeper_path(keeper->files_folder, keeper->folder, keeper->started_ns,
			 KEEPER_FILES))
		return ENAMETOOLONG;
	keeper->files.folder = keeper->files_folder;
	keeper->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (keeper->socket < 0)
		return errno;
	strcpy(name.sun_path, keeper->path);
	if (bind(keeper->socket, (const struct sockaddr *)&name, sizeof(name)) ||
	    listen(keeper->socket, 16))
		return errno;
	if (!keeper->session.engine)
		return 0;
	keeper_path(keeper->session_path, keeper->folder, 0, KEEPER_SESSION);
	return session_listen(&keeper->session, keeper->session_path);
}

static int listen_to_kernel(struct keeper *keeper, const struct keeper_place *place, __u32 task)
{
	int ret;

	keeper->history = history_new();
	keeper->collect.engine = place->engine;
	ret = collect_begin(&keeper->collect, keeper->history,
			    place->engine ? RING_PAGES : RING_PAGES_FEW);
	if (ret)
		return place->engine ? ret : -ret;
	history_read_live(keeper->history, task);
	return 0;
}

/*
 * Close all but the wire and the engine's cgroup, whatever start inherited: the device would keep the
 * module from being unloaded, and whoever reads the other end of a pipe would wait for its end.
 */
static void close_others(int wire, int cgroup)
{
	const int kept[] = {
		STDERR_FILENO, cgroup < 0 || wire < cgroup ? wire : cgroup,
		cgroup < wire ? wire : cgroup,
	};
	unsigned int i;

	for (i = 1; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (kept[i] > kept[i - 1] + 1)
			close_range((unsigned int)kept[i - 1] + 1, (unsigned int)kept[i] - 1, 0);
	close_range((unsigned int)kept[i - 1] + 1, ~0U, 0);
}

/* Detach from the terminal, the process group and the folder. */
static void detach(int wire, int cgroup)
{
	struct rlimit files;
	sigset_t none;
	int null;

	close_others(wire, cgroup);
	setsid();
	/* "start --keep" blocks signals. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	umask(077);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (chdir("/"))
		_exit(1);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		if (null > 2)
			close(null);
	}
}

__attribute__((noreturn))
static void be_keeper(const struct keeper_place *place, int wire, __u32 task)
{
	struct keeper keeper = {
		.folder = place->folder, .sys = place->sys, .socket = -1, .files.most = FILES_MOST,
		.wire = -1,
		.session = {
			.engine = place->engine, .collect = &keeper.collect, .query = place->query,
			.socket = -1, .written = -1, .stop = stop, .arg = &keeper,
		},
	};
	int error;

	detach(wire, place->engine ? engine_folder(place->engine) : -1);
	/* Who started the session may remove its cgroup, or end all that is in it. */
	if (!place->stays)
		cgroup_leave("/proc/self/mountinfo");
	error = make_folder(place->folder);
	if (!error)
		error = listen_to_kernel(&keeper, place, task);
	privilege_drop(NEED_TO_KEEP);
	if (write(wire, &error, sizeof(error)) != (ssize_t)sizeof(error) || error)
		_exit(1);
	/* If the session was not started, nothing arrives. */
	if (read(wire, &keeper.started_ns, sizeof(keeper.started_ns)) !=
	    (ssize_t)sizeof(keeper.started_ns))
		_exit(0);
	if (place->engine) {
		engine_start(place->engine, &keeper.collect, keeper.history);
		keeper.started_ns = engine_status(place->engine)->started_ns;
	}
	clear_folder(place->folder);
	error = open_socket(&keeper);
	if (write(wire, &error, sizeof(error)) != (ssize_t)sizeof(error) || error)
		_exit(1);
	if (place->engine && engine_config(place->engine)->flags & MEMLAT_F_TIED)
		keeper.wire = wire;
	else
		close(wire);
	keep(&keeper);
	_exit(0);
}

/* Read the child's next message: 0, or the errno that stops it. */
static int read_message(const struct keeper_child *child)
{
	int error;

	return read(child->wire, &error, sizeof(error)) == (ssize_t)sizeof(error) ? error :
	       ECHILD;
}

void keeper_begin(struct keeper_child *child, const struct keeper_place *place, __u32 task)
{
	int wire[2];

	*child = (struct keeper_child){
		.wire = -1, .tied = place->engine && engine_config(place->engine)->flags & MEMLAT_F_TIED,
	};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire)) {
		child->error = errno;
		return;
	}
	child->pid = fork();
	if (!child->pid) {
		close(wire[0]);
		be_keeper(place, wire[1], task);
	}
	child->error = child->pid < 0 ? errno : 0;
	close(wire[1]);
	child->wire = wire[0];
	if (!child->error)
		child->error = read_message(child);
	if (child->error)
		keeper_drop(child);
}

void keeper_stay(struct keeper_child *child, __u64 started_ns)
{
	if (child->wire < 0)
		return;
	if (send(child->wire, &started_ns, sizeof(started_ns), MSG_NOSIGNAL) !=
	    (ssize_t)sizeof(started_ns))
		child->error = errno;
	else
		child->error = read_message(child);
	if (child->error)
		keeper_drop(child);
	if (child->error || child->tied)
		return;
	close(child->wire);
	child->wire = -1;
}

void keeper_drop(struct keeper_child *child)
{
	if (child->wire < 0)
		return;
	close(child->wire);
	child->wire = -1;
	/* Closing this end of the wire makes the child end. */
	if (child->pid > 0)
		waitpid(child->pid, NULL, 0);
}
