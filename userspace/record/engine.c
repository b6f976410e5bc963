// SPDX-License-Identifier: GPL-2.0
/*
 * A thread's records on one CPU are in order of time, but those of different CPUs are read together.
 * So they are merged: the ring whose next record is the oldest comes first, until a moment that has
 * passed for all CPUs. What is younger waits in its ring. So memory is bounded by rings and tables,
 * and a thread has its name, and its process its generation, when its first sample is added.
 */
#define _GNU_SOURCE
#include "engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../cli/open.h"
#include "../cli/start_options.h"
#include "../host/process.h"
#include "../import/intake.h"
#include "../profile/imported.h"
#include "../profile/snapshot.h"
#include "../profile/snapshot_rows.h"
#include "../util/clock.h"
#include "../util/cpulist.h"
#include "../util/xalloc.h"
#include "engine_events.h"

/* How long a record may take from its time until it is in its ring. */
#define LATE_NS		10000000ULL

/* As many neighbouring loads as with the module, and how long it may take to have them. */
#define BURST_LOADS	64
#define BURST_TURNS	4	/* of each event, where a turn then is no shorter than BURST_LEAST_NS */
#define BURST_LEAST_NS	100000ULL
#define BURST_MOST_NS	20000000ULL

struct engine {
	struct engine_events of;
	bool started;
	bool sorted;			/* the ids of events */
	int folder;			/* of the cgroup whose tasks alone are wanted; -1: none */
	__u32 *tids;			/* tasks to attach to, or of.all */
	size_t nr_tids, room_tids;
	struct machine machine;
	struct snapshot snap;
	struct intake in;
	struct ring_sums past;		/* of rings that were closed, less what was forgotten */
	__u64 began_ns;
	__u64 burst_ns, turns, next_burst;	/* with --stride; turns 0: there was no burst yet */
	__u64 cost_ns, cost_samples, busy_ns, next_cost;	/* at the last look */
};

static void add_tid(struct engine *engine, __u32 tid)
{
	ARRAY_GROW(engine->tids, engine->nr_tids + 1, engine->room_tids);
	engine->tids[engine->nr_tids++] = tid;
}

/* The threads that exist now. Those that they make inherit their events. */
static void list_tids(struct engine *engine)
{
	const struct memlat_config *config = &engine->of.config;
	char path[64];
	struct dirent *entry;
	DIR *tasks = NULL;

	if (config->pid && !engine->of.command && !(config->flags & MEMLAT_F_THREAD)) {
		snprintf(path, sizeof(path), "/proc/%d/task", config->pid);
		tasks = opendir(path);
	}
	while (tasks && (entry = readdir(tasks)))
		if (*entry->d_name != '.')
			add_tid(engine, (__u32)strtoul(entry->d_name, NULL, 10));
	if (tasks)
		closedir(tasks);
	if (!engine->nr_tids)
		add_tid(engine, config->pid ? (__u32)config->pid : (__u32)engine->of.all);
}

static void begin_tables(struct engine *engine)
{
	struct memlat_status *status = &engine->snap.head.status;
	const struct memlat_config *config = &engine->of.config;

	snapshot_init(&engine->snap);
	engine->in.snap = &engine->snap;
	engine->in.status = status;
	engine->in.lost = engine->in.lost_samples = engine->in.throttled = 0;
	engine->in.unknown = SAMPLED_BY_PERF;
	memset(engine->in.period, 0, sizeof(engine->in.period));
	intake_config(&engine->in);
	status->flags |= config->flags & (MEMLAT_F_LOADS | MEMLAT_F_STORES | MEMLAT_F_THREAD |
					  MEMLAT_F_CHILDREN | MEMLAT_F_TIED |
					  MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_STRIDE);
	status->pid = config->pid;
	status->started_ns = engine->began_ns = clock_now();
	status->ended = MEMLAT_END_STOPPED;
	intake_begin(&engine->in, config->max_memory ? config->max_memory : ENGINE_MEMORY);
}

/* Counts are worth less than samples: do without if there are too few files for each thread. */
static void spare_files(struct engine *engine)
{
	const rlim_t each = ENGINE_BURSTS + 3 + ENGINE_BESIDE;
	struct rlimit files;

	if (!engine_events_only_count(&engine->of) && !getrlimit(RLIMIT_NOFILE, &files) &&
	    engine->nr_tids * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN) * each > files.rlim_cur / 2)
		memset(engine->of.nr_counts, 0, sizeof(engine->of.nr_counts));
}

