// SPDX-License-Identifier: GPL-2.0
/*
 * Shards and counts of four CPUs, which are taken while PMIs come: module/shards.c itself. Whatever
 * it calls of the kernel is a window, in which one CPU drains a record. Each window is entered on
 * purpose. What is told has to be what was drained until a CPU had its turn, and no cell is without
 * its counts.
 */
#define HW_CPUS	4
#include "hw_stubs.h"

#include <errno.h>
#include <linux/types.h>
#include <sys/types.h>

#define GFP_KERNEL		0
#define __GFP_RETRY_MAYFAIL	0
#define __GFP_NOWARN		0
#define SZ_1M			(1 << 20)
#define SZ_64M			(1 << 26)
struct cpumask;
struct mutex { bool held; };
typedef int wait_queue_head_t;

/* An NMI may come before each of these. */
#undef READ_ONCE
#undef WRITE_ONCE
#define READ_ONCE(x)		(window(), (x))
#define WRITE_ONCE(x, value)	(window(), (x) = (value))
#define DEFINE_MUTEX(name)	struct mutex name
#define mutex_lock(mutex)	(window(), (mutex)->held = true)
#define mutex_unlock(mutex)	((mutex)->held = false, window())
#define cpus_read_lock()	window()
#define cpus_read_unlock()	window()
#define cond_resched()		window()
#define cpu_to_node(cpu)	((cpu) / 2)
#define cpu_online(cpu)		(online[cpu])
#define kzalloc(bytes, gfp)	zeroed(bytes)
#define kvcalloc(n, bytes, gfp)	zeroed((n) * (bytes))
#define kvzalloc_node(bytes, gfp, node)	((void)(node), zeroed(bytes))
#define kfree			free
#define kvfree			free
#define roundup_pow_of_two(n)	(1UL << (64 - __builtin_clzl((n) - 1)))

static bool online[HW_CPUS];

static void window(void);

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	assert_non_null(memory);
	return memset(memory, 0, (bytes + 63) / 64 * 64);
}

static int smp_call_function_single(int cpu, void (*function)(void *), void *data, int wait)
{
	const int here = this_cpu;

	assert_true(wait);
	window();
	if (!online[cpu])
		return -ENXIO;
	this_cpu = cpu;
	function(data);
	this_cpu = here;
	window();
	return 0;
}

static void on_each_cpu_cond(bool (*wanted)(int, void *), void (*function)(void *), void *data, bool wait)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (online[cpu] && wanted(cpu, data))
			smp_call_function_single(cpu, function, data, wait);
}

#include "../../module/shards.c"

/* CPUs 0 and 1 have another kind of core than 2 and 3, with fewer raw words. */
static const unsigned int raws_of[] = { 8, 16 };

static struct memlat_cpu the_cpus[HW_CPUS];
struct memlat_cpu __percpu *memlat_cpu = the_cpus;

unsigned int memlat_cores_nr(void)
{
	return ARRAY_SIZE(raws_of);
}

unsigned int memlat_cores_raws(unsigned int i)
{
	return raws_of[i];
}

unsigned int memlat_cores_of(int cpu)
{
	return cpu / 2;
}

/* ------------------------------------------------------------------------------------- what happens */

/* What a drain found: one load, for which there is a cell, or one record that could not be read. */
struct drained {
	u64 loads;
	u64 bad;
};

static struct drained drained[HW_CPUS];
static unsigned int windows, chosen;	/* that were passed; in which a CPU drains, 0: in none */
static int chosen_cpu;
static bool chosen_is_bad;
static u64 address;

static void drain(int cpu, bool bad)
{
	struct memlat_cpu *c = &the_cpus[cpu];

	if (bad) {
		c->counts->count[MEMLAT_COUNT_MALFORMED]++;
		drained[cpu].bad++;
	} else {
		struct memlat_sample s = sample(address += 64, 100, 2);

		s.raw = raws_of[cpu / 2] - 1;
		shard_add(c->active, c->counts, &s);
		counts_add(c->counts, &s);
		drained[cpu].loads++;
	}
}

