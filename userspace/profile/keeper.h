/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keeper is the process that memlat-ctl start leaves behind. It notes which processes live and
 * what they map, so that a view can name processes that have ended by then. While the session runs,
 * the keeper answers at a socket; when the session ends, it leaves what it knew in a file. The
 * socket, the file, and copies of programs that nobody could open any more are in one folder. Their
 * names contain the session's started_ns.
 */
#ifndef MEMLAT_KEEPER_H
#define MEMLAT_KEEPER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define KEEPER_FOLDER	"/run/memlat"
#define KEEPER_PATH_MAX	96	/* as much as the address of a socket takes */

struct history;

enum keeper_state {
	KEEPER_NONE,	/* nobody keeps anything of this session */
	KEEPER_HERE,	/* the keeper answered */
	KEEPER_OVER,	/* the keeper has left a file */
	KEEPER_DIED,	/* the keeper ended before the session did, or does not answer */
	KEEPER_CLOSED	/* this user may not ask the keeper */
};

struct keeper_told {
	enum keeper_state state;
	__u32 pid;		/* of the keeper; KEEPER_HERE */
	__u64 dropped;		/* processes whose mappings were dropped to save memory */
	__u64 files;		/* copies of programs that could not be opened any more */
	__u64 files_lost;	/* programs that were not copied for want of room */
	__u64 bytes;		/* that the keeper holds in memory, without copies */
};

/* The request and the answer at the socket. Numbers are in this machine's byte order. */
#define KEEPER_MAGIC	0x4b4c4d4dU
#define KEEPER_END	1U	/* the session is over: write the file and exit */

struct keeper_request {
	__u32 magic;
	__u32 flags;
	__u32 nr_pids;		/* number of pids of 4 bytes that follow, in rising order */
	__u32 reserved;
};

struct keeper_answer {
	__u32 magic;
	__u32 pid;
	__u64 started_ns;
	__u64 dropped, files, files_lost, bytes;
	/* bytes of the history that follows, as history_encode() makes it */
	__u64 size;
};

#define KEEPER_PIDS_MOST	(1U << 22)
#define KEEPER_SIZE_MOST	(1U << 29)

/* "FOLDER/names-STARTED.socket" and the like; false: too long. */
bool keeper_path(char path[KEEPER_PATH_MAX], const char *folder, __u64 started_ns,
		 const char *suffix);
#define KEEPER_SOCKET	".socket"
#define KEEPER_FILE	""
#define KEEPER_FILES	".files"	/* a folder with .build-id */
#define KEEPER_NAMES	".known"	/* as known_encode() makes it; once the session is over */
/*
 * Of a session of perf's engine, STARTED is 0: there is one at a time. At the first the keeper
 * answers the module's ioctls; the second is the profile that the session has left.
 */
#define KEEPER_SESSION	".session"
#define KEEPER_PROFILE	".memlat"

/*
 * The folder of the session that was asked for last: KEEPER_FOLDER, but for sessions that a user
 * without the right to write there began by perf's engine.
 */
const char *keeper_folder(void);
/* It is the one for sessions of perf's engine that this user begins. */
const char *keeper_own_folder(void);
/*
 * Connect to the session of perf's engine that this user, or for root who typed sudo, has begun.
 * Returns a descriptor for ../host/device.h. -ECONNREFUSED: its keeper was killed. -EACCES: there may
 * be one of root's. -ENOENT: there is none; *left: the profile that one has left, or "".
 */
int keeper_session(char left[KEEPER_PATH_MAX]);

/*
 * Ask for the history of these processes (sorted) since the session began at started_ns. The caller
 * settles it. Returns NULL if nothing is known; told->state says why. end: the session is over.
 */
struct history *keeper_ask(const char *folder, __u64 started_ns, const __u32 *pids, size_t nr,
			   bool end, struct keeper_told *told);

#endif
