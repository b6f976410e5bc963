/* SPDX-License-Identifier: GPL-2.0 */
/* Judge the results: facts in, one verdict for each question out. This code looks nothing up. */
#ifndef MEMLAT_SELFTEST_JUDGE_H
#define MEMLAT_SELFTEST_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/machine.h"
#include "place.h"
#include "sample.h"

enum selftest_run {
	RUN_L1,			/* chases, by enum level */
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

#endif
