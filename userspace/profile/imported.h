/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile that was made of another tool's file (memlat-ctl import): bits of its status' flags
 * that no module sets say so, and what that file did not tell.
 */
#ifndef MEMLAT_IMPORTED_H
#define MEMLAT_IMPORTED_H

#include <stdbool.h>

#include <linux/memlat.h>

#define IMPORTED		(1U << 31)	/* it was */
#define IMPORTED_NO_LATENCY	(1U << 30)	/* how long loads took */
#define IMPORTED_NO_CPU		(1U << 29)	/* on which CPUs, and so on which nodes */
#define IMPORTED_NO_NODE	(1U << 28)	/* which CPU is of which node */
#define IMPORTED_NO_PERIOD	(1U << 27)	/* how many a sample stands for: counted as one */
#define IMPORTED_NO_TIME	(1U << 26)	/* when: processes of one number are one */
#define IMPORTED_THROTTLED	(1U << 25)	/* perf paused now and then */

#define IMPORTED_ALL		(~0U << 25)

static inline bool imported(const struct memlat_status *status)
{
	return status->flags & IMPORTED;
}

/*
 * What is not known of an imported profile, one after the other: for people, and a word for
 * JSON. false: there is none at that place.
 */
struct imported_words {
	__u32 flag;
	const char *name;
	const char *text;
};

bool imported_at(unsigned int place, struct imported_words *words);

#endif
