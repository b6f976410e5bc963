// SPDX-License-Identifier: GPL-2.0
/*
 * A snapshot is written by a process that is forked for it: it has the tables as they are at that
 * moment, and the keeper reads its rings meanwhile. There is one such process at a time, so memory is
 * bounded. A client that does not read keeps the others waiting for CLIENT_S at most.
 */
#define _GNU_SOURCE
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../profile/snapshot.h"
#include "../profile/snapshot_rows.h"
#include "../util/clock.h"
#include "../views/status.h"
#include "engine.h"
#include "keeper.h"
#include "take.h"

#define CLIENT_S	5

enum { FD_SOCKET, FD_WRITER, FD_CLIENTS };

int session_listen(struct session *session, const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	session->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (session->socket < 0)
		return errno;
	strcpy(name.sun_path, path);
	return bind(session->socket, (const struct sockaddr *)&name, sizeof(name)) ||
	       listen(session->socket, SESSION_CLIENTS) ? errno : 0;
}

/* A stream on its way to a client. */
struct stream {
	int fd;
	size_t used;
	unsigned char bytes[SNAPSHOT_READ];
};

static int flush(struct stream *stream)
{
	const size_t size = stream->used;

	stream->used = 0;
	return send(stream->fd, stream->bytes, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -EPIPE;
}

static int put(void *arg, const void *bytes, size_t size)
{
	struct stream *stream = arg;
	int ret = stream->used + size > sizeof(stream->bytes) ? flush(stream) : 0;

	memcpy(stream->bytes + stream->used, bytes, size);
	stream->used += size;
	return ret;
}

/* What was not asked for stays here. The stream ends with a message of no bytes. */
__attribute__((noreturn))
static void write_snapshot(struct session *session, const struct session_client *client)
{
	struct snapshot *snap = engine_look(session->engine, session->collect);
	struct stream stream = { .fd = client->fd };
	unsigned int table;

	snap->tables = client->tables;
	for (table = 0; table < TABLE_NR; table++)
		if (!snapshot_has(snap, table))
			snap->rows[table].nr = 0;
	if (snapshot_emit(snap, put, &stream) || flush(&stream) || send(client->fd, "", 0, MSG_NOSIGNAL))
		shutdown(client->fd, SHUT_RDWR);
	_exit(0);
}

static void drop(struct session *session, struct session_client *client)
{
	close(client->fd);
	*client = session->client[--session->nr];
}

static void send_snapshot(struct session *session, struct session_client *client)
{
	session->writer = fork();
	if (!session->writer)
		write_snapshot(session, client);
	if (session->writer < 0) {
		drop(session, client);
		return;
	}
	session->written = (int)syscall(SYS_pidfd_open, session->writer, 0);
	if (session->written < 0)
		waitpid(session->writer, NULL, 0);
	client->due = client->interval_ms ? clock_now() + client->interval_ms * 1000000ULL : 0;
}

static int obey(struct session *session, struct session_client *client, struct device_call *call)
{
	switch (call->request) {
	case MEMLAT_IOC_QUERY:
		call->argument.query = session->query;
		return 0;
	case MEMLAT_IOC_STATUS:
		call->argument.status = *engine_status(session->engine);
		return 0;
	case MEMLAT_IOC_READER:
		client->tables = call->argument.reader.tables;
		client->interval_ms = call->argument.reader.interval_ms;
		return 0;
	case MEMLAT_IOC_RESET:
		if (!session->over)
			engine_reset(session->engine, session->collect);
		return session->over ? -ENODATA : 0;
	case MEMLAT_IOC_STOP:
		return session->over ? -ENODATA : session->stop(session->arg);
	default:
		return call->request == MEMLAT_IOC_SNAPSHOT ? 0 : -ENOTTY;
	}
}

int session_view(struct engine *engine, struct collect *collect, pid_t *writer)
{
	struct session session = { .engine = engine, .collect = collect };
	struct session_client client = { 0 };
	struct device_call call;
	int wire[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire))
		return -errno;
	*writer = fork();
	if (*writer) {
		close(wire[1]);
		return wire[0];
	}
	close(wire[0]);
	client.fd = wire[1];
	while (recv(client.fd, &call, sizeof(call), 0) == (ssize_t)sizeof(call)) {
		call.result = obey(&session, &client, &call);
		send(client.fd, &call, sizeof(call), MSG_NOSIGNAL);
		if (call.request == MEMLAT_IOC_SNAPSHOT)
			write_snapshot(&session, &client);
	}
	_exit(1);
}

