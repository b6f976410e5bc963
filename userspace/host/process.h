/* SPDX-License-Identifier: GPL-2.0 */
/* Facts about processes, from /proc. */
#ifndef MEMLAT_PROCESS_H
#define MEMLAT_PROCESS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define PROCESS_NAME_MAX	64

/*
 * The command name of a process, in the kernel's bytes. False if the process is gone or /proc is
 * not mounted.
 */
bool process_name(__u32 pid, char name[PROCESS_NAME_MAX]);

/*
 * The next process of /proc, 0: there is no other. proc points to NULL at first, and for each
 * further call is left as it is; after 0 nothing stays open.
 */
__u32 process_next(DIR **proc);

/*
 * Are processes here numbered as in the module? They are not in a PID namespace other than the
 * first.
 */
bool process_sees_all(void);

/* False only if /proc is there and the process is certainly not. */
bool process_may_exist(__u64 pid);

/* What blocks the counters: owners of perf events, and the NMI watchdog. */

struct holder {
	__u32 pid;
	unsigned int events;	/* number of descriptors that are perf events */
	char name[PROCESS_NAME_MAX];
};

/*
 * Find processes with open perf events, without one of them (0: all). At most room of them are
 * stored; the result counts all. The caller must have permission to look into a process.
 */
size_t holders_find(struct holder *holders, size_t room, __u32 except);

enum watchdog {
	WATCHDOG_UNKNOWN,	/* the kernel has no watchdog, or /proc does not tell */
	WATCHDOG_OFF,		/* on, it would hold a counter on each CPU */
	WATCHDOG_ON,
	WATCHDOG_BUDDY,		/* on, but CPUs watch each other by a timer: it holds none */
	WATCHDOG_BUDDY_OFF	/* of that kind, and off */
};

/* proc: where /proc is. */
enum watchdog holders_watchdog(const char *proc);

#endif