struct engine *engine_new(struct start_options *options, bool command, const char **why)
{
	struct engine *engine = xcalloc(1, sizeof(*engine));
	struct memlat_query query;
	int ret;

	*why = NULL;
	engine->of.config = options->config;
	engine->of.command = command;
	engine->of.all = -1;
	engine->burst_ns = BURST_LEAST_NS;
	engine->folder = start_options_folder(options);
	if (engine->folder >= 0)
		engine->of.all = RING_CGROUP(engine->folder);
	ret = engine_events_begin(&engine->of);
	if (ret) {
		if (engine->folder >= 0 && engine->of.nr_pmus)
			*why = refusal_perf_cgroup(-ret);
		if (!*why)
			*why = engine_why(ret, &engine->of.config);
		if (ret == -EBUSY)
			options->config.reason = MEMLAT_WHY_PERF;
		engine->snap.have_end = true;
		engine_free(engine);
		return NULL;
	}
	list_tids(engine);
	spare_files(engine);
	engine->in.cpu = engine_cpu(&query);
	machine_read(&engine->machine, &query);
	engine->in.events = &engine->of.set;
	engine->in.trailer = perf_trailer_of(&engine->of.set);
	engine->in.machine = &engine->machine;
	engine->in.live = engine->in.people.live = true;
	begin_tables(engine);
	return engine;
}

void engine_free(struct engine *engine)
{
	if (!engine)
		return;
	if (!engine->snap.have_end)
		import_tables_end(&engine->in.tables);
	snapshot_free(&engine->snap);
	intake_free(&engine->in);
	perf_events_free(&engine->of.set);
	machine_free(&engine->machine);
	free(engine->tids);
	if (engine->folder >= 0)
		close(engine->folder);
	free(engine);
}

const struct memlat_config *engine_config(const struct engine *engine)
{
	return &engine->of.config;
}

int engine_folder(const struct engine *engine)
{
	return engine->folder;
}

bool engine_has_tasks(const struct engine *engine)
{
	const __s32 pid = engine->of.config.pid;

	return engine->folder < 0 ? !pid || process_may_exist((__u64)pid) :
	       !faccessat(engine->folder, "cgroup.procs", F_OK, 0);
}

const char *engine_remark(const struct engine *engine)
{
	return engine->of.remark;
}

const char *engine_ring_why(const struct engine *engine, int error)
{
	return engine_why_ring(error) ?: engine_why(error, &engine->of.config);
}

/* The samples of an event name it by this number. */
static int note_id(struct engine *engine, int fd, size_t event)
{
	struct perf_events *events = &engine->of.set;
	__u64 id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return -errno;
	ARRAY_GROW(events->ids, events->nr_ids + 1, events->room_ids);
	events->ids[events->nr_ids++] = (struct perf_event_id){ id, event };
	engine->sorted = false;
	return 0;
}

/* Add the events of a task to a ring. */
static int add_events(struct engine *engine, struct ring *ring, size_t pmu, pid_t pid)
{
	const struct engine_count *count = engine->of.count[pmu];
	const bool grouped = engine_events_only_count(&engine->of);
	int fd, what, leader = -1, ret = 0;
	unsigned int kind;
	size_t i;

	for (i = 0; i <= engine->of.nr_counts[pmu] && !ret; i++) {
		if (!grouped || !i || count[i - 1].id == MEMLAT_EVENT_CYCLES)
			leader = -1;
		fd = engine_events_count(&engine->of, pmu, i ? count[i - 1].config : ENGINE_CLOCK, pid,
					 (int)ring->cpu, engine->started, leader);
		ret = fd < 0 ? fd : ring_add(ring, fd, i ? (int)count[i - 1].id : RING_CLOCK);
		leader = leader < 0 ? fd : leader;
	}
	for (kind = 0; kind < ENGINE_KINDS && !ret; kind++) {
		if (!engine->of.set.event[pmu * ENGINE_KINDS + kind].memory)
			continue;
		fd = engine_events_open(&engine->of, pmu, kind, pid, (int)ring->cpu, engine->started, &leader);
		if (fd < 0)
			return fd;
		what = kind < ENGINE_BURSTS ? RING_SAMPLES : RING_BURSTS - (int)(kind - ENGINE_BURSTS);
		ret = leader < 0 ? 0 : ring_add(ring, leader, what);
		if (ret)
			close(fd);
		else
			ret = ring_add(ring, fd, what);
		if (!ret)
			ret = note_id(engine, fd, pmu * ENGINE_KINDS + kind);
	}
	return ret;
}

