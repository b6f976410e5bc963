// SPDX-License-Identifier: GPL-2.0
/* Profiles of several sessions as one. */
#include "file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "heap.h"
#include "history.h"
#include "intervals.h"
#include "kernel_names.h"
#include "known.h"
#include "session_counters.h"
#include "snapshot.h"
#include "snapshot_rows.h"

/* Flags that make samples of two sessions incomparable. */
#define KINDS	(MEMLAT_F_LOADS | MEMLAT_F_STORES | MEMLAT_F_PHYS)

__attribute__((format(printf, 2, 3)))
static int refuse(char *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, PROFILE_ERROR_MAX, format, args);
	va_end(args);
	return -EINVAL;
}

static size_t nr_sessions(const struct profile *profile)
{
	return profile->nr_sessions ? profile->nr_sessions : 1;
}

static const __u64 *sessions(const struct profile *profile)
{
	return profile->nr_sessions ? profile->sessions :
				      &profile->snap.head.status.started_ns;
}

static __u64 last_session(const struct profile *profile)
{
	return sessions(profile)[nr_sessions(profile) - 1];
}

static int check_machine(const struct machine *a, const struct machine *b, char *why)
{
	if (!*a->boot_id || !*b->boot_id)
		return refuse(why, "one of them does not say during which boot it was recorded, and addresses of two boots do not correspond; record it anew, or compare by name with 'memlat-ctl diff'");
	if (strcmp(a->boot_id, b->boot_id))
		return refuse(why, "they were recorded on different machines or during different boots, so their addresses and processes do not correspond; 'memlat-ctl diff' compares by name");
	return 0;
}

static int check_config(const struct snapshot *a, const struct snapshot *b, char *why)
{
	const struct memlat_status *one = &a->head.status, *other = &b->head.status;

	if (one->ldlat != other->ldlat)
		return refuse(why, "one was sampled with --ldlat %u, another with %u, so they hold different loads; record both with the same --ldlat",
			      one->ldlat, other->ldlat);
	if ((one->flags ^ other->flags) & KINDS)
		return refuse(why, "only one of them has loads, stores or physical addresses; record both with the same options");
	if (memcmp(a->buckets.edge, b->buckets.edge, sizeof(a->buckets.edge)))
		return refuse(why, "their latency buckets have different edges; record both with the same module");
	return 0;
}

static int check_cores(const struct snapshot *a, const struct snapshot *b, char *why)
{
	size_t i;

	if (strcmp(a->head.model_name, b->head.model_name))
		return refuse(why, "they are of different CPU models: %.16s and %.16s",
			      a->head.model_name, b->head.model_name);
	for (i = 0; i < b->nr_cores; i++) {
		const struct memlat_rec_core *core = snapshot_core(a, b->cores[i].core);

		if (core && strcmp(core->model_name, b->cores[i].model_name))
			return refuse(why, "core kind %u is %.16s in one and %.16s in another; record both with the same module",
				      core->core, core->model_name, b->cores[i].model_name);
	}
	return 0;
}

static int check_sessions(const struct profile *a, const struct profile *b, char *why)
{
	size_t i = 0, j = 0;

	/* Both lists rise, and a hostile profile has millions of sessions. */
	while (i < nr_sessions(a) && j < nr_sessions(b)) {
		if (sessions(a)[i] == sessions(b)[j])
			return refuse(why, "both hold the same session, whose samples would count twice; give each once");
		if (sessions(a)[i] < sessions(b)[j])
			i++;
		else
			j++;
	}
	if (last_session(a) > sessions(b)[0] && last_session(b) > sessions(a)[0])
		return refuse(why, "the sessions of one were recorded between those of another, which is a merged profile; merge the original files with one command");
	return 0;
}

