/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The running session, interval after interval, by one process that keeps its names: files
 * are opened once, and a process is looked at when it comes.
 */
#ifndef MEMLAT_TOP_LIVE_H
#define MEMLAT_TOP_LIVE_H

#include <stdbool.h>

#include "../names/namer.h"
#include "../profile/running.h"
#include "../profile/profile.h"
#include "../views/top.h"
#include "length.h"

#define LIVE_RETIRED	32	/* histories that names may point into */

struct live {
	int device, writer;	/* the second one is for profiles; -1: not open */
	struct memlat_query query;
	__u32 interval_ms;	/* between two snapshots, as it was asked for */
	__u32 longer_ms;	/* as it is: as long at least, see length.h */
	__u64 used_ns[TABLE_NR];	/* when a table was last asked for; 0: never */
	bool self;		/* memlat-ctl's own rows too */
	const char *debug;
	__u64 started_ns;	/* of the session, to know it by; 0: none yet */
	struct running running;	/* its tables, as they were last seen */
	__u64 taken_ns, cpu_ns;	/* when that was, and the processor time used until then */
	__u64 turn_cpu_ns;	/* the same, of when it was begun */
	__u64 own_latency;	/* cost of memlat-ctl's own loads in the interval */
	struct length length;	/* what the last intervals cost */
	struct profile profile;	/* what came in the interval */
	struct namer *namer;
	struct history *retired[LIVE_RETIRED];
	size_t nr_retired;
	__u64 names_cost_ns;	/* processor time that naming everything took */
	__u64 named_ns, asked_ns;
	struct live_asked {
		__u32 pid, gen;
	} *asked;		/* programs that were looked for since names began */
	size_t nr_asked, room_asked;
	__u64 renew_ns;		/* how long until names begin anew */
	bool kernel_asked;	/* for its names, since names began */
	struct top_interval interval;
	bool whole;		/* it is all since the session began */
	bool drawn;		/* there is one */
	__u64 interval_ns;	/* as long as it was */
	double own_cpu;		/* share of a CPU that we took in it */
};

enum live_state {
	LIVE_GOOD,
	LIVE_NONE,	/* no session runs */
	LIVE_ENDED,	/* the one that was watched does not any more */
	LIVE_BROKEN	/* something was said */
};

/*
 * What is shown from now on: by what, and one row's lines. False: a table for it was not read.
 * Others stay for a while, so that whoever looks around sees differences everywhere.
 */
bool live_want(struct live *live, enum top_by by, bool entered);

/* The device, and is there a session? */
enum live_state live_begin(struct live *live);
/* One more interval. The first one is all since the session began. */
enum live_state live_take(struct live *live);
void live_end(struct live *live);

/* Does the session run that was watched? */
enum live_state live_state(const struct live *live);

/*
 * All that the session has, into a file, by a process of its own; what it said, in a line.
 * True: it is written.
 */
bool live_write(struct live *live, const char *path, char said[256]);

#endif