static int add_task(struct engine *engine, struct ring *ring, size_t pmu, pid_t pid, bool more)
{
	int ret = 0;

	if (more)
		ret = ring_event(&engine->of.life, pid, ring->cpu, -1);
	if (ret > 0)
		ret = ring_add(ring, ret, RING_LIFE);
	return ret ? ret : add_events(engine, ring, pmu, pid);
}

int engine_ring(struct engine *engine, struct ring *ring, unsigned int cpu, size_t pages_most)
{
	const struct pmu *pmu = pmu_of(engine->of.pmus, engine->of.nr_pmus, cpu);
	const size_t first = pmu ? (size_t)(pmu - engine->of.pmus) : 0;
	size_t i, opened = 0;
	int ret = -ESRCH;

	for (i = 0; i < engine->nr_tids && (!ret || ret == -ESRCH); i++) {
		const pid_t pid = (pid_t)engine->tids[i];

		/* Tasks have mapped and forked before they came into a cgroup. */
		ret = opened ? 0 : ring_open(ring, cpu, pages_most, &engine->of.life,
					     pid < -1 ? -1 : pid);
		if (ret)
			continue;
		/* Threads end meanwhile. */
		if (pmu)
			ret = add_task(engine, ring, first, pid, opened);
		opened++;
	}
	if (ret == -ESRCH && opened)
		ret = 0;
	if (ret && opened)
		ring_close(ring);
	return ret;
}

static struct ring_sums sum_all(const struct engine *engine, const struct collect *collect)
{
	struct ring_sums all = engine->past, sums;
	size_t i;

	for (i = 0; i < collect->nr_rings; i++) {
		sums = ring_sums(&collect->rings[i]);
		ring_sums_add(&all, &sums, 1);
	}
	return all;
}

void engine_ring_ends(struct engine *engine, struct ring *ring)
{
	const struct ring_sums sums = ring_sums(ring);

	ring_sums_add(&engine->past, &sums, 1);
	engine_events_counted(&engine->snap, ring, 1);
}

#define ALL_BUT_BURSTS	0

static void each_event(struct collect *collect, int what, unsigned long request, void *value)
{
	const struct ring_other *other;
	size_t i, k;

	for (i = 0; i < collect->nr_rings; i++) {
		for (k = 0; k < collect->rings[i].nr_others; k++) {
			other = &collect->rings[i].others[k];
			if (other->what == what || (what == ALL_BUT_BURSTS && other->what > RING_BURSTS))
				ioctl(other->fd, request, value);
		}
	}
}

/*
 * Each burst is as long as it takes some CPU to have BURST_LOADS neighbouring loads of an event, and rare
 * enough for its part of the budget. The steps of one event alone are multiples of its period, unless the
 * CPU tags loads at random. So both take turns, several of them: what ends or begins meanwhile has steps of
 * both, or too few for a stride. The other loads rest, because on some cores one counter alone can sample
 * loads. A command has begun when it has a sample.
 */
static void burst(struct engine *engine, struct collect *collect)
{
	const __u64 budget = engine->of.config.max_overhead ?: MEMLAT_OVERHEAD_DEFAULT;
	const __u64 loads = engine->turns * engine->in.longest_burst;
	const __u64 ran = clock_now() - engine->began_ns;
	__u64 pause = 2 * loads * engine->of.sample_ns * 2 * 10000 / budget, turn;
	struct timespec length = { 0 };

	if (!(engine->of.config.flags & MEMLAT_F_STRIDE) || !engine->in.status->samples ||
	    engine->in.status->state != MEMLAT_STATE_RUNNING || clock_now() < engine->next_burst)
		return;
	if (engine->turns && loads < BURST_LOADS / 2 && engine->burst_ns < BURST_MOST_NS)
		engine->burst_ns *= 2;
	else if (loads > BURST_LOADS && engine->burst_ns > BURST_LEAST_NS)
		engine->burst_ns /= 2;
	engine->turns = engine->burst_ns / BURST_LEAST_NS;
	if (engine->turns > BURST_TURNS)
		engine->turns = BURST_TURNS;
	length.tv_nsec = (long)(engine->burst_ns / engine->turns);
	engine->in.longest_burst = 0;
	each_event(collect, RING_SAMPLES, PERF_EVENT_IOC_DISABLE, NULL);
	for (turn = 0; turn < 2 * engine->turns; turn++) {
		const int what = RING_BURSTS - (int)(turn % 2);

		each_event(collect, what, PERF_EVENT_IOC_ENABLE, NULL);
		nanosleep(&length, NULL);
		each_event(collect, what, PERF_EVENT_IOC_DISABLE, NULL);
	}
	each_event(collect, RING_SAMPLES, PERF_EVENT_IOC_ENABLE, NULL);
	/* A command may end within a second, and is worth more then. */
	pause = pause < ran / 16 ? pause : ran / 16;
	engine->next_burst = clock_now() + (pause > 2 * LATE_NS ? pause : 2 * LATE_NS);
}

