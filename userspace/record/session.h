/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session of perf's engine that memlat-ctl start began: its keeper has the rings, adds up
 * the samples, and answers the module's ioctls at a socket (../host/device.h), so that views read it
 * as they read the module.
 */
#ifndef MEMLAT_SESSION_H
#define MEMLAT_SESSION_H

#include <poll.h>
#include <stdbool.h>

#include "../cli/start_options.h"
#include "../host/device.h"
#include "engine.h"
#include "keeper.h"

#define SESSION_CLIENTS	16
#define SESSION_FDS	(2 + SESSION_CLIENTS)

struct history;
struct kept_files;

/* Whoever has connected. */
struct session_client {
	int fd;
	__u32 tables, interval_ms;	/* MEMLAT_IOC_READER */
	__u64 due;			/* when its interval ends; 0: nobody waits for that */
};

struct session {
	struct engine *engine;
	struct collect *collect;
	struct memlat_query query;
	bool over;
	int socket;	/* -1: it was closed */
	/* the process that writes a snapshot, and its pidfd; -1: none */
	pid_t writer;
	int written;
	struct session_client client[SESSION_CLIENTS];
	size_t nr;
	/* Stop the session, and leave its profile. 0 or -errno. */
	int (*stop)(void *arg);
	void *arg;
};

/* The keeper's part. Listen at that socket: 0 or an errno. */
int session_listen(struct session *session, const char *path);
/* What to wait for, and how many milliseconds at most. */
void session_fds(const struct session *session, struct pollfd fds[SESSION_FDS], int *ms);
/* Answer, and wake those whose interval has ended. */
void session_turn(struct session *session, const struct pollfd fds[SESSION_FDS]);
/*
 * For a session without a keeper: fork a process that has the tables as they are now, and answers at the
 * descriptor that is returned until it has written a snapshot there. Or -errno.
 */
int session_view(struct engine *engine, struct collect *collect, pid_t *writer);
/*
 * The session has ended: write its profile into the folder, from another process, which gives up
 * rights for that. The tables stay for clients. 0 or -errno.
 */
int session_leave(struct session *session, enum memlat_end why, const char *folder,
		  struct history *history, struct kept_files *files);
/* Wake everybody, and take no others. */
void session_ends(struct session *session);

/*
 * Begin a session, and print what it samples, or why it cannot. With MEMLAT_F_TIED it ends with this
 * process, and nothing is printed but that.
 */
enum exit_status session_start(struct start_options *options, struct keeper_child *keeper, bool stays);
/* Is there one that runs, or whose keeper was killed? */
bool session_runs(void);
bool session_was_killed(void);
/* The engine of a session that begins now, by engine_choose(), whichever command begins it. */
enum engine_choice session_engine(enum engine_choice asked, bool needs_module);

#endif
