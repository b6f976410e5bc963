// SPDX-License-Identifier: GPL-2.0
/*
 * The budget on a machine of 2 GHz, which the emulated machine is not: module/hw/budget.c itself
 * runs here on one simulated CPU. This file decides what the CPU runs, and what memlat's work costs
 * and when. budget.c decides the periods, and so how much work there is.
 *
 * Prints figures as selftests/bench/lib.sh describes them.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "hw.h"

#define GHZ		2
#define MS		(1000000ULL * GHZ)	/* in cycles, of a clock that never stops */
#define STEP		(MS / 50)		/* what the program runs at a time */
#define SLOT		(100 * MS)		/* shares are kept for each */
#define SLOTS_MAX	24000
#define PMI_RECORDS	320
#define PMI_LOADS	200			/* on the way out of a PMI and into the next one */

/*
 * The real costs in cycles. They are not those that budget.c assumes: a PMI and a merge cost more
 * than what it measures.
 */
#define TRUE_PMI	1000
#define TRUE_HOOK	60
#define TRUE_DRAIN	400
#define TRUE_RECORD	250
#define TRUE_CELL	700
#define TRUE_KICK	700
#define TRUE_MERGE	3500

/* As in module/store.c. */
#define DELAY		(60000 * MS)
#define NEVER		(~0ULL)

/**
 * struct load - what the CPU runs
 * @name: of its figures
 * @what: description for the output
 * @seconds: how long it runs
 * @wakes: how often it wakes up in a second; 0: it always runs
 * @each: instructions for each slow load; one instruction per cycle
 * @cells: number of cells that its samples belong to
 * @programs: how many programs run in a second, on average, beside what wakes up
 * @ms: how long each runs, on average
 * @dense: how many times as many slow loads it has
 */
struct load {
	const char *name;
	const char *what;
	unsigned int seconds;
	unsigned int wakes;
	double each;
	unsigned int cells;
	double programs;
	double ms;
	double dense;
};

/* All stores of a program count. */
#define STORE_EACH	8.0
/* How long it runs after it wakes up, or before it is preempted. */
#define AWAKE		(MS / 20)
#define TURN		(4 * MS)

struct memlat_hw memlat_hw = {
	.kinds = 3, .cycles_mask = ~0ULL >> 16, .budget = true, .max_overhead = 100,
	.period = { MEMLAT_PERIOD_DEFAULT, MEMLAT_STORE_PERIOD_DEFAULT },
};
struct memlat_core memlat_cores[MEMLAT_CORES_MAX];
static struct memlat_cpu all_cpus[SIM_CPUS];
struct memlat_cpu *memlat_cpu = all_cpus;
unsigned long jiffies;
u64 sim_cycles;

static const struct memlat_cpu_model model = {
	.pmi_cycles = 800, .hook_cycles = 50, .merge_cycles = 3500, .record_cycles = 1000,
};
static struct memlat_cpu *const c = &all_cpus[0];
static double left[MEMLAT_KINDS];	/* events until the next record */
static const struct load *load;
static double dense = 1;		/* times as many slow loads as the load has */
static struct memlat_shard shard;	/* no more of it than how much it holds */
static unsigned int pending, sampled[MEMLAT_KINDS];
static u64 clock_now, merge_at = NEVER, seed = 1;
static bool tap, failed;
static struct { double own, busy; } slot[SLOTS_MAX];

unsigned int memlat_cores_of(int cpu)
{
	return 0;
}

u64 memlat_core_period_floor(const struct memlat_core *core, unsigned int kind)
{
	return 17;
}

u64 memlat_cores_period_max(void)
{
	return 1003137101;
}

void memlat_turn_reset(void)
{
}

u64 memlat_turn_counter(const struct memlat_cpu *cpu, unsigned int kind)
{
	return -(u64)ceil(left[kind]) & cpu->core->mask;
}

void memlat_turn_counter_set(struct memlat_cpu *cpu, unsigned int kind, u64 period)
{
	left[kind] = period;
}

static double chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) * 0x1p-53;
}

