// SPDX-License-Identifier: GPL-2.0
#include "live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../cli/open.h"
#include "../host/device.h"
#include "../host/privilege.h"
#include "../host/process.h"
#include "../names/kernel_core.h"
#include "../profile/history.h"
#include "../profile/kernel_names.h"
#include "../profile/self.h"
#include "../util/clock.h"
#include "../util/order.h"
#include "../util/xalloc.h"

/* Always read: small tables, and the threads, which tell the rows of memlat-ctl itself. */
#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_COUNT | \
		 1U << MEMLAT_REC_THREAD)
#define TABLE_KEPT_NS	60000000000ULL	/* how long a table is still read after it was last shown */

#define NAMED_PIDS	64	/* costliest processes, whose data gets names */
#define CGROUPS_AT_ONCE	512	/* processes whose cgroup is looked up in one interval */
#define ASK_NS		2000000000ULL	/* between two looks for new processes */
/*
 * Names that were not found may exist later. So find all names anew after this time, and then after
 * twice the time, up to the second limit. Do so too when names of what was sampled long ago take
 * too many bytes. It is done only if it takes a five hundredth of the time at most.
 */
#define RENEW_NS	10000000000ULL
#define RENEW_MOST_NS	300000000000ULL
#define RENEW_BYTES	(128UL << 20)
#define RENEW_PART	500

static void names_end(struct live *live)
{
	namer_free(live->namer);
	live->namer = NULL;
	while (live->nr_retired)
		history_free(live->retired[--live->nr_retired]);
	history_free(live->profile.history);
	live->profile.history = NULL;
	kernel_names_free(live->profile.kernel);
	live->profile.kernel = NULL;
	/* Processes move, and the numbers of those that have ended become those of others. */
	cgroups_free(&live->profile.cgroups);
}

static void names_begin(struct live *live)
{
	live->profile.history = history_new();
	history_settle(live->profile.history, &live->profile.snap);
	live->namer = namer_new(&live->profile, live->debug);
	live->renew_ns = !live->renew_ns ? RENEW_NS : 2 * live->renew_ns < RENEW_MOST_NS ?
			 2 * live->renew_ns : RENEW_MOST_NS;
	live->named_ns = clock_now();
	live->asked_ns = 0;
	live->nr_asked = 0;
	live->kernel_asked = false;
}

/* Read the kernel's names, which is expensive, only if an address in the kernel was sampled. */
static void find_kernel_names(struct live *live)
{
	if (live->kernel_asked || !kernel_names_wanted(&live->profile.snap))
		return;
	live->kernel_asked = true;
	/* Names of the session are kept, because an address may be sampled again. */
	kernel_names_read(&live->profile.kernel, &live->running.now, NULL, true);
}

COMPARE_POINTERS(by_cost, struct memlat_rec_thread,
	order(b->cost, a->cost) ?: order(b->samples, a->samples))

/* Was the process looked for before? An unknown one would otherwise be looked for each time. */
static bool asked_before(const struct live *live, __u32 pid, __u32 gen)
{
	size_t i;

	for (i = 0; i < live->nr_asked; i++)
		if (live->asked[i].pid == pid && live->asked[i].gen == gen)
			return true;
	return false;
}

static void note_asked(struct live *live, const __u32 *pids, size_t nr)
{
	const struct snapshot *snap = &live->profile.snap;
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (!bsearch(&thread->tgid, pids, nr, sizeof(*pids), order_u32) ||
		    asked_before(live, thread->tgid, thread->gen))
			continue;
		ARRAY_GROW(live->asked, live->nr_asked + 1, live->room_asked);
		live->asked[live->nr_asked++] = (struct live_asked){ thread->tgid, thread->gen };
	}
}

/* The costliest processes, sorted; *news: one of them was not looked for yet. */
static __u32 *heavy(const struct live *live, size_t *nr, bool *news)
{
	const struct snapshot *snap = &live->profile.snap;
	const struct memlat_rec_thread **threads = xcalloc(snap->nr_threads, sizeof(*threads));
	__u32 *pids = xcalloc(NAMED_PIDS, sizeof(*pids));
	size_t i, used = 0;

	for (i = 0; i < snap->nr_threads; i++)
		threads[i] = &snap->threads[i];
	qsort(threads, snap->nr_threads, sizeof(*threads), by_cost);
	*nr = 0;
	*news = false;
	for (i = 0; i < snap->nr_threads && *nr < NAMED_PIDS; i++) {
		__u32 pid = threads[i]->tgid;

		for (used = 0; used < *nr && pids[used] != pid; used++)
			continue;
		if (used == *nr)
			pids[(*nr)++] = pid;
		*news |= !history_find(live->profile.history, pid, threads[i]->gen) &&
			 !asked_before(live, pid, threads[i]->gen);
	}
	qsort(pids, *nr, sizeof(*pids), order_u32);
	free(threads);
	return pids;
}

