// SPDX-License-Identifier: GPL-2.0
/*
 * A session that counts events and samples (MEMLAT_F_COUNT with _LOADS and _STORES), on a machine
 * with its clock on (selftests/vm/run --vpebs timing=on). Every count is exactly the truth's,
 * samples are not affected, estimates with Caliper's factor agree with what happened, and every
 * counter is restored.
 */
#include "rig.h"
#include "session.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERIOD		17		/* primes, so that loops do not run in step */
#define PERIOD_LONG	37		/* if the minimum is 32 */
#define STORE_PERIOD	1009
#define ESTIMATE	0.05
/* Five percent are more than three standard deviations of so many. */
#define ENOUGH		4000

#define EVENTSEL0	0x186
#define PMC0		0xc1
#define FOREIGN		0x1003cull	/* cycles in user mode, not enabled: counts nothing */
#define LOADS_EVENT	0x81d0
#define LOADS_EVENT_NHM	0x010b

#define SAMPLES		(MEMLAT_F_LOADS | MEMLAT_F_STORES)

static const struct {
	unsigned int event;
	const char *name;
} events[] = {
	{ MEMLAT_EVENT_CYCLES, "cycles" },
	{ MEMLAT_EVENT_INSTRUCTIONS, "instructions" },
	{ MEMLAT_EVENT_LOAD_STALLS, "load_stalls" },
	{ MEMLAT_EVENT_LOADS, "loads" },
	{ MEMLAT_EVENT_STORES, "stores" },
	{ MEMLAT_EVENT_DTLB_LOAD_WALKS, "dtlb_load_walks" },
	{ MEMLAT_EVENT_L1_MISSES, "l1_misses" },
	{ MEMLAT_EVENT_L2_MISSES, "l2_misses" },
};

#define EVENTS	(sizeof(events) / sizeof(events[0]))

static struct memlat_query query;

static bool on_cpu_too(const struct snapshot *snapshot, unsigned int event, unsigned int cpu)
{
	size_t i;

	for (i = 0; i < snapshot->nr_counts; i++)
		if (snapshot->counts[i].event == event && snapshot->counts[i].cpu == cpu)
			return true;
	return false;
}

/*
 * The truth while the fixed counter of cycles counted, so only if that counter has the filters. Of
 * the CPUs that found a counter for the event, which on a hybrid machine may not be all.
 */
static uint64_t truth_of(const struct measured *m, unsigned int event, const char *name)
{
	uint64_t sum = 0, value;
	unsigned int cpu;

	for (cpu = 0; counted_truth(m->truth, cpu, name, &value); cpu++)
		if (on_cpu_too(&m->snapshot, event, cpu))
			sum += value;
	return sum;
}

static struct memlat_config config_of(unsigned int flags)
{
	struct memlat_config config = {
		.size = sizeof(config),
		.flags = MEMLAT_F_COUNT | flags,
		.ldlat = MEMLAT_LDLAT_MIN,
		.period = PERIOD < query.period_min ? PERIOD_LONG : PERIOD,
	};

	if (flags & MEMLAT_F_STORES)
		config.store_period = STORE_PERIOD;
	return config;
}

/* Turns use the counter of cycles, by which the truth decides when to count. */
static unsigned int samples(void)
{
	return query.traits & MEMLAT_TRAIT_TURNS ? MEMLAT_F_LOADS : SAMPLES & query.flags;
}

static bool counts_agree(const struct measured *m)
{
	unsigned int i, counted = 0;
	bool good = true;

	for (i = 0; i < EVENTS; i++) {
		struct counted sum = counted_of(&m->snapshot, events[i].event, -1);
		uint64_t truth = truth_of(m, events[i].event, events[i].name);

		if (!sum.records)
			continue;
		counted++;
		note("%-16s counted %" PRIu64 ", true %" PRIu64 "\n", events[i].name, sum.value,
		     truth);
		good &= sum.value == truth && sum.all_the_time;
	}
	/* Cycles if they have their fixed counter, instructions, and one more event. */
	return good && counted >= 2;
}

/* ------------------------------------------------------------- estimates */

