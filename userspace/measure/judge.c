// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../host/session_end.h"
#include "../profile/snapshot.h"
#include "../util/source.h"

#define LEAST_SAMPLES	50
/* of a level's chase, in percent: prefetchers and the kernel cause the rest */
#define LEAST_SHARE	50
#define LEAST_HITM	50
#define MOST_HITM	1	/* percent, where nothing is shared */
/* PEBS and the clock do not measure exactly the same span of a load. */
#define RATIO_MOST	2.0
#define CYCLES_MORE	12.0
#define EDGE_MORE	1.5	/* an edge holds usual loads, without a page walk */
/* most events of a chase in addition to its own loads */
#define LOADS_MORE	100000

static const char *const state_names[] = {
	[SELFTEST_OK] = "ok", [SELFTEST_FAIL] = "FAIL", [SELFTEST_SKIP] = "skip",
};

const char *selftest_state_name(enum selftest_state state)
{
	return state_names[state];
}

struct list {
	struct selftest_check *checks;
	size_t nr;
};

static struct selftest_check *new_check(struct list *list, const char *key)
{
	struct selftest_check *check = &list->checks[list->nr++];

	memset(check, 0, sizeof(*check));
	check->key = key;
	return check;
}

/* Add to what was found or wanted. */
__attribute__((format(printf, 2, 3)))
static void append_text(char text[SELFTEST_TEXT], const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, SELFTEST_TEXT - used, format, args);
	va_end(args);
}

static void require(struct selftest_check *check, bool held)
{
	if (!held)
		check->state = SELFTEST_FAIL;
}

/* Is the run missing? This machine cannot do it, or it gave no result. */
static bool missing(struct selftest_check *check, const struct selftest *test,
		    enum selftest_run run, const char *needs)
{
	const struct sample *sample = &test->runs[run];

	if (!test->wanted[run]) {
		check->state = SELFTEST_SKIP;
		append_text(check->found, "not run: %s", needs);
		return true;
	}
	if (sample->taken && source_total(sample->loads) >= LEAST_SAMPLES)
		return false;
	check->state = SELFTEST_FAIL;
	if (sample->taken)
		append_text(check->found, "%llu samples in %u s", source_total(sample->loads),
			    sample->seconds);
	else
		append_text(check->found, "%s", sample->why);
	append_text(check->wanted, "%u samples or more", LEAST_SAMPLES);
	return true;
}

/* The sources that should serve the loads of a level's chase. */
static const __u32 level_sources[LEVELS] = {
	[LEVEL_L1] = 1U << MEMLAT_SRC_L1,
	[LEVEL_L2] = 1U << MEMLAT_SRC_L2,
	[LEVEL_L3] = 1U << MEMLAT_SRC_L3 | 1U << MEMLAT_SRC_L3_SNOOP,
	[LEVEL_DRAM] = 1U << MEMLAT_SRC_DRAM | 1U << MEMLAT_SRC_RDRAM | 1U << MEMLAT_SRC_PMEM |
		       1U << MEMLAT_SRC_L4,
};

static const char *const level_names[LEVELS] = { "L1", "L2", "L3", "memory" };

struct share {
	__u64 loads, latency;
	__u32 edge;		/* the highest among the sources that occurred */
};

static struct share share_of(const struct selftest *test, enum chase_level level)
{
	const struct sample *sample = &test->runs[RUN_L1 + level];
	struct share share = { 0 };
	unsigned int source;

	for (source = 0; source < MEMLAT_SRC_NR; source++) {
		if (!(level_sources[level] >> source & 1) || !sample->loads[source])
			continue;
		share.loads += sample->loads[source];
		share.latency += sample->latency[source];
		if (test->machine.latency_edge[source] > share.edge)
			share.edge = test->machine.latency_edge[source];
	}
	return share;
}