static void find_cgroups(struct live *live)
{
	struct profile *profile = &live->profile;
	size_t i, left = CGROUPS_AT_ONCE;

	/* In another PID namespace these numbers would belong to other processes. */
	if (!process_sees_all())
		return;
	for (i = 0; i < profile->snap.nr_threads && left; i++) {
		const struct memlat_rec_thread *thread = &profile->snap.threads[i];

		if (cgroups_find(&profile->cgroups, NULL, thread->tgid, thread->gen))
			continue;
		cgroups_note(&profile->cgroups, thread->tgid);
		left--;
	}
}

static void find_names(struct live *live)
{
	const __u64 now = clock_now(), age = now - live->named_ns;
	struct history *before;
	__u32 *pids;
	bool news;
	size_t nr;

	if (live->namer && age > RENEW_PART * live->names_cost_ns &&
	    (age > live->renew_ns || live->nr_retired == LIVE_RETIRED ||
	     namer_bytes(live->namer) > RENEW_BYTES))
		names_end(live);
	if (!live->namer)
		names_begin(live);
	find_kernel_names(live);
	find_cgroups(live);
	pids = heavy(live, &nr, &news);
	if (news && live->nr_retired < LIVE_RETIRED &&
	    (!live->asked_ns || now - live->asked_ns > ASK_NS)) {
		before = live->profile.history;
		profile_find_some(&live->profile, pids, nr);
		live->retired[live->nr_retired++] = before;
		live->asked_ns = now;
		note_asked(live, pids, nr);
	}
	free(pids);
}

enum live_state live_state(const struct live *live)
{
	struct memlat_status status;

	if (memlat_device_status(live->device, &status))
		return LIVE_ENDED;
	if (status.state != MEMLAT_STATE_RUNNING)
		return live->started_ns ? LIVE_ENDED : LIVE_NONE;
	return !live->started_ns || status.started_ns == live->started_ns ? LIVE_GOOD : LIVE_ENDED;
}

enum live_state live_begin(struct live *live)
{
	char left[KEEPER_PATH_MAX];

	live->device = cmd_open_session(&live->query);
	if (live->device < 0)
		return LIVE_BROKEN;
	live->writer = keeper_session(left);
	if (live->writer < 0)
		live->writer = memlat_device_open();
	return live_state(live);
}

static void forget_interval(struct live *live)
{
	if (live->drawn)
		top_interval_free(&live->interval);
	live->drawn = false;
	snapshot_free(&live->profile.snap);
}

static void take_cost(struct live *live, __u64 now)
{
	const __u64 cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	live->interval_ns = live->taken_ns ? now - live->taken_ns : 0;
	live->own_cpu = live->interval_ns ?
			(double)(cpu - live->cpu_ns) / (double)live->interval_ns : 0;
	live->cpu_ns = cpu;
	live->taken_ns = now;
}

static void take_interval(struct live *live)
{
	struct own_left_out own;
	bool fresh;
	__u64 cpu;

	memset(&live->profile.own, 0, sizeof(live->profile.own));
	if (live->self) {
		self_count(&live->profile.snap, &own);
	} else {
		self_leave_out(&live->profile.snap, &own);
		live->profile.own = own;
	}
	live->own_latency = own.cost;
	fresh = !live->namer;
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	find_names(live);
	top_interval_take(&live->interval, &live->profile, &live->running.now, live->namer);
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	/* The first time costs the most. */
	if (fresh || cpu > live->names_cost_ns)
		live->names_cost_ns = cpu;
	live->drawn = true;
}

/* The tables that a view needs, as bits by number. */
static unsigned int tables_of(enum top_by by, bool entered)
{
	const unsigned int lines = 1U << TABLE_LINES | 1U << TABLE_ACCESSES;
	unsigned int tables;

	switch (by) {
	case TOP_BY_PROCESS:
	case TOP_BY_CGROUP:
		/* Only sites tell where their loads were served from. */
		tables = lines | 1U << TABLE_SITES;
		break;
	case TOP_BY_FUNCTION:
		tables = 1U << TABLE_SITES;
		break;
	case TOP_BY_DATA:
		tables = 1U << TABLE_ACCESSES;
		break;
	default:
		tables = lines;
	}
	return entered ? tables | lines : tables;
}

bool live_want(struct live *live, enum top_by by, bool entered)
{
	const unsigned int tables = tables_of(by, entered);
	const __u64 now = clock_now();
	unsigned int table;
	bool there = true;

	for (table = 0; table < TABLE_NR; table++) {
		if (!(tables >> table & 1))
			continue;
		live->used_ns[table] = now;
		there &= live->running.begun && snapshot_has(&live->running.now, table);
	}
	return there;
}

