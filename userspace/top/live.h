/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The running session, interval after interval. One process keeps the names: it opens each file
 * once, and looks at a process when it first appears.
 */
#ifndef MEMLAT_TOP_LIVE_H
#define MEMLAT_TOP_LIVE_H

#include <stdbool.h>

#include <linux/types.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../profile/series.h"
#include "../util/out.h"
#include "../views/top.h"

/* How long an interval has to be so that watching it takes little of the machine. */

#define LENGTH_MOST_MS	60000	/* longest interval */

/* The cost of reading the last two intervals. All zero: there were none. */
struct length {
	__u64 cpu_ns[2];	/* processor time of reading, naming and drawing */
	__u64 own[2];		/* latency of memlat-ctl's own loads */
};

/* The cost of one interval that has ended. */
struct length_cost {
	/* length of the interval; 0: it is everything since the session began */
	__u64 interval_ns;
	__u64 cpu_ns;
	unsigned int cpus;	/* CPUs of the machine */
	__u64 own, all;		/* latency of memlat-ctl's own loads, and of all loads */
};

/*
 * The least milliseconds of the next interval. Go by the cheaper of the last two intervals. What is
 * done rarely, such as finding all names anew, is limited elsewhere.
 */
__u64 length_next(struct length *length, const struct length_cost *cost);

/* most old histories that are kept because names may point into them */
#define LIVE_RETIRED	32

struct live {
	int device, writer;	/* writer: opens profiles; -1: not open */
	struct memlat_query query;
	__u32 interval_ms;	/* as it was asked for */
	__u32 longer_ms;	/* the actual interval, which may be longer, see length_next() */
	__u64 used_ns[TABLE_NR];	/* when a table was last needed; 0: never */
	bool self;		/* show rows of memlat-ctl itself */
	const char *debug;
	__u64 started_ns;	/* identifies the session; 0: none yet */
	struct series running;	/* the session as it was last read */
	__u64 taken_ns, cpu_ns;	/* when that was, and the processor time used until then */
	__u64 turn_cpu_ns;	/* processor time at the begin of the current interval */
	__u64 own_latency;	/* of memlat-ctl's own loads in the interval */
	struct length length;	/* cost of the last intervals */
	struct profile profile;	/* the interval */
	struct namer *namer;
	struct history *retired[LIVE_RETIRED];
	size_t nr_retired;
	__u64 names_cost_ns;	/* processor time of finding all names */
	__u64 named_ns, asked_ns;
	struct live_asked {
		__u32 pid, gen;
	} *asked;		/* looked for since names were last found anew */
	size_t nr_asked, room_asked;
	__u64 renew_ns;		/* time until names are found anew */
	bool kernel_asked;	/* the kernel's names were looked for since then */
	struct top_interval interval;
	bool whole;		/* the interval is everything since the session began */
	bool drawn;		/* profile holds an interval */
	__u64 interval_ns;	/* length of the interval */
	double own_cpu;		/* share of a CPU that memlat-ctl used in it */
};

enum live_state {
	LIVE_GOOD,
	LIVE_NONE,	/* no session is running */
	LIVE_ENDED,	/* the session that was watched has ended */
	LIVE_BROKEN	/* an error, which was printed */
};

/*
 * Set what is shown from now on: the kind of rows, or one row's lines. False: a table that this
 * needs was not read. Other tables are read for a while longer, so that each view has an interval
 * to show when people switch.
 */
bool live_want(struct live *live, enum top_by by, bool entered);

/* Open the device, and check whether a session runs. */
enum live_state live_begin(struct live *live);
/* Take one more interval. The first one is everything since the session began. */
enum live_state live_take(struct live *live);
void live_end(struct live *live);

/* Is the session that was watched still running? */
enum live_state live_state(const struct live *live);

/*
 * Write the whole session to a file, in a process of its own; said: that process's output, as one
 * line. True: the file was written.
 */
bool live_write(struct live *live, const char *path, char said[256]);

/* The options of memlat-ctl top, and the two ways to show it. */

struct watch_options {
	unsigned int by;	/* enum top_by */
	unsigned int order;	/* enum top_order */
	const char *filter;	/* NULL: none */
	__u64 interval_ns;
	__u64 intervals;	/* end after so many; 0: never */
	__u64 show;		/* rows, in batch mode; 0: all */
	bool batch, json;
	bool start;		/* start a session that ends with memlat-ctl */
	bool self;
	const char *debug;
	const char *file;	/* the file name that the key w offers */
};

/* Watch on a terminal until a key ends it. */
enum exit_status watch_screen(struct live *live, const struct watch_options *options);
/* Print interval after interval, as text or as JSON, one document a line. */
enum exit_status watch_batch(struct live *live, const struct watch_options *options);

/* For both ways, once for each interval; clock: the caller's buffer for the time of day. */
#define WATCH_CLOCK	16
void watch_screen_of(struct top_screen *screen, const struct live *live,
		     const struct watch_options *options, char clock[WATCH_CLOCK]);
/* Print why it ended. */
enum exit_status watch_explain(const struct live *live, enum live_state state);

#endif