static int check(const struct profile *a, const struct profile *b, char *why)
{
	int ret;

	if (a->snap.tables || b->snap.tables)
		return refuse(why, "not all of their tables were read");
	ret = check_machine(&a->machine, &b->machine, why);
	if (!ret)
		ret = check_config(&a->snap, &b->snap, why);
	if (!ret)
		ret = check_cores(&a->snap, &b->snap, why);
	return ret ? ret : check_sessions(a, b, why);
}

static __u64 least_known(__u64 a, __u64 b)
{
	return !a || (b && b < a) ? b : a;
}

#define ADD(member)	(a->member += b->member)
#define MOST(member)	(a->member = a->member > b->member ? a->member : b->member)
#define SAME(member)	(a->member = a->member == b->member ? a->member : 0)
#define LEAST(member)	(a->member = least_known(a->member, b->member))

/*
 * The cycles are counted only with a budget. Then they may still be 0, if nothing ran that was
 * sampled. Budgets that differ are 0 once they are merged.
 */
static bool knows_cycles(const struct memlat_status *status)
{
	return status->busy_cycles || status->max_overhead;
}

/* Add up the sums. Facts that the sessions do not share become 0, which means all or not known. */
static void merge_status(struct snapshot *into, const struct snapshot *other, bool later)
{
	struct memlat_status *a = &into->head.status;
	const struct memlat_status *b = &other->head.status;
	const bool cycles = knows_cycles(a) && knows_cycles(b);
	unsigned int table;

	if (later)
		a->ended = b->ended;
	a->state = MEMLAT_STATE_IDLE;
	if (!(a->flags & b->flags & MEMLAT_F_COUNT))
		a->flags &= ~MEMLAT_F_COUNT;
	a->flags |= b->flags & ~MEMLAT_F_COUNT;
	a->traits |= b->traits;
	SAME(pid), SAME(cgroup), SAME(period), SAME(max_overhead);
	MOST(cpus_online), MOST(cpus_armed), MOST(nodes);
	counters_merge(a, b);
	LEAST(started_ns), ADD(duration_ns);
	LEAST(period_low), MOST(period_high);
	LEAST(store_period_low), MOST(store_period_high);
	a->guest_cpus += b->guest_cpus;
	a->own_cycles = cycles ? a->own_cycles + b->own_cycles : 0;
	a->sampled_cycles = cycles ? snapshot_busy(a) + snapshot_busy(b) : 0;
	a->busy_cycles = cycles ? a->busy_cycles + b->busy_cycles : 0;
	for (table = 0; table < TABLE_NR; table++)
		if (row_kinds[table].status_rows)
			row_put_figure(a, row_kinds[table].status_rows, into->rows[table].nr);
	a->stacks = into->nr_stacks;
	if (into->nr_cores)
		a->cores = (__u32)into->nr_cores;
}

static void merge_totals(struct snapshot *into, const struct snapshot *other)
{
	totals_add(into, other, 1);
	/* An older module sent no parts, and so no head of them. */
	if (!into->have_parts)
		into->parts = other->parts;
	into->have_parts |= other->have_parts;
	into->stores.sources = MEMLAT_SRC_NR;
	into->have_stores |= other->have_stores;
}

void merge_snapshots(struct snapshot *into, const struct snapshot *other, bool later)
{
	merge_rows(into, other, later);
	merge_totals(into, other);
	merge_status(into, other, later);
	merge_sums(into);
	/* The stream that was kept does not describe the merged tables. */
	free(into->stream);
	into->stream = NULL;
	into->stream_bytes = into->room_stream = 0;
}

static void merge_history(struct profile *into, const struct profile *other, bool later)
{
	struct history *earlier;

	if (later) {
		history_merge(into->history, other->history, sessions(other)[0]);
	} else {
		earlier = history_new();
		history_merge(earlier, other->history, 0);
		history_merge(earlier, into->history, sessions(into)[0]);
		history_free(into->history);
		into->history = earlier;
	}
	history_settle(into->history, &into->snap);
}