static uint64_t misses_of(struct json_object *truth, bool deep)
{
	uint64_t hits = truth_u64(truth, "/counted/by_source/l1");

	if (deep)
		hits += truth_u64(truth, "/counted/by_source/l2");
	return truth_sum(truth, "/counted/by_source") - hits;
}

static bool near(const char *what, uint64_t estimate, uint64_t truth)
{
	double off = truth ? (double)estimate / truth - 1 : 1;
	bool good = fabs(off) <= ESTIMATE;

	note("%-16s estimate %" PRIu64 ", true %" PRIu64 ", %+.2f %%%s\n", what, estimate, truth,
	     100 * off, good ? "" : ": NO");
	return good;
}

/* Compare the estimates with the truth, for each source with enough samples. */
static bool sources_agree(struct json_object *view, struct json_object *truth, unsigned int least)
{
	unsigned int i, judged = 0;
	bool good = true;

	for (i = 0;; i++) {
		struct json_object *name;
		char pointer[80], of_truth[80];

		snprintf(pointer, sizeof(pointer), "/served/%u/source", i);
		if (json_pointer_get(view, pointer, &name))
			return good && judged >= least;
		snprintf(of_truth, sizeof(of_truth), "/counted/by_source/%s",
			 json_object_get_string(name));
		snprintf(pointer, sizeof(pointer), "/served/%u/misses", i);
		if (truth_u64(view, pointer) < ENOUGH)
			continue;
		judged++;
		snprintf(pointer, sizeof(pointer), "/served/%u/est_misses", i);
		good &= near(json_object_get_string(name), truth_u64(view, pointer),
			     truth_u64(truth, of_truth));
	}
}

/* Did any CPU count this event? */
static bool is_counted(const struct snapshot *snapshot, const char *name)
{
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		if (!strcmp(events[i].name, name))
			return counted_of(snapshot, events[i].event, -1).records;
	return false;
}

static void check_estimates(const struct measured *m, const char *what, const char *event,
			    unsigned int least)
{
	const struct memlat_status *status = &m->snapshot.status.status;
	struct json_object *view, *by = NULL;
	char *text = NULL;
	bool good;

	/* If all CPUs lack the event, or a counter for it, estimates use the weight alone. */
	if (!is_counted(&m->snapshot, event))
		event = "weight alone";

	need(!command_run(&text, "./memlat-ctl dcache --by module --json"), "no view");
	view = json_tokener_parse(text);
	need(view, "the view is not JSON");
	free(text);
	good = !json_pointer_get(view, "/totals/estimate/event", &by) &&
	       !strcmp(by ? json_object_get_string(by) : "weight alone", event);
	if (!good)
		note("estimates go by %s\n", json_object_get_string(by));
	good &= near("all misses", truth_u64(view, "/totals/est_misses"),
		     misses_of(m->truth, status->ldlat > MEMLAT_LDLAT_MIN));
	good &= sources_agree(view, m->truth, least);
	result(good, "%s: estimates by %s are what the machine counted\n", what, event);
	json_object_put(view);
}

static void measure(struct measured *m, struct memlat_config config, const char *command)
{
	struct actor actor;

	actor_start(&actor, "echo {}; head -c 1 >/dev/null; exec " WORKLOADS "%s", command);
	measure_actor(m, &config, &actor);
}

#define WORKLOAD_RESULTS	(2 + CONSERVED_RESULTS)

/* @least: the number of sources that must have enough samples to be compared. */
static void test_workload(const char *what, unsigned int ldlat, const char *event,
			  unsigned int least, const char *command)
{
	struct memlat_config config = config_of(MEMLAT_F_USER | MEMLAT_F_CHILDREN | samples());
	struct measured m;

	config.ldlat = ldlat;
	measure(&m, config, command);
	result(counts_agree(&m), "%s: each count is that of the machine\n", what);
	check_conserved(&m, what);
	check_estimates(&m, what, event, config.period == PERIOD ? least : 0);
	measured_free(&m);
}

/* ----------------------------------------------------------- the session */

#define ROUNDS		2000000ull
#define LOADS		2		/* of a round */
#define BESIDE		100000		/* user code around the loop: starts, stops, looks */