static void pass(u64 cycles, bool own)
{
	unsigned int i = clock_now / SLOT;

	if (i >= SLOTS_MAX)
		errx(1, "too long");
	sim_cycles += cycles;
	clock_now += cycles;
	slot[i].busy += cycles;
	slot[i].own += own ? cycles : 0;
	jiffies = clock_now * HZ / (1000 * MS);
}

static void sleep_until(u64 when)
{
	if (when > clock_now)
		clock_now = when;
	jiffies = clock_now * HZ / (1000 * MS);
}

static void kick(void)
{
	pass(TRUE_KICK, true);
	c->budget.kicks++;
	if (memlat_shard_is_due(&shard, true))
		merge_at = clock_now;
	else if (merge_at == NEVER)
		merge_at = clock_now + DELAY;
}

/* Samples of few lines often fall into existing cells. */
static void fill(unsigned int records)
{
	while (records--)
		if (chance() < 1 - (double)shard.used / load->cells)
			shard.used++;
}

static void drain(u32 unseen)
{
	bool first = !shard.used, due = memlat_shard_is_due(&shard, true);
	unsigned int records = pending;
	u64 since = sim_cycles;

	pass(TRUE_DRAIN + records * TRUE_RECORD, true);
	fill(records);
	pending = 0;
	memlat_budget_spent(c, since, unseen, records);
	if (records && (first || (!due && memlat_shard_is_due(&shard, true))))
		kick();
}

static void merge_if_due(void)
{
	u64 from;

	if (clock_now < merge_at)
		return;
	merge_at = NEVER;
	pass(TRUE_MERGE, true);
	from = memlat_budget_now();
	pass(shard.used * TRUE_CELL, true);
	shard.used = 0;
	memlat_budget_charge(0, memlat_budget_now() - from);
}

static void switch_task(void)
{
	if (pending || memlat_budget_due(c)) {
		drain(model.hook_cycles);
		return;
	}
	pass(TRUE_HOOK, true);
	c->budget.hooks++;
}

static void count(unsigned int kind, double events)
{
	while (events >= left[kind]) {
		events -= left[kind];
		left[kind] = c->rate[kind].period;
		c->rate[kind].records++;
		sampled[kind]++;
		if (++pending < PMI_RECORDS)
			continue;
		pass(TRUE_PMI, true);
		drain(model.pmi_cycles);
	}
	left[kind] -= events;
}

static void run_program(u64 cycles)
{
	pass(cycles, false);
	/* Loops are similar, but not equal. */
	count(MEMLAT_KIND_LOADS, cycles * dense / load->each * (0.5 + chance()));
	count(MEMLAT_KIND_STORES, cycles / STORE_EACH * (0.5 + chance()));
	merge_if_due();
}

static void run(u64 end)
{
	u64 wake = load->wakes ? 1000 * MS / load->wakes : 0, next = clock_now;
	u64 watch = clock_now, stop;

	while (clock_now < end) {
		if (wake) {
			next += wake;
			/* A merge wakes an idle CPU, too. */
			while (merge_at < next && merge_at < end) {
				sleep_until(merge_at);
				switch_task();
				merge_if_due();
				switch_task();
			}
			sleep_until(next);
			/* A switch from idle to the task. */
			switch_task();
		}
		stop = clock_now + (wake ? AWAKE : TURN);
		if (load->programs > 0 && chance() * load->wakes < load->programs) {
			stop = clock_now + (u64)(load->ms * MS * -log(1 - chance()));
			dense = load->dense;
		}
		while (clock_now < stop)
			run_program(STEP);
		dense = 1;
		switch_task();
		if (clock_now < watch)
			continue;
		watch += 1000 * MS;
		if (memlat_budget_due(c))
			drain(model.hook_cycles);
	}
}

static double share(unsigned int from, unsigned int slots)
{
	double own = 0, busy = 0;
	unsigned int i;

	for (i = from; i < from + slots; i++) {
		own += slot[i].own;
		busy += slot[i].busy;
	}
	return busy ? 100 * own / busy : 0;
}

static bool within(double is)
{
	return is >= 0.8 && is <= 1.2;
}

/* Return the time in seconds from which on each window is within the goal. */
static double settled(unsigned int from)
{
	const unsigned int window = load->wakes ? 100 : 10, last = load->seconds * 10 - window;
	unsigned int i = last + 1;

	while (i && within(share(from + i - 1, window)))
		i--;
	return i / 10.0;
}