static void serve(struct session *session, struct session_client *client)
{
	struct device_call call;

	if (recv(client->fd, &call, sizeof(call), MSG_DONTWAIT) != (ssize_t)sizeof(call)) {
		drop(session, client);
		return;
	}
	client->due = 0;
	call.result = obey(session, client, &call);
	if (send(client->fd, &call, sizeof(call), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		drop(session, client);
	else if (call.request == MEMLAT_IOC_SNAPSHOT)
		send_snapshot(session, client);
}

static void take_client(struct session *session)
{
	const struct timeval patience = { .tv_sec = CLIENT_S };
	int fd = accept4(session->socket, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (session->nr == SESSION_CLIENTS)
		close(fd);
	else
		session->client[session->nr++] = (struct session_client){ .fd = fd };
}

void session_fds(const struct session *session, struct pollfd fds[SESSION_FDS], int *ms)
{
	const __u64 now = clock_now();
	size_t i;

	for (i = 0; i < SESSION_FDS; i++)
		fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	fds[FD_SOCKET].fd = session->socket;
	fds[FD_WRITER].fd = session->written;
	for (i = 0; i < session->nr; i++) {
		const __u64 due = session->client[i].due;

		if (session->written < 0)
			fds[FD_CLIENTS + i].fd = session->client[i].fd;
		if (due && due < now + (__u64)*ms * 1000000)
			*ms = due > now ? (int)((due - now) / 1000000) + 1 : 0;
	}
}

static void wake(struct session_client *client)
{
	client->due = 0;
	send(client->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void session_turn(struct session *session, const struct pollfd fds[SESSION_FDS])
{
	size_t i;

	if (fds[FD_WRITER].revents) {
		waitpid(session->writer, NULL, 0);
		close(session->written);
		session->written = -1;
	}
	/* From behind, as the last one takes the place of one that has gone. */
	for (i = session->nr; i-- > 0;) {
		if (fds[FD_CLIENTS + i].revents && session->written < 0)
			serve(session, &session->client[i]);
		else if (session->written < 0 && session->client[i].due &&
			 clock_now() >= session->client[i].due)
			wake(&session->client[i]);
	}
	if (fds[FD_SOCKET].revents)
		take_client(session);
}

void session_ends(struct session *session)
{
	size_t i;

	session->over = true;
	close(session->socket);
	session->socket = -1;
	for (i = 0; i < session->nr; i++)
		if (session->client[i].due)
			wake(&session->client[i]);
}

/* Write the profile, as record does. */
__attribute__((noreturn))
static void write_profile(struct session *session, const char *folder, struct history *history,
			  struct kept_files *files)
{
	struct cgroups cgroups = { 0 };
	char path[KEEPER_PATH_MAX];
	struct take take = {
		.device = -1, .engine = session->engine, .query = &session->query, .file = path,
		.history = history, .cgroups = &cgroups, .files = files, .unseen = true,
	};

	keeper_path(path, folder, 0, KEEPER_PROFILE);
	_exit(take_profile(&take) != DONE);
}

int session_leave(struct session *session, enum memlat_end why, const char *folder,
		  struct history *history, struct kept_files *files)
{
	int status = 0;
	pid_t child;

	engine_status(session->engine)->ended = why;
	kept_files_end(files);
	child = fork();
	if (!child)
		write_profile(session, folder, history, files);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return child < 0 || status ? -EIO : 0;
}

bool session_runs(void)
{
	char left[KEEPER_PATH_MAX];
	const int fd = keeper_session(left);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool session_was_killed(void)
{
	char left[KEEPER_PATH_MAX];

	return keeper_session(left) == -ECONNREFUSED;
}

enum engine_choice session_engine(enum engine_choice asked, bool needs_module)
{
	const int device = asked == ENGINE_EITHER ? memlat_device_open() : -1;
	struct memlat_query query;

	if (device >= 0)
		close(device);
	return engine_choose(asked, needs_module, device >= 0, !engine_query(&query));
}

static void explain(const struct engine *engine, const struct keeper_child *keeper,
		    const char *folder)
{
	/* Below 0 if the rings could not be opened. */
	if (keeper->error < 0)
		out_complain("%s", engine_ring_why(engine, keeper->error));
	else
		out_complain("no process can hold the session: %s\n"
			     " it needs %s, a folder that this user owns, and UNIX sockets (CONFIG_UNIX)",
			     strerror(keeper->error), folder);
}

/* The session runs: tell what it samples, as far as the kernel allows that. */
static void print_started(struct start_options *options, const struct engine *engine)
{
	const __u32 modes = MEMLAT_F_USER | MEMLAT_F_KERNEL;
	struct memlat_query query;
	struct memlat_status status;
	char left[KEEPER_PATH_MAX];
	const int fd = keeper_session(left);

	if (fd < 0 || memlat_device_query(fd, &query) || memlat_device_status(fd, &status))
		return;
	close(fd);
	options->config.flags &= ~modes | (status.flags & modes);
	started_print(stdout, &options->config, &query, NULL);
	if (engine_remark(engine))
		printf("(%s)\n", engine_remark(engine));
	fflush(stdout);
}

enum exit_status session_start(struct start_options *options, struct keeper_child *keeper, bool stays)
{
	struct keeper_place place = { .sys = "", .stays = stays };
	const int error = engine_query(&place.query);
	struct engine *engine = NULL;
	const char *why;

	if (!error && !start_options_fit(options, &place.query))
		return MISUSED;
	if (error)
		why = engine_why(error, &options->config);
	else
		engine = engine_new(options, false, &why);
	if (!engine) {
		out_complain("%s", why);
		return FAILED;
	}
	place.folder = keeper_own_folder();
	place.query.cores = 1;
	place.query.cpu_memory = RING_PAGES * (__u64)sysconf(_SC_PAGESIZE);
	place.engine = engine;
	keeper_begin(keeper, &place, (__u32)options->config.pid);
	keeper_stay(keeper, 0);
	if (keeper->error == -EBUSY)
		options->config.reason = MEMLAT_WHY_PERF;
	if (keeper->error)
		explain(engine, keeper, place.folder);
	else if (!keeper->tied)
		print_started(options, engine);
	engine_free(engine);
	return keeper->error ? FAILED : DONE;
}
