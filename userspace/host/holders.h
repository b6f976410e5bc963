/* SPDX-License-Identifier: GPL-2.0 */
/* What blocks the counters: owners of perf events, and the NMI watchdog. */
#ifndef MEMLAT_HOLDERS_H
#define MEMLAT_HOLDERS_H

#include <stddef.h>

#include <linux/types.h>

#include "process.h"

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
	WATCHDOG_OFF,
	WATCHDOG_ON,		/* on each CPU it holds a counter */
	WATCHDOG_BUDDY		/* on, but CPUs watch each other by a timer: it holds none */
};

/* proc: where /proc is. */
enum watchdog holders_watchdog(const char *proc);

#endif