static struct memlat_config config_of_me(unsigned int flags)
{
	struct memlat_config config = config_of(MEMLAT_F_USER | MEMLAT_F_THREAD | flags);

	config.pid = gettid();
	config.period = 10007;
	return config;
}

static void test_asked(void)
{
	struct memlat_config config = config_of(MEMLAT_F_USER | MEMLAT_F_LOADS);
	struct memlat_status status;
	bool good;

	config.ldlat = MEMLAT_LDLAT_MIN - 1;
	good = refused(config, EINVAL, MEMLAT_WHY_LDLAT);
	config = config_of(MEMLAT_F_USER | MEMLAT_F_LOADS);
	config.period = 0;
	good &= refused(config, EINVAL, MEMLAT_WHY_PERIOD);
	config = config_of(MEMLAT_F_USER | MEMLAT_F_CALL_GRAPH);
	good &= refused(config, EINVAL, MEMLAT_WHY_FLAGS);
	session_begin(config_of(MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_CALL_GRAPH | MEMLAT_F_PHYS));
	need(!device_status(rig_fd(), &status), "no status");
	good &= status.ldlat == MEMLAT_LDLAT_MIN && (status.flags & MEMLAT_F_COUNT) &&
		(status.flags & MEMLAT_F_LOADS);
	session_end(NULL);
	result(good, "with counts, the parameters of samples are checked as without\n");
}

/* The budget uses the cycle counter, which counts everything; counts follow the filters. */
static void test_budget(void)
{
	struct memlat_config config = config_of_me(samples());
	struct counted loads, instructions;
	struct snapshot snapshot;
	bool partly;

	config.max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	session_begin(config);
	work_loop(ROUNDS);
	session_end(&snapshot);
	loads = counted_of(&snapshot, MEMLAT_EVENT_LOADS, -1);
	instructions = counted_of(&snapshot, MEMLAT_EVENT_INSTRUCTIONS, -1);
	/* Some kinds of cores may have no counter left for loads. */
	partly = loads.records < instructions.records;
	note("with a budget: %" PRIu64 " loads, of the loop %llu\n", loads.value, ROUNDS * LOADS);
	result(snapshot.status.status.busy_cycles && instructions.all_the_time &&
	       instructions.value >= 6 * ROUNDS &&
	       instructions.value <= 6 * ROUNDS + BESIDE &&
	       (partly || (loads.all_the_time && loads.value >= ROUNDS * LOADS &&
			   loads.value <= ROUNDS * LOADS + BESIDE)),
	       "with a budget: the loop is counted, and nothing else\n");
	snapshot_free(&snapshot);
}

/* A reset, CPUs that go and come, a suspend. */
static void test_life(void)
{
	struct snapshot first, second;
	struct memlat_status status;
	uint64_t before;

	session_begin(config_of_me(MEMLAT_F_LOADS));
	work_loop(ROUNDS);
	session_take(&first);
	work_loop(ROUNDS);
	session_take(&second);
	before = counted_of(&first, MEMLAT_EVENT_INSTRUCTIONS, -1).value;
	result(before >= 6 * ROUNDS &&
	       counted_of(&second, MEMLAT_EVENT_INSTRUCTIONS, -1).value >= before + 6 * ROUNDS,
	       "snapshots while it counts\n");
	snapshot_free(&first);
	snapshot_free(&second);
	need(!device_reset(rig_fd()), "no reset");
	session_take(&first);
	result(counted_of(&first, MEMLAT_EVENT_INSTRUCTIONS, -1).value < BESIDE,
	       "after a reset the counts begin at zero\n");
	snapshot_free(&first);

	on_cpu(1);
	work_loop(ROUNDS);
	on_cpu(0);
	need(!command_run(NULL, "echo 0 >/sys/devices/system/cpu/cpu1/online"), "CPU 1 stays");
	need(!command_run(NULL, "echo 1 >/sys/devices/system/cpu/cpu1/online"), "CPU 1 is gone");
	need(!command_run(NULL, "cd /sys/power && echo 0 >../module/suspend/parameters/pm_test_delay && "
			  "echo freezer >pm_test && echo mem >state && echo none >pm_test"),
	     "the machine does not sleep");
	on_cpu(1);
	work_loop(ROUNDS);
	on_cpu(0);
	need(!device_status(rig_fd(), &status), "no status");
	session_end(&first);
	before = counted_of(&first, MEMLAT_EVENT_INSTRUCTIONS, -1).value;
	result(status.suspends == 1 && before >= 12 * ROUNDS && before <= 12 * ROUNDS + 2 * BESIDE,
	       "over hotplug and suspend, no count is lost or added\n");
	snapshot_free(&first);
	result(!truth_call("compare"),
	       "every register is as before, while the module is still loaded\n");
}

