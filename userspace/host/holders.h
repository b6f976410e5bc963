/* SPDX-License-Identifier: GPL-2.0 */
/* Who is in the way: the owners of perf events, and the NMI watchdog. */
#ifndef MEMLAT_HOLDERS_H
#define MEMLAT_HOLDERS_H

#include <stddef.h>

#include <linux/types.h>

#include "process.h"

struct holder {
	__u32 pid;
	unsigned int events;	/* descriptors that are perf events */
	char name[PROCESS_NAME_MAX];
};

/*
 * Processes with a perf event open, at most room of them; the return value
 * counts all. Only those that the caller may look into can be found.
 */
size_t holders_find(struct holder *holders, size_t room);
/* But for ourselves: what record listens with counts nothing, and is in nobody's way. */
size_t holders_find_others(struct holder *holders, size_t room);

enum watchdog {
	WATCHDOG_UNKNOWN,	/* the kernel has none, or /proc does not tell */
	WATCHDOG_OFF,
	WATCHDOG_ON
};

enum watchdog holders_watchdog(void);

#endif
