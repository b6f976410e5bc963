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
	WATCHDOG_OFF,		/* on, it would hold a counter on each CPU */
	WATCHDOG_ON,
	WATCHDOG_BUDDY,		/* on, but CPUs watch each other by a timer: it holds none */
	WATCHDOG_BUDDY_OFF	/* of that kind, and off */
};

/* proc: where /proc is. */
enum watchdog holders_watchdog(const char *proc);

#endif