/* The counter that counts loads on this file's CPU; -1: none. */
static int counter_of_loads(int fd)
{
	uint64_t value;
	int i;

	for (i = 0; i < 8; i++)
		if (pread(fd, &value, sizeof(value), EVENTSEL0 + i) == sizeof(value) &&
		    ((value & 0xffff) == LOADS_EVENT || (value & 0xffff) == LOADS_EVENT_NHM))
			return i;
	return -1;
}

/* Another user writes a counter that counts events in a sampling session. */
static void test_takeover(void)
{
	struct memlat_config config = config_of_me(MEMLAT_F_LOADS);
	uint64_t value = FOREIGN, after = 0;
	int fd, counter;
	struct memlat_status status;
	struct actor actor;
	unsigned int i;

	need(!command_run(NULL, "modprobe msr allow_writes=on"), "no msr driver");
	fd = open("/dev/cpu/0/msr", O_RDWR);
	need(fd >= 0, "cannot open the msr driver's device");
	on_cpu(0);
	/*
	 * The session is of a process that sleeps, so all of its counters are off. Nevertheless the
	 * other user's counter must not stay off.
	 */
	actor_start(&actor, "echo {}; head -c 1 >/dev/null");
	config.pid = actor.pid;
	config.flags &= ~MEMLAT_F_THREAD;
	session_begin(config);
	counter = counter_of_loads(fd);
	need(counter >= 0, "no counter counts loads");
	need(pwrite(fd, &value, sizeof(value), EVENTSEL0 + counter) == sizeof(value),
	     "cannot write");
	for (i = 0; i < 1000; i++) {
		need(!device_status(rig_fd(), &status), "no status");
		if (status.state == MEMLAT_STATE_IDLE)
			break;
		usleep(10000);
	}
	actor_go(&actor);
	actor_wait(&actor);
	result(status.state == MEMLAT_STATE_IDLE && status.ended == MEMLAT_END_TAKEOVER,
	       "a counter that somebody else turns on ends the session\n");
	need(pread(fd, &after, sizeof(after), EVENTSEL0 + counter) == sizeof(after),
	     "cannot read");
	result(after == FOREIGN, "what somebody else wrote stays\n");
	/* The counter is another user's now, who has to clear it, with its value. */
	value = 0;
	need(pwrite(fd, &value, sizeof(value), EVENTSEL0 + counter) == sizeof(value) &&
	     pwrite(fd, &value, sizeof(value), PMC0 + counter) == sizeof(value),
	     "cannot write");
	close(fd);
}

int main(void)
{
	rig_open(4 * WORKLOAD_RESULTS + 8);
	rig_pages_stay();
	need(!device_query(rig_fd(), &query), "no query");
	test_workload("chase", MEMLAT_LDLAT_MIN, "l1_misses", 1,
		      "chase --cpu 0 --size 4000000 --steps 80000");
	test_workload("stream", MEMLAT_LDLAT_MIN, "l1_misses", 1,
		      "walker --cpu 0 --size 1000000 --rounds 8");
	test_workload("mix", MEMLAT_LDLAT_MIN, "l1_misses", 0,
		      "graded --cpus 0,1 --iterations 20000");
	test_workload("chase, ldlat 30", MEMLAT_LDLAT_DEFAULT, "l2_misses", 1,
		      "chase --cpu 0 --size 4000000 --steps 80000");
	test_asked();
	test_budget();
	test_life();
	test_takeover();
	rig_close();
}