static void figures(unsigned int from, unsigned int number)
{
	/* With a program now and then, every ten seconds differ. */
	bool mean = load->programs > 0;
	double is = share(from + 20, load->seconds * 10 - 20), after = mean ? 0 : settled(from);
	char name[64];

	snprintf(name, sizeof(name), "budget.2GHz.%u_%s", number, load->name);
	if (!tap) {
		printf("%s.share %.3f %% 0.8..1.2 %s; from the second second on\n", name, is,
		       load->what);
		if (!mean)
			printf("%s.settled %.1f s <=2 from then on each %s is within the goal\n",
			       name, after, load->wakes ? "ten seconds" : "second");
		return;
	}
	failed |= !within(is) || after > 2;
	printf("%sok %u %s: %.3f %%", within(is) && after <= 2 ? "" : "not ", number, name, is);
	if (!mean)
		printf(", settled after %.1f s", after);
	printf("\n");
}

/* The range of periods is that of the CPU that is armed. */
static void range(const char *when, unsigned int number)
{
	const struct memlat_rate *loads = &c->rate[MEMLAT_KIND_LOADS];
	const struct memlat_rate *stores = &c->rate[MEMLAT_KIND_STORES];
	struct memlat_budget_figures sum;
	bool right;

	memlat_budget_sum(&sum, 0);
	right = sum.period_low == loads->low && sum.period_high == loads->high &&
		sum.store_low == stores->low && sum.store_high == stores->high &&
		loads->low && loads->low <= loads->high &&
		stores->low && stores->low <= stores->high;
	failed |= !right;
	printf("%sok %u the range of periods, %s: %llu to %llu, stores %llu to %llu\n",
	       right ? "" : "not ", number, when, sum.period_low, sum.period_high, sum.store_low,
	       sum.store_high);
}

/*
 * With call chains each record has its own PMI. If the kernel is sampled, and the period is shorter
 * than a PMI's own loads on its way out and into the next one, the CPU executes nothing else, not
 * even its tick. The highest budget has to end that, too.
 */
static void stuck(unsigned int number)
{
	const struct memlat_rate *loads = &c->rate[MEMLAT_KIND_LOADS];
	const u64 most = 10000ULL * MS;
	bool right;

	memlat_hw.max_overhead = MEMLAT_OVERHEAD_MAX;
	memlat_hw.period[MEMLAT_KIND_LOADS] = 101;
	sim_cycles = 0;
	memlat_budget_setup();
	memlat_budget_arm(c);
	left[MEMLAT_KIND_LOADS] = loads->period;
	left[MEMLAT_KIND_STORES] = c->rate[MEMLAT_KIND_STORES].period;
	pending = 1;
	while (pending && sim_cycles < most) {
		const u64 since = sim_cycles;

		sim_cycles += TRUE_DRAIN + pending * TRUE_RECORD;
		memlat_budget_spent(c, since, model.pmi_cycles, pending);
		sim_cycles += TRUE_PMI;
		pending = 0;
		count(MEMLAT_KIND_LOADS, PMI_LOADS);
	}
	right = !pending;
	failed |= !right;
	printf("%sok %u PMIs that follow each other end after %llu ms, with a period of %llu\n",
	       right ? "" : "not ", number, sim_cycles / MS, loads->period);
}

/*
 * A command of a second, with the periods that memlat-ctl record begins with, and few slow loads that
 * are tagged or many: at least half of its samples are loads, and it takes no more than its budget
 * and what one surge costs.
 */
