/* SPDX-License-Identifier: GPL-2.0 */
/* Judge the results: facts in, one verdict for each question out. This code looks nothing up. */
#ifndef MEMLAT_SELFTEST_JUDGE_H
#define MEMLAT_SELFTEST_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "../profile/machine.h"
#include "work.h"

/* One session during one of the programs, and its results. */

#define SAMPLE_WHY	160

struct sample {
	struct work work;		/* in: the program */
	const char *name;		/* in: a stable name, for machines */
	__u32 ldlat;			/* in */
	__u64 period;			/* in */
	__u64 wanted;			/* in: number of samples that is enough */
	unsigned int seconds;		/* in: time limit */
	__u32 flags;			/* in: besides those of every session of the selftest */

	bool taken;			/* the members below are valid */
	int refused;			/* errno of the start; 0: it succeeded */
	struct memlat_config config;	/* as after the start */
	char why[SAMPLE_WHY];		/* why not, in words; "" */
	struct memlat_status status;	/* after the stop */
	const char *broken;		/* the equation that does not hold; NULL: all do */
	char broken_text[SAMPLE_WHY];
	__u64 steps;
	double cycles;			/* of a step, by the clock */
	__u64 loads[MEMLAT_SRC_NR];	/* samples by source */
	__u64 latency[MEMLAT_SRC_NR];	/* their cycles */
	/* of the shared words: all, HITM on this socket, HITM remote */
	__u64 line_loads, line_near, line_far;
};

/* Run it. If sample->taken is set, there are results to judge. */
void sample_take(struct sample *sample, int device, const struct memlat_query *query);

enum selftest_run {
	RUN_L1,			/* chases, by enum chase_level */
	RUN_L2,
	RUN_L3,
	RUN_DRAM,
	RUN_NEAR,		/* one line, two cores of a socket */
	RUN_FAR,		/* one line, two sockets */
	RUN_PRIVATE,		/* two lines, two cores */
	RUNS
};

/* Does perf get the PMU, and does it count correctly? */
struct counting {
	int error;		/* errno of opening the event; 0: it counted */
	__u64 counted, executed;
};

/* Count the instructions of a loop of known length, through perf. */
void counting_try(struct counting *counting);

struct selftest {
	struct place place;
	struct machine machine;
	struct sample runs[RUNS];
	bool wanted[RUNS];	/* this machine can do the run */
	int ended_as;		/* state in the last status, enum memlat_state; -1: none */
	struct counting before, after;
	int watchdog_before, watchdog_after;	/* enum watchdog */
};

enum selftest_state {
	SELFTEST_OK,
	SELFTEST_FAIL,
	SELFTEST_SKIP
};

#define SELFTEST_TEXT	200

struct selftest_check {
	const char *key;	/* a stable name */
	enum selftest_state state;
	char found[SELFTEST_TEXT];
	char wanted[SELFTEST_TEXT];
};

#define SELFTEST_CHECKS	16

/* Make all checks, in the order in which they are printed. Returns how many there are. */
size_t selftest_judge(const struct selftest *test, struct selftest_check checks[SELFTEST_CHECKS]);
/* Did no check fail, and was at least one made? */
bool selftest_plausible(const struct selftest_check *checks, size_t nr);
const char *selftest_state_name(enum selftest_state state);

/* Run all programs, each in a session of its own. */

/* Called before each run, to tell the user. */
typedef void selftest_progress(const char *name);

/*
 * Returns 0, or -errno if nothing could be begun. A refused start ends the selftest; then *refused
 * is that run, otherwise NULL. flags: MEMLAT_F_NO_GUESTS or 0.
 */
int selftest_run(struct selftest *test, int device, const struct memlat_query *query,
		 __u32 flags, selftest_progress *progress, const struct sample **refused);
void selftest_free(struct selftest *test);

#endif
