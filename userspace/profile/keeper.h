/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keeper is the process that memlat-ctl start leaves behind: it notes who lives and
 * what is mapped, so that what has ended by the time of a view has names. While the session
 * runs it answers at a socket; what it knew at the end is in a file. Both, and the files
 * of programs that nobody could open any more, are in one folder, by the session's
 * started_ns.
 */
#ifndef MEMLAT_KEEPER_H
#define MEMLAT_KEEPER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define KEEPER_FOLDER	"/run/memlat"
#define KEEPER_PATH_MAX	96	/* as an address of a socket takes */

struct history;

enum keeper_state {
	KEEPER_NONE,	/* nobody keeps anything of this session */
	KEEPER_HERE,	/* it answered */
	KEEPER_OVER,	/* it has left a file */
	KEEPER_DIED,	/* it ended before the session did, or does not answer */
	KEEPER_CLOSED	/* it is not for this user to ask */
};

struct keeper_told {
	enum keeper_state state;
	__u32 pid;		/* of the keeper; KEEPER_HERE */
	__u64 dropped;		/* processes whose mappings had to go */
	__u64 files;		/* kept: programs that could not be opened any more */
	__u64 files_lost;	/* that were not kept: no room */
	__u64 bytes;		/* it holds, without files */
};

/* What the two say to each other; numbers as this machine has them. */
#define KEEPER_MAGIC	0x4b4c4d4dU
#define KEEPER_END	1U	/* the session is over: leave the file, and end */

struct keeper_request {
	__u32 magic;
	__u32 flags;
	__u32 nr_pids;		/* that follow, of 4 bytes, rising */
	__u32 reserved;
};

struct keeper_answer {
	__u32 magic;
	__u32 pid;
	__u64 started_ns;
	__u64 dropped, files, files_lost, bytes;
	__u64 size;		/* of the history that follows, as history_encode() makes it */
};

#define KEEPER_PIDS_MOST	(1U << 22)
#define KEEPER_SIZE_MOST	(1U << 29)

/* "FOLDER/names-STARTED.socket" and the like; false: too long. */
bool keeper_path(char path[KEEPER_PATH_MAX], const char *folder, __u64 started_ns,
		 const char *suffix);
#define KEEPER_SOCKET	".socket"
#define KEEPER_FILE	""
#define KEEPER_FILES	".files"	/* a folder with .build-id */

/*
 * What is known of these processes (sorted) since the session that began at started_ns:
 * to be settled by the caller. NULL: nothing, and told->state says why. end: the session
 * is over.
 */
struct history *keeper_ask(const char *folder, __u64 started_ns, const __u32 *pids, size_t nr,
			   bool end, struct keeper_told *told);

#endif