/* Compare with the clock, if it can be trusted. */
static void judge_clock(struct selftest_check *check, const struct selftest *test,
			const struct sample *sample, double average)
{
	if (!sample->cycles)
		return;
	append_text(check->found, "; a step by the clock %.0f", sample->cycles);
	if (test->place.emulated) {
		append_text(check->found, " (not compared: a virtual machine)");
		return;
	}
	append_text(check->wanted, ", %.0f to %.0f by the clock", sample->cycles / RATIO_MOST,
		    sample->cycles * RATIO_MOST + CYCLES_MORE);
	require(check, average >= sample->cycles / RATIO_MOST &&
		       average <= sample->cycles * RATIO_MOST + CYCLES_MORE);
}

static void judge_level(struct list *list, const struct selftest *test, enum chase_level level)
{
	static const char *const keys[LEVELS] = {
		"chase_l1", "chase_l2", "chase_l3", "chase_dram",
	};
	const struct sample *sample = &test->runs[RUN_L1 + level];
	struct selftest_check *check = new_check(list, keys[level]);
	struct share share;
	double average;
	__u64 all;

	if (missing(check, test, RUN_L1 + level, level == LEVEL_L3 && test->place.emulated ?
		    "sizes of caches in a virtual machine are made up" :
		    "the sizes of the caches leave no room for it"))
		return;
	share = share_of(test, level);
	all = source_total(sample->loads);
	average = share.loads ? (double)share.latency / (double)share.loads : 0;
	append_text(check->found, "%.0f%% of %llu loads from %s, %.0f cycles on average",
		    100.0 * (double)share.loads / (double)all, all, level_names[level], average);
	append_text(check->wanted, "%u%% or more", LEAST_SHARE);
	require(check, share.loads * 100 >= all * LEAST_SHARE);
	if (share.edge) {
		append_text(check->wanted, ", %.0f cycles at most", EDGE_MORE * share.edge);
		require(check, average <= EDGE_MORE * share.edge);
	}
	judge_clock(check, test, sample, average);
}

static void judge_order(struct list *list, const struct selftest *test)
{
	struct selftest_check *check = new_check(list, "levels_rise");
	double last = 0;
	unsigned int level, seen = 0;

	append_text(check->wanted, "each level slower than the one before");
	for (level = 0; level < LEVELS; level++) {
		struct share share = share_of(test, level);
		double average;

		if (!test->wanted[RUN_L1 + level] || !share.loads)
			continue;
		average = (double)share.latency / (double)share.loads;
		append_text(check->found, "%s%s %.0f", seen++ ? ", " : "", level_names[level], average);
		require(check, average > last);
		last = average;
	}
	if (seen < 2) {
		check->state = SELFTEST_SKIP;
		append_text(check->found, "%sfewer than two levels were seen", seen ? "; " : "");
	} else {
		append_text(check->found, " cycles");
	}
}

/* The events cannot exceed the loads that were made. PEBS may examine fewer, never more. */
static void judge_events(struct list *list, const struct selftest *test)
{
	struct selftest_check *check = new_check(list, "events");
	__u64 events = 0, steps = 0;
	unsigned int run, seen = 0;

	for (run = RUN_L1; run <= RUN_DRAM; run++) {
		const struct sample *sample = &test->runs[run];

		if (!sample->taken)
			continue;
		seen++;
		events += sample->status.weight_loads;
		steps += sample->steps;
		require(check, sample->status.weight_loads <=
			       sample->steps + sample->steps / 10 + LOADS_MORE);
	}
	append_text(check->found, "%llu events counted of %llu loads made", events, steps);
	append_text(check->wanted, "no more events than loads");
	if (!seen)
		check->state = SELFTEST_SKIP;
}

static void judge_shared(struct list *list, const struct selftest *test, enum selftest_run run)
{
	bool far = run == RUN_FAR;
	struct selftest_check *check = new_check(list, far ? "shared_far" : "shared_near");
	const struct sample *sample = &test->runs[run];
	__u64 hitm = sample->line_near + sample->line_far;

	if (missing(check, test, run, far ? "one socket" : "one core in this socket"))
		return;
	append_text(check->found, "HITM: %llu here and %llu remote of %llu loads of the line",
		    sample->line_near, sample->line_far, sample->line_loads);
	append_text(check->wanted, "%u%% or more, most of them %s", LEAST_HITM, far ? "remote" : "here");
	require(check, hitm && hitm * 100 >= sample->line_loads * LEAST_HITM &&
		       sample->line_loads >= LEAST_SAMPLES);
	require(check, far ? sample->line_far > sample->line_near :
			     sample->line_near > sample->line_far);
}