/*
 * Sums go on, so what comes from now on is what they have more. What was lost of processes stays
 * lost.
 */
static void forget(struct engine *engine, const struct collect *collect)
{
	const __u64 life_lost = engine->past.life_lost;
	struct ring_sums sums;
	size_t i;

	engine->past = (struct ring_sums){ 0 };
	sums = sum_all(engine, collect);
	ring_sums_add(&engine->past, &sums, -1);
	engine->past.life_lost = life_lost;
	for (i = 0; i < collect->nr_rings; i++)
		engine_events_counted(&engine->snap, &collect->rings[i], -1);
}

void engine_start(struct engine *engine, struct collect *collect, struct history *history)
{
	engine->in.history = history;
	if (!engine->of.command)
		each_event(collect, ALL_BUT_BURSTS, PERF_EVENT_IOC_ENABLE, NULL);
	engine->started = !engine->of.command;
	forget(engine, collect);
	engine->began_ns = engine->snap.head.status.started_ns = clock_now();
	engine->snap.head.status.state = MEMLAT_STATE_RUNNING;
}

/* The time of the ring's next record; ~0: there is none. */
static __u64 next_time(const struct ring *ring)
{
	struct perf_event_header header;
	const __u64 word = ring_word(ring, 0);

	memcpy(&header, &word, sizeof(header));
	if (ring->head - ring->page->data_tail < sizeof(header))
		return ~0ULL;
	if (header.type == PERF_RECORD_SAMPLE)
		return ring_word(ring, ENGINE_SAMPLE_TIME);
	return header.size < ENGINE_TRAILER + sizeof(header) ? 0 :
		ring_word(ring, header.size - ENGINE_TRAILER + ENGINE_TRAILER_TIME);
}

/* Take the records of a ring that are no younger. */
static void take_until(struct engine *engine, struct ring *ring, __u64 until)
{
	const struct perf_event_header *record;
	bool bad = false;

	while (next_time(ring) <= until && (record = ring_next(ring, &bad))) {
		if (record->type == PERF_RECORD_SAMPLE)
			intake_sample(&engine->in, record);
		else
			intake_life(&engine->in, record);
		ring_done(ring, record);
	}
	if (bad)
		engine->in.status->malformed++;
}

static void take_all(struct engine *engine, struct collect *collect, __u64 until)
{
	size_t i;

	if (!engine->sorted)
		perf_events_sort(&engine->of.set);
	engine->sorted = true;
	for (i = 0; i < collect->nr_rings; i++)
		ring_look(&collect->rings[i]);
	for (;;) {
		struct ring *first = NULL;
		__u64 least = ~0ULL, second = ~0ULL, time;

		for (i = 0; i < collect->nr_rings; i++) {
			time = next_time(&collect->rings[i]);
			if (time < least || (!first && time != ~0ULL)) {
				second = least;
				least = time;
				first = &collect->rings[i];
			} else if (time < second) {
				second = time;
			}
		}
		if (!first || least > until)
			return;
		take_until(engine, first, second < until ? second : until);
	}
}

void engine_read(struct engine *engine, struct collect *collect)
{
	/* A command executes by now, and events of CPUs that come online begin at once. */
	engine->started = true;
	take_all(engine, collect, clock_now() - LATE_NS);
	burst(engine, collect);
}

int engine_wait(const struct engine *engine, int ms)
{
	const __u64 now = clock_now();
	__u64 left;

	if (!engine || !engine->next_burst)
		return ms;
	left = engine->next_burst > now ? (engine->next_burst - now) / 1000000 + 1 : 0;
	return ms < 0 || left < (__u64)ms ? (int)left : ms;
}

/*
 * A rate of samples bounds what the kernel does for them. If reading them takes more than was left
 * of the budget, or the kernel allows less by now, lower it.
 */