static __u32 wanted_tables(const struct live *live)
{
	static const __u32 bit[TABLE_NR] = {
		[TABLE_LINES]		= 1U << MEMLAT_REC_LINE,
		[TABLE_SITES]		= 1U << MEMLAT_REC_SITE,
		[TABLE_ACCESSES]	= 1U << MEMLAT_REC_ACCESS,
	};
	__u32 tables = TABLES;
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++)
		if (live->used_ns[table] && clock_now() - live->used_ns[table] < TABLE_KEPT_NS)
			tables |= bit[table];
	return tables;
}

static void find_length(struct live *live)
{
	const __u64 cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	const struct length_cost cost = {
		.interval_ns = live->whole ? 0 : live->interval_ns,
		.cpu_ns = cpu - live->turn_cpu_ns,
		.cpus = live->running.now.head.status.cpus_online,
		.own = live->own_latency,
		.all = live->drawn ? live->interval.cost : 0,
	};
	__u64 ms = live->taken_ns ? length_next(&live->length, &cost) : 0;

	live->turn_cpu_ns = cpu;
	live->longer_ms = ms > live->interval_ms ? (__u32)ms : live->interval_ms;
}

enum live_state live_take(struct live *live)
{
	const struct memlat_status *status = &live->running.now.head.status;
	enum live_state state = LIVE_GOOD;
	struct snapshot came;
	enum delta_kind since;
	__u64 begun;

	/* Later, the snapshot contains the status. Asking for it costs half as much as a snapshot. */
	if (!live->started_ns)
		state = live_state(live);
	if (state != LIVE_GOOD)
		return state;
	/* From here on files and processes of others are read, and a profile may be written. */
	if (!live->started_ns) {
		privilege_drop(NEED_TO_WRITE);
		profile_init(&live->profile);
		live->profile.live = true;
		machine_read(&live->profile.machine, &live->query);
	}
	begun = clock_now();
	find_length(live);
	live->running.tables = wanted_tables(live);
	live->running.interval_ms = live->longer_ms;
	live->running.hide_own = !live->self;
	/* Whatever follows, including names, is part of the next interval's cost. */
	if (!cmd_running(&live->running, live->device, &live->query,
			live->taken_ns ? begun - live->taken_ns : 0, &came, &since))
		return LIVE_BROKEN;
	/* The session may have ended in between, or another one may have begun. */
	if (status->state != MEMLAT_STATE_RUNNING ||
	    (live->started_ns && status->started_ns != live->started_ns)) {
		snapshot_free(&came);
		return LIVE_ENDED;
	}
	live->started_ns = status->started_ns;
	take_cost(live, clock_now());
	live->whole = since != SINCE_BEFORE;
	forget_interval(live);
	live->profile.snap = came;
	take_interval(live);
	return LIVE_GOOD;
}

void live_end(struct live *live)
{
	if (live->device < 0)
		return;
	forget_interval(live);
	names_end(live);
	if (live->started_ns) {
		series_free(&live->running);
		free(live->asked);
		profile_free(&live->profile);
	}
	close(live->device);
	if (live->writer >= 0)
		close(live->writer);
	live->device = live->writer = -1;
}

/*
 * Reading an interval may take a two hundredth of the time of all CPUs, half of what the module
 * itself may take.
 */
#define CPU_PART	200
/*
 * On a busy machine, memlat-ctl's own loads may have a two hundred and fiftieth of all sampled
 * latency. On an idle one, reading is limited by a two thousandth of the time of all CPUs instead.
 */
#define LATENCY_PART	250
#define NOTHING_PART	2000

#define MS_NS	1000000

static __u64 lesser(__u64 cost[2], __u64 now)
{
	cost[1] = cost[0];
	cost[0] = now;
	return cost[0] < cost[1] ? cost[0] : cost[1];
}

/* The interval after which memlat-ctl's latency is a small part of all latency. */
static __u64 latency_ms(struct length *length, const struct length_cost *cost)
{
	const __u64 others = cost->all > cost->own ? cost->all - cost->own : 0;
	double ms;

	if (!cost->interval_ns)
		return 0;
	/* If nothing else waits, no interval would be long enough. Then go by processor time. */
	ms = (double)lesser(length->own, cost->own) * LATENCY_PART / (others ? (double)others : 1) *
	     (double)cost->interval_ns / MS_NS;
	return ms < LENGTH_MOST_MS ? (__u64)ms : LENGTH_MOST_MS;
}

__u64 length_next(struct length *length, const struct length_cost *cost)
{
	const __u64 cpu_ns = lesser(length->cpu_ns, cost->cpu_ns) / (cost->cpus ? cost->cpus : 1);
	const __u64 least = cpu_ns * CPU_PART / MS_NS, most = cpu_ns * NOTHING_PART / MS_NS;
	__u64 ms = latency_ms(length, cost);

	if (ms > most)
		ms = most;
	if (ms < least)
		ms = least;
	return ms < LENGTH_MOST_MS ? ms : LENGTH_MOST_MS;
}