static void judge_private(struct list *list, const struct selftest *test)
{
	struct selftest_check *check = new_check(list, "private");
	const struct sample *sample = &test->runs[RUN_PRIVATE];
	__u64 hitm = sample->line_near + sample->line_far;

	if (missing(check, test, RUN_PRIVATE, "one core"))
		return;
	append_text(check->found, "%llu HITM of %llu loads of lines that nobody shares", hitm,
		    sample->line_loads);
	append_text(check->wanted, "%u%% at most", MOST_HITM);
	require(check, sample->line_loads >= LEAST_SAMPLES &&
		       hitm * 100 <= sample->line_loads * MOST_HITM);
}

static void judge_accounts(struct list *list, const struct selftest *test)
{
	struct selftest_check *check = new_check(list, "accounts");
	__u64 records = 0, lost = 0, malformed = 0;
	const char *broken = NULL;
	unsigned int run, seen = 0;

	for (run = 0; run < RUNS; run++) {
		const struct sample *sample = &test->runs[run];

		if (!sample->taken)
			continue;
		seen++;
		records += sample->status.records;
		lost += account_lost(&sample->status);
		malformed += sample->status.malformed;
		if (sample->broken && !broken)
			broken = sample->broken;
		if (session_end_by_itself(&sample->status) && !broken)
			broken = session_end_text(sample->status.ended);
	}
	append_text(check->found, "%u sessions, %llu records, %llu lost, %llu malformed", seen, records,
		    lost, malformed);
	if (broken)
		append_text(check->found, "; %s", broken);
	append_text(check->wanted, "every equation holds, nothing malformed, no session ends by itself");
	require(check, !broken && !malformed);
	if (!seen)
		check->state = SELFTEST_SKIP;
}

/* Is the PMU back in its former state, so that the next user counts correctly? */
static void judge_given_back(struct list *list, const struct selftest *test)
{
	struct selftest_check *check = new_check(list, "given_back");
	const struct counting *after = &test->after;

	append_text(check->wanted, "no session runs, perf counts as before, the watchdog is as before");
	require(check, test->ended_as == MEMLAT_STATE_IDLE);
	require(check, test->watchdog_before == test->watchdog_after);
	append_text(check->found, "%s", test->ended_as == MEMLAT_STATE_IDLE ? "idle" : "not idle");
	if (test->watchdog_before != test->watchdog_after)
		append_text(check->found, ", the watchdog changed");
	if (test->before.error) {
		append_text(check->found, "; perf does not count here");
		return;
	}
	if (after->error) {
		append_text(check->found, ", perf: %s", strerror(after->error));
		require(check, false);
		return;
	}
	append_text(check->found, ", perf counts %llu of %llu instructions", after->counted, after->executed);
	require(check, after->counted >= after->executed &&
		       after->counted <= after->executed + after->executed / 5);
}

size_t selftest_judge(const struct selftest *test, struct selftest_check checks[SELFTEST_CHECKS])
{
	struct list list = { .checks = checks };
	unsigned int level;

	for (level = 0; level < LEVELS; level++)
		judge_level(&list, test, level);
	judge_order(&list, test);
	judge_events(&list, test);
	judge_shared(&list, test, RUN_NEAR);
	judge_shared(&list, test, RUN_FAR);
	judge_private(&list, test);
	judge_accounts(&list, test);
	judge_given_back(&list, test);
	return list.nr;
}

bool selftest_plausible(const struct selftest_check *checks, size_t nr)
{
	size_t i, held = 0;

	for (i = 0; i < nr; i++) {
		if (checks[i].state == SELFTEST_FAIL)
			return false;
		held += checks[i].state == SELFTEST_OK;
	}
	return held;
}