void engine_tick(struct engine *engine, struct collect *collect)
{
	const __u64 samples = engine->in.status->samples, now = clock_now();
	const __u64 own = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	__u64 rate = engine->of.rate, busy, spent, may;

	if (now < engine->next_cost)
		return;
	engine->next_cost = now + CLOCK_SECOND;
	engine_events_bound(&engine->of, now);
	if (!rate)
		return;
	busy = sum_all(engine, collect).running;
	spent = own - engine->cost_ns + (samples - engine->cost_samples) * engine->of.sample_ns;
	may = busy > engine->busy_ns ?
	      (busy - engine->busy_ns) / 10000 * engine->of.config.max_overhead : 0;
	if (engine->cost_ns && may && spent > may)
		rate = rate * may / spent;
	else if (engine->cost_ns && spent < may / 4 * 3)
		rate += rate / 4 + 1;
	/* Threads that exist keep their rate, which the kernel holds, too. */
	if (engine_events_rate(&engine->of, rate))
		each_event(collect, ALL_BUT_BURSTS, PERF_EVENT_IOC_PERIOD, &engine->of.rate);
	engine->cost_ns = own;
	engine->cost_samples = samples;
	engine->busy_ns = busy;
}

void engine_reset(struct engine *engine, struct collect *collect)
{
	const __u64 started_ns = engine->in.status->started_ns;

	take_all(engine, collect, clock_now());
	import_tables_end(&engine->in.tables);
	snapshot_free(&engine->snap);
	begin_tables(engine);
	engine->in.status->started_ns = started_ns;
	engine->in.status->state = MEMLAT_STATE_RUNNING;
	engine->cost_samples = 0;
	forget(engine, collect);
}

/* Complete the account, and move the tables to the snapshot. */
static void finish(struct engine *engine, struct collect *collect)
{
	struct memlat_status *status = engine->in.status;
	__u64 online[MEMLAT_CPU_WORDS] = { 0 };
	struct ring_sums sums;
	size_t i;

	for (i = 0; i < collect->nr_rings; i++)
		engine_events_counted(&engine->snap, &collect->rings[i], 1);
	sums = sum_all(engine, collect);
	engine_events_finish(&engine->of, &engine->snap, &sums);
	history_lost(engine->in.history, sums.life_lost);
	/* Each event counts what the ring had no room for. Older kernels only put it into the ring. */
	if (!(engine->of.lacks & ENGINE_NO_LOST))
		engine->in.lost = sums.lost;
	status->collision += engine->in.lost_samples;
	status->full_pmis = engine->in.throttled;
	cpulist_online(online);
	status->cpus_online += cpulist_nr(online);
	intake_end(&engine->in);
}

void engine_stop(struct engine *engine, struct collect *collect)
{
	struct memlat_status *status = engine->in.status;

	each_event(collect, ALL_BUT_BURSTS, PERF_EVENT_IOC_DISABLE, NULL);
	status->duration_ns = clock_now() - engine->began_ns;
	status->state = MEMLAT_STATE_IDLE;
	engine->next_burst = 0;
	take_all(engine, collect, ~0ULL - 1);
	finish(engine, collect);
}

struct snapshot *engine_look(struct engine *engine, struct collect *collect)
{
	struct memlat_status *status = engine->in.status;

	if (engine->snap.have_end)
		return &engine->snap;
	engine_status(engine);
	status->ended = MEMLAT_END_NONE;
	finish(engine, collect);
	status->cpus_armed += cpulist_nr(collect->online);
	return &engine->snap;
}

__u32 *engine_numbers(const struct engine *engine, size_t *nr)
{
	const struct memlat_table *threads = &engine->in.tables.rows.table[MEMLAT_THREADS];
	struct snapshot snap = { 0 };
	__u32 *numbers;

	ARRAY_GROW(snap.threads, threads->now.used, snap.room_threads);
	for (; snap.nr_threads < threads->now.used; snap.nr_threads++)
		memlat_table_read(threads->kind, memlat_table_at(threads, (__u32)snap.nr_threads),
				  &snap.threads[snap.nr_threads]);
	numbers = history_numbers_of(&snap, nr);
	snapshot_free(&snap);
	return numbers;
}

struct memlat_status *engine_status(struct engine *engine)
{
	if (engine->in.status->state == MEMLAT_STATE_RUNNING)
		engine->in.status->duration_ns = clock_now() - engine->began_ns;
	return engine->in.status;
}

void engine_take(struct engine *engine, struct snapshot *snap)
{
	*snap = engine->snap;
	snapshot_init(&engine->snap);
	engine->snap.have_end = true;
}