/* Not while the CPU has no shards, and not on one that is offline. */
static void window(void)
{
	if (++windows == chosen && online[chosen_cpu] && the_cpus[chosen_cpu].active)
		drain(chosen_cpu, chosen_is_bad);
}

static struct drained all(void)
{
	struct drained sum = { 0 };
	int cpu;

	for_each_possible_cpu(cpu) {
		sum.loads += drained[cpu].loads;
		sum.bad += drained[cpu].bad;
	}
	return sum;
}

static u64 merged;			/* loads in the shards that were taken */
static struct drained least, most;	/* that a round may tell of */
static struct drained forgotten;	/* by a reset, at least */

static void is_between(u64 value, u64 low, u64 high)
{
	assert_true(low <= value && value <= high);
}

static void take(int cpu)
{
	struct memlat_shard *shard;
	unsigned int i;

	least.loads += drained[cpu].loads;
	least.bad += drained[cpu].bad;
	shard = memlat_shards_take(cpu);
	most.loads += drained[cpu].loads;
	most.bad += drained[cpu].bad;
	if (!shard)
		return;
	assert_false(shard->spilled);
	for (i = 0; i < shard->used; i++)
		merged += shard->cell[shard->place[i]].samples;
	memlat_shard_clear(shard);
}

/* Nothing that was drained before the call is missing, and nothing is told that was not drained. */
static void status(void)
{
	static struct memlat_counts sum;
	const struct drained before = all();

	memlat_shards_count(&sum);
	is_between(sum.count[MEMLAT_COUNT_SAMPLES] + forgotten.loads, before.loads, all().loads);
	is_between(sum.count[MEMLAT_COUNT_MALFORMED] + forgotten.bad, before.bad, all().bad);
	assert_int_equal(sum.count[MEMLAT_COUNT_LOADS], sum.count[MEMLAT_COUNT_SAMPLES]);
}

/* All CPUs have their turns. @status_after: after this CPU's turn somebody reads the status. */
static void turns(int status_after)
{
	int cpu;

	least = most = (struct drained) { 0 };
	memlat_shards_round();
	for_each_possible_cpu(cpu) {
		take(cpu);
		if (cpu == status_after)
			status();
	}
}

static void snapshot(int status_after)
{
	static struct memlat_core_counts core[ARRAY_SIZE(raws_of)];
	static struct memlat_counts sum;
	u64 raws = 0, loads = 0;
	unsigned int i, raw;

	turns(status_after);
	memlat_shards_round_sum(&sum, core);
	assert_int_equal(sum.count[MEMLAT_COUNT_SAMPLES], merged);
	is_between(merged + forgotten.loads, least.loads, most.loads);
	is_between(sum.count[MEMLAT_COUNT_MALFORMED] + forgotten.bad, least.bad, most.bad);
	for (i = 0; i < ARRAY_SIZE(raws_of); i++) {
		loads += core[i].loads;
		for (raw = 0; raw < MEMLAT_RAWS; raw++) {
			raws += core[i].raw[raw];
			assert_true(raw == raws_of[i] - 1 || !core[i].raw[raw]);
		}
	}
	assert_int_equal(loads, merged);
	assert_int_equal(raws, merged);
}

/* Whatever came until a CPU had its turn is forgotten, and nothing that came later. */
static void reset(int status_after)
{
	static struct memlat_counts sum;
	const u64 before = merged;

	turns(status_after);
	memlat_shards_round_forget();
	forgotten.loads += merged - before;
	merged = 0;
	chosen = 0;
	memlat_shards_count(&sum);
	forgotten = all();
	forgotten.loads -= sum.count[MEMLAT_COUNT_SAMPLES];
	forgotten.bad -= sum.count[MEMLAT_COUNT_MALFORMED];
	is_between(forgotten.loads, least.loads, most.loads);
	is_between(forgotten.bad, least.bad, most.bad);
}