static void command(unsigned int number, const struct load *of)
{
	const double surge = 100.0 * PMI_RECORDS * (TRUE_RECORD + TRUE_CELL) / (1000 * MS);
	double own = 0, busy = 0, is;
	unsigned int i;
	bool right;

	load = of;
	memlat_hw.max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	memlat_hw.period[MEMLAT_KIND_LOADS] = MEMLAT_PERIOD_COMMAND;
	memlat_hw.period[MEMLAT_KIND_STORES] = MEMLAT_STORE_PERIOD_COMMAND;
	memset(slot, 0, sizeof(slot));
	memset(sampled, 0, sizeof(sampled));
	sim_cycles = clock_now = jiffies = pending = shard.used = 0;
	merge_at = NEVER;
	memlat_budget_setup();
	memlat_budget_arm(c);
	for (i = 0; i < MEMLAT_KINDS; i++)
		left[i] = c->rate[i].period;
	run(of->seconds * 10ULL * SLOT);
	for (i = 0; i < SLOTS_MAX; i++) {
		own += slot[i].own;
		busy += slot[i].busy;
	}
	is = 100 * own / busy;
	right = sampled[MEMLAT_KIND_LOADS] >= sampled[MEMLAT_KIND_STORES] && is <= 1.2 + surge;
	failed |= !right;
	printf("%sok %u a command of a second with %s: %u loads, %u stores, %.2f %%\n",
	       right ? "" : "not ", number, of->what, sampled[MEMLAT_KIND_LOADS],
	       sampled[MEMLAT_KIND_STORES], is);
}

int main(int argc, char *argv[])
{
	static const struct load loads[] = {
		{ "idle", "wakes 100 times a second for 50 us", 30, 100, 2000, 1 << 20, 0, 0, 0 },
		{ "reference", "after that, 10 slow loads for 1000 instructions", 10, 0, 100,
		  1 << 20, 0, 0, 0 },
		{ "tenfold", "then 100", 10, 0, 10, 1 << 20, 0, 0, 0 },
		{ "hot", "the same, of 100 cells", 10, 0, 10, 100, 0, 0, 0 },
		{ "tenth", "then 1", 10, 0, 1000, 1 << 20, 0, 0, 0 },
		{ "tenfold", "then 100", 10, 0, 10, 1 << 20, 0, 0, 0 },
		{ "idle", "then as at first", 30, 100, 2000, 1 << 20, 0, 0, 0 },
		{ "tenfold", "then 100", 10, 0, 10, 1 << 20, 0, 0, 0 },
		{ "bursts", "wakes 20 times a second; a program of 5 ms every ten seconds", 1000,
		  20, 2000, 1 << 20, 0.1, 5, 100 },
		{ "long_bursts", "then one of 100 ms every twenty seconds", 1000, 20, 2000,
		  1 << 20, 0.05, 100, 200 },
		{ "tenfold", "then 100", 10, 0, 10, 1 << 20, 0, 0, 0 },
	};
	static const struct load commands[] = {
		{ "few", "a slow load in 20000 instructions", 1, 0, 20000, 1 << 20, 0, 0, 0 },
		{ "some", "one in 2000", 1, 0, 2000, 1 << 20, 0, 0, 0 },
		{ "many", "one in 100", 1, 0, 100, 1 << 20, 0, 0, 0 },
		{ "most", "one in 30", 1, 0, 30, 1 << 20, 0, 0, 0 },
	};
	static struct memlat_plan plan;
	unsigned int i, from = 0;

	tap = argc == 2 && !strcmp(argv[1], "--tap");
	if (argc > 1 && !tap)
		errx(2, "usage: sim [--tap]");
	for (i = 0; i < MEMLAT_KINDS; i++) {
		plan.event[i].on = true;
		left[i] = memlat_hw.period[i];
	}
	memlat_cores[0].mask = (1ULL << 48) - 1;
	memlat_cores[0].model = &model;
	memlat_cores[0].hook_cycles = model.hook_cycles;
	c->core = &memlat_cores[0];
	c->plan = &plan;
	memlat_budget_setup();
	memlat_budget_arm(c);
	c->armed = true;
	if (tap)
		printf("TAP version 13\n1..%zu\n", ARRAY_SIZE(loads) + 4 + ARRAY_SIZE(commands));
	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		load = &loads[i];
		run((from + load->seconds * 10ULL) * SLOT);
		figures(from, i + 1);
		from += load->seconds * 10;
	}
	if (tap) {
		range("since the start", ++i);
		memlat_budget_reset();
		range("since a reset", ++i);
		run((from + load->seconds * 10ULL) * SLOT);
		range("later", ++i);
		stuck(++i);
		for (from = 0; from < ARRAY_SIZE(commands); from++)
			command(++i, &commands[from]);
	}
	return failed;
}