/* List the sessions, because the merged status describes only the first. */
static void note_sessions(struct profile *profile)
{
	if (profile->nr_sessions)
		return;
	free(profile->sessions);
	profile->sessions = xcalloc(1, sizeof(*profile->sessions));
	profile->sessions[0] = profile->snap.head.status.started_ns;
	profile->nr_sessions = 1;
}

static void merge_sessions(struct profile *into, const struct profile *other, bool later)
{
	size_t nr = nr_sessions(into), more = nr_sessions(other);
	__u64 *all = xcalloc(nr + more, sizeof(*all));

	memcpy(later ? all : all + more, sessions(into), nr * sizeof(*all));
	memcpy(later ? all + nr : all, sessions(other), more * sizeof(*all));
	free(into->sessions);
	into->sessions = all;
	into->nr_sessions = nr + more;
}

/* Is one of the commands that all joins this one? */
static bool has_command(const char *all, const char *one)
{
	const size_t length = strlen(one);
	const char *at = all;

	while (length && (at = strstr(at, one))) {
		if ((at == all || (at - all >= 2 && !memcmp(at - 2, "; ", 2))) &&
		    (!at[length] || !strncmp(at + length, "; ", 2)))
			return true;
		at++;
	}
	return !length;
}

/* Join the commands of both, each of them once. */
static void merge_command(struct profile *into, const struct profile *other, bool later)
{
	const char *first = later ? into->command : other->command;
	const char *second = later ? other->command : into->command;
	char *both;

	if (!other->command || (into->command && has_command(into->command, other->command)))
		return;
	both = !into->command || has_command(other->command, into->command) ?
		xstrdup(other->command) : xasprintf("%s; %s", first, second);
	free(into->command);
	into->command = both;
}

static void merge_names(struct profile *into, const struct profile *other, bool later)
{
	merge_history(into, other, later);
	if (other->heap)
		heap_merge(&into->heap, other->heap);
	if (other->kernel)
		kernel_names_merge(&into->kernel, other->kernel);
	if (other->known)
		known_merge(&into->known, other->known);
	cgroups_merge(&into->cgroups, &other->cgroups);
	merge_command(into, other, later);
}

/*
 * Put one session's intervals behind the other's, as the durations are added up too. A session
 * without intervals becomes one interval, so that the intervals still add up to the whole. NULL:
 * neither has any.
 */
static struct intervals *both_intervals(const struct profile *into, const struct profile *other,
					bool later)
{
	const struct profile *first = later ? into : other, *second = later ? other : into;
	struct intervals *all;
	__u64 step_ns = 0;

	if (!first->intervals && !second->intervals)
		return NULL;
	if (first->intervals)
		step_ns = first->intervals->step_ns << first->intervals->joins;
	if (second->intervals && second->intervals->step_ns << second->intervals->joins > step_ns)
		step_ns = second->intervals->step_ns << second->intervals->joins;
	all = intervals_new(step_ns);
	intervals_add_all(all, first->intervals, &first->snap, 0);
	intervals_add_all(all, second->intervals, &second->snap,
			  intervals_end(first->intervals, &first->snap));
	return all;
}

int profile_merge(struct profile *into, const struct profile *other,
		  char why[PROFILE_ERROR_MAX])
{
	struct intervals *intervals;
	bool later;
	int ret;

	*why = '\0';
	ret = check(into, other, why);
	if (ret)
		return ret;
	later = sessions(other)[0] > sessions(into)[0];
	note_sessions(into);
	intervals = both_intervals(into, other, later);
	merge_snapshots(&into->snap, &other->snap, later);
	merge_names(into, other, later);
	/* Do this last, because the list of sessions tells where the boundary is. */
	merge_sessions(into, other, later);
	if (other->recorded_at > into->recorded_at)
		into->recorded_at = other->recorded_at;
	/* The counts measure the work of one session only. */
	if (into->counts)
		snapshot_free(into->counts);
	free(into->counts);
	into->counts = NULL;
	intervals_free(into->intervals);
	into->intervals = intervals;
	return 0;
}