/* CPU 0 has cells, CPU 1 counts alone, CPU 2 nothing yet, and CPU 3 has gone offline with both. */
static void begin(void)
{
	int cpu;

	chosen = windows = 0;
	merged = 0;
	forgotten = (struct drained) { 0 };
	memset(drained, 0, sizeof(drained));
	for_each_possible_cpu(cpu)
		online[cpu] = true;
	drain(0, false);
	drain(1, true);
	drain(3, false);
	drain(3, true);
	online[3] = false;
	this_cpu = 2;
}

static void end(void)
{
	chosen = 0;
	status();
	snapshot(-1);
	is_between(merged + forgotten.loads, all().loads, all().loads);
	memlat_shards_forget();
}

static int shards_alloc(void **state)
{
	int cpu, ret = memlat_shards_init();

	for_each_possible_cpu(cpu)
		ret = ret ?: memlat_shards_alloc(cpu, false, false);
	return ret;
}

static int shards_free(void **state)
{
	memlat_shards_free_all();
	memlat_shards_exit();
	return 0;
}

TEST_GROUP(shards_alloc, shards_free)

/* Do it without a PMI, and then with one on each CPU in each window. */
static void in_each_window(void (*what)(int), int arg)
{
	unsigned int last, nr;
	int cpu;

	begin();
	windows = 0;
	what(arg);
	last = windows;
	end();
	assert_true(last > 10);
	for (nr = 1; nr <= last; nr++)
		for (cpu = 0; cpu < 2 * HW_CPUS; cpu++) {
			begin();
			windows = 0;
			chosen = nr;
			chosen_cpu = cpu / 2;
			chosen_is_bad = cpu % 2;
			what(arg);
			end();
		}
}

static void one_status(int arg)
{
	status();
}

static void two_snapshots(int status_after)
{
	snapshot(status_after);
	snapshot(-1);
}

/* The store's worker takes the shard of one CPU, and leaves its counts. */
static void worker_then_snapshot(int cpu)
{
	take(cpu);
	status();
	take(cpu);
	snapshot(-1);
}

static void reset_then_snapshot(int status_after)
{
	reset(status_after);
	snapshot(status_after);
}

TEST(status_in_each_window)
{
	in_each_window(one_status, 0);
}

TEST(snapshots_in_each_window)
{
	in_each_window(two_snapshots, -1);
}

TEST(status_during_a_snapshot)
{
	int cpu;

	for_each_possible_cpu(cpu)
		in_each_window(two_snapshots, cpu);
}

TEST(worker_before_a_snapshot)
{
	int cpu;

	for_each_possible_cpu(cpu)
		in_each_window(worker_then_snapshot, cpu);
}

TEST(reset_in_each_window)
{
	int cpu;

	for (cpu = -1; cpu < HW_CPUS; cpu++)
		in_each_window(reset_then_snapshot, cpu);
}

/* A CPU that comes back has nothing left from before; one that has nothing is left alone. */
TEST(due)
{
	int cpu;

	begin();
	assert_true(memlat_shards_due(0) && memlat_shards_due(3));
	assert_false(memlat_shards_due(1) || memlat_shards_due(2));
	assert_null(memlat_shards_take(2));
	/* Counts alone are no reason to merge. */
	assert_null(memlat_shards_take(1));
	snapshot(-1);
	online[3] = true;
	for_each_possible_cpu(cpu) {
		assert_false(memlat_shards_due(cpu));
		assert_null(memlat_shards_take(cpu));
	}
	end();
}

/* What was counted stays when the shards are freed. */
TEST(freed)
{
	begin();
	memlat_shards_free_all();
	status();
	memlat_shards_forget();
	memlat_shards_exit();
	assert_int_equal(shards_alloc(NULL), 0);
}
