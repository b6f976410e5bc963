// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU budget.
 *
 * While a CPU is armed, a fixed counter counts its busy cycles, including memlat's own work. The
 * same counter measures each drain. What cannot be measured from within is a constant in the row of
 * the CPU: entry to and exit from an NMI, a task switch with nothing to do, and the interrupts and
 * the wake-up of a merge. The merge, which works on a CPU's records later, charges its cycles to
 * that CPU.
 *
 * From these figures, ten times a second:
 *
 *	period = events per busy cycle * cost of a record / share left for records
 *
 * The share left is the budget, less costs that do not depend on the period, and less a part of
 * what was overspent before. Records are a prime number of events apart, so that they do not fall
 * into step with loops.
 *
 * Loads tell what is waited for, and stores do not, so stores get less than half.
 */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/timekeeping.h>

#include "buffer.h"
#include "hw.h"

#define EVALUATION	(HZ / 10)

/* With fewer busy cycles an evaluation, which takes about a thousand, is not worth its cost. */
#define WINDOW_MIN	2000000

/* An idle CPU takes long to have so many cycles, and need not check ten times a second. */
#define EVALUATION_MAX	(4 * HZ)

/* The most cycles of a window, so that sums and products fit into 64 bits. */
#define WINDOW_MAX	BIT_ULL(31)

/*
 * The number of evaluations that the decaying windows span. Rates follow the workload quickly.
 * Costs change slowly, because merges make them lumpy.
 */
#define FAST		4
#define SLOW		16

/* Shares of busy cycles are fixed-point numbers. */
#define SHARE_BITS	24

/*
 * The shortest period of loads. A fixed period is at least three times as long (cores.c), because
 * nothing corrects it.
 */
#define PERIOD_LEAST	5

/* A surge of records after a quiet time is evaluated at once, not at the next evaluation. */
#define BURST_RECORDS	128
/* The same number for records that each begin a burst of loads (burst.c). */
#define BURST_GAPS	(BURST_RECORDS / (1 + MEMLAT_BURST))
/* It costs so many times the budget, with the merges that it will cause. */
#define BURST_FACTOR	3

/*
 * Debt is always remembered up to the cost of so many surges. A surge costs as much on an idle CPU
 * as on a busy one, but it is more than the budget of an idle CPU's slow window.
 */
#define DEBT_SURGES	32
/*
 * Debt, and what was left over, is forgotten within 2^FORGOTTEN_BITS busy cycles: two seconds of a
 * busy CPU. There it is the error of the nearest prime, which never ends, and for which a CPU that
 * falls idle would pay for 20 seconds. An idle CPU remembers its debt for minutes.
 */
#define FORGOTTEN_BITS	32
/* The highest estimate of a record's cost, so that products fit into 64 bits. */
#define EACH_MAX	BIT_ULL(19)

/*
 * The estimate starts as if PRIOR_RECORDS records had been measured. The weight of old records
 * decays to RECORDS_MIN, so that the estimate also follows if records are rare and each has its own
 * merge. The weight is capped at RECORDS_MAX, or the many records of a busy time would hide for
 * seconds the cost of the few records after it.
 */
#define PRIOR_RECORDS	16
#define RECORD_BITS	8
#define RECORDS_MIN	(4ULL << RECORD_BITS)
#define RECORDS_MAX	(512ULL << RECORD_BITS)

/* Each is at most 1.1 times the one before, if there is such a prime. */
static const u32 primes[] = {
	5, 7, 11, 13,
	17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 73, 79, 83, 89, 97, 103, 113,
	127, 139, 151, 163, 179, 193, 211, 229, 251, 271, 293, 317, 347, 379, 409, 449, 491,
	523, 571, 619, 677, 743, 811, 887, 971, 1063, 1163, 1279, 1399, 1531, 1669, 1831,
	2011, 2207, 2423, 2663, 2927, 3217, 3533, 3881, 4261, 4679, 5119, 5623, 6173, 6781,
	7459, 8191, 9007, 9907, 10891, 11971, 13163, 14479, 15923, 17509, 19259, 21179,
	23293, 25621, 28183, 30983, 34061, 37463, 41203, 45319, 49843, 54799, 60271, 66293,
	72911, 80191, 88177, 96989, 106681, 117331, 129061, 141961, 156157, 171763, 188939,
	207821, 228601, 251443, 276587, 304223, 334643, 368107, 404851, 445321, 489851,
	538829, 592693, 651943, 717133, 788819, 867689, 954451, 1049891, 1154863, 1270343,
	1397359, 1537061, 1690757, 1859831, 2045789, 2250359, 2475383, 2722919, 2995199,
	3294701, 3624167, 3986581, 4385209, 4823729, 5306099, 5836673, 6420307, 7062337,
	7768567, 8545417, 9399937, 10339919, 11373907, 12511277, 13762391, 15138601,
	16652443, 18317681, 20149447, 22164377, 24380809, 26818889, 29500727, 32450791,
	35695843, 39265423, 43191961, 47511143, 52262257, 57488467, 63237289, 69561013,
	76517101, 84168793, 92585641, 101844203, 112028611, 123231463, 135554609, 149110069,
	164021069, 180423167, 198465479, 218312023, 240143221, 264157499, 290573221,
	319630541, 351593591, 386752939, 425428219, 467971013, 514768103, 566244911,
	622869293, 685156217, 753671813, 829038961, 911942831, 1003137101,
};

/*
 * The nearest prime by ratio that is not below the floor. Always taking the next larger one would
 * leave 5 % of the budget unused, on average.
 */
static u64 prime_near(u64 n, u64 floor)
{
	unsigned int low = 0, high = ARRAY_SIZE(primes) - 1;
	u64 below;

	/* Find the first prime that is not less than n, or else the last prime. */
	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (primes[middle] < n)
			low = middle + 1;
		else
			high = middle;
	}
	below = low ? primes[low - 1] : 0;
	/* n is at most the last prime here, so its square fits into 64 bits. */
	if (below >= floor && n <= primes[low] && n * n < below * primes[low])
		return below;
	return primes[low];
}

/* Events counted since the last record. */
static u64 memlat_budget_counted(const struct memlat_cpu *c, unsigned int kind)
{
	u64 counter = memlat_turn_counter(c, kind);

	if (memlat_record_is_due(c, counter))
		return memlat_period(c, kind);
	return memlat_counted(c, counter, memlat_period(c, kind));
}

/*
 * Change a period, with counters paused and buffer empty. Events that were counted towards the old
 * period are added to the weight of the next sample, so that no event is lost from the sum of
 * weights. A counter that has overflowed is left alone until its record is written.
 */
static void period_set(struct memlat_cpu *c, unsigned int kind, u64 period)
{
	struct memlat_rate *r = &c->rate[kind];

	if (period == r->period)
		return;
	/* During a burst no event is counted towards this period. */
	if (likely(!c->burst)) {
		if (memlat_record_is_due(c, memlat_turn_counter(c, kind)))
			return;
		r->carry += memlat_budget_counted(c, kind);
		r->partial = 0;
		memlat_turn_counter_set(c, kind, period);
	}
	c->changed = true;
	r->period = period;
	r->low = min(r->low, period);
	r->high = max(r->high, period);
}

/* Events since the last evaluation. */
static u64 events_new(struct memlat_cpu *c, unsigned int kind)
{
	struct memlat_rate *r = &c->rate[kind];
	u64 now = memlat_budget_counted(c, kind);
	s64 events = r->records * r->period + now - r->partial;

	r->partial = now;
	r->records = 0;
	/* It may be negative, because records that were not samples are not in it. */
	return max_t(s64, events, 0);
}

/* The cycles of the rates' window that records may take. */
static u64 affordable(const struct memlat_budget *b)
{
	s64 budget = ((u64)memlat_hw.max_overhead << SHARE_BITS) / 10000;
	s64 other = div64_u64(b->share_other << SHARE_BITS, b->share_busy | 1);
	/*
	 * Debt is paid back within the slow window, but with at most 7/8 of the budget. More than
	 * half is needed only where a surge costs more than the window has for memlat: see
	 * memlat_budget_evaluate(). What was left over is added slowly, with at most an eighth of
	 * the budget. Otherwise memlat would use, say, 1.2 % for a while instead of 1 %.
	 */
	s64 debt = div64_s64(b->debt * (1LL << SHARE_BITS), b->share_busy | 1);
	s64 left = budget - other - clamp(debt, -budget / 8, budget - budget / 8);

	return (b->rate_busy * (u64)max(left, budget / 16 + 1)) >> SHARE_BITS;
}

/* The cycles of the window that a kind would take with this period. */
static u64 cost_share(const struct memlat_rate *r, u64 cost16, u64 period)
{
	return div64_u64(r->events * cost16, period) >> 4;
}

static u64 floor_of(const struct memlat_cpu *c, unsigned int kind)
{
	if (kind == MEMLAT_KIND_LOADS && !memlat_hw.stride)
		return max_t(u64, PERIOD_LEAST, c->core->model->period_min);
	return memlat_core_period_floor(c->core, kind);
}

static void periods_move(struct memlat_cpu *c)
{
	const struct memlat_budget *b = &c->budget;
	/* The cost of a record, in sixteenths of a cycle. */
	u64 cost16 = div64_u64(b->cost << (4 + RECORD_BITS), b->cost_records);
	u64 floor[MEMLAT_KINDS], all = affordable(b);
	u64 part[MEMLAT_KINDS] = { all, all };
	unsigned int k;

	for (k = 0; k < MEMLAT_KINDS; k++)
		floor[k] = floor_of(c, k);

	if (c->plan->event[MEMLAT_KIND_LOADS].on && c->plan->event[MEMLAT_KIND_STORES].on) {
		/* The loads get what stores cannot use. They get all if there are no loads. */
		part[MEMLAT_KIND_STORES] = cost_share(&c->rate[MEMLAT_KIND_STORES], cost16,
						      floor[MEMLAT_KIND_STORES]);
		part[MEMLAT_KIND_STORES] = min(all / 16 * 7, part[MEMLAT_KIND_STORES]);
		part[MEMLAT_KIND_LOADS] = all - part[MEMLAT_KIND_STORES];
		if (!c->rate[MEMLAT_KIND_LOADS].events)
			part[MEMLAT_KIND_STORES] = all;
	}
	for (k = 0; k < MEMLAT_KINDS; k++) {
		struct memlat_rate *r = &c->rate[k];
		/*
		 * The store after the one that overflows is recorded, and not counted, unless
		 * stores are precisely distributed. So records are a prime number of stores apart
		 * if the period is one less. Which loads are counted is drawn at random.
		 */
		u64 after = k == MEMLAT_KIND_STORES && !c->core->model->store_pdist, period;

		if (!c->plan->event[k].on || !r->events)
			continue;
		period = div64_u64(r->events * cost16, max(part[k], 1ULL)) >> 4;
		/* A quiet moment says little about the next one, so lower the period in steps. */
		period = max3(period, r->period / 2, floor[k]);
		if (period > r->period + r->period / 16 || period < r->period - r->period / 16)
			period_set(c, k, min(prime_near(period, floor[k] + after) - after,
					     memlat_cores_period_max()));
	}
}

static void memlat_budget_evaluate(struct memlat_cpu *c, bool burst)
{
	struct memlat_budget *b = &c->budget;
	u64 merges = atomic64_xchg(&b->charged, 0) +
		     (u64)b->kicks * c->core->model->merge_cycles;
	u64 hooks = (u64)b->hooks * c->core->hook_cycles;
	u64 busy = b->window, spent = b->spent + merges, other = b->other + hooks;
	u64 records = b->records, limit, surges;
	unsigned int k, shift = 0, old = 0;

	b->own += merges + hooks;
	b->hooks = 0;
	b->kicks = 0;
	b->window = 0;
	b->spent = 0;
	b->other = 0;
	b->records = 0;

	while (busy >> shift > WINDOW_MAX)
		shift++;
	busy >>= shift;
	spent >>= shift;
	other >>= shift;
	records >>= shift;

	/* Otherwise the time before a CPU became idle would count for many evaluations. */
	while (b->rate_busy >> old > busy * FAST * FAST)
		old++;
	b->rate_busy >>= old;
	b->rate_busy = burst ? busy : b->rate_busy - b->rate_busy / FAST + busy;
	for (k = 0; k < MEMLAT_KINDS; k++) {
		struct memlat_rate *r = &c->rate[k];
		u64 events = c->plan->event[k].on ? events_new(c, k) >> shift : 0;

		r->events >>= old;
		r->events = burst ? events : r->events - r->events / FAST + events;
	}
	b->share_busy += busy - b->share_busy / SLOW;
	b->share_other += other - b->share_other / SLOW;
	if (b->cost_records >= RECORDS_MIN) {
		b->cost -= b->cost / SLOW;
		b->cost_records -= b->cost_records / SLOW;
	}
	b->cost += spent;
	b->cost_records += records << RECORD_BITS;
	if (b->cost_records > RECORDS_MAX) {
		b->cost = div64_u64(b->cost * RECORDS_MAX, b->cost_records);
		b->cost_records = RECORDS_MAX;
	}

	b->each = min(div64_u64(b->cost << RECORD_BITS, b->cost_records), EACH_MAX);
	limit = div_u64(b->share_busy * memlat_hw.max_overhead, 10000);
	b->debt -= b->debt * (s64)busy / (s64)BIT_ULL(FORGOTTEN_BITS);
	b->debt += spent + other - div_u64(busy * memlat_hw.max_overhead, 10000);
	/*
	 * Bound the debt to what a busy CPU can pay back within two seconds. On an idle CPU a
	 * single surge costs more. If the rest of it were forgotten, a program that runs there now
	 * and then would make memlat exceed the budget on average.
	 */
	surges = DEBT_SURGES * b->each * (memlat_hw.stride ? BURST_GAPS : BURST_RECORDS);
	b->debt = clamp_t(s64, b->debt, -(s64)limit / 2, max(limit / 2, surges));
	periods_move(c);
}

/**
 * memlat_budget_spent - account for memlat's work on this CPU
 * @c: its state; counters paused, buffer empty
 * @since: memlat_cycles() when the work began
 * @unseen: cycles of the work before @since and after this call
 * @records: number of records that it drained
 *
 * Called with interrupts off or in NMI. Changes the periods if an evaluation is due.
 */
void memlat_budget_spent(struct memlat_cpu *c, u64 since, u32 unseen, unsigned int records)
{
	struct memlat_budget *b = &c->budget;
	u64 now = memlat_cycles();
	u64 cycles = memlat_cycles_elapsed(now, since) + unseen;
	u64 busy = memlat_cycles_elapsed(now, b->last);
	bool burst;

	b->last = now;
	b->busy += busy;
	b->own += cycles;
	/* A switch sets @wanted for the next task after this. */
	if (c->wanted)
		b->sampled += busy;
	b->window += busy;
	/* The cost of a burst belongs to the record that began it. */
	b->records += records - c->burst_records;
	c->burst_records = 0;
	*(records ? &b->spent : &b->other) += cycles;

	/*
	 * If the cycle counter stands still, as under some hypervisors, there is no share. The
	 * drains alone would tell too little: merging these records later can cost three times as
	 * much.
	 */
	burst = b->window && b->records >= (memlat_hw.stride ? BURST_GAPS : BURST_RECORDS) &&
		max(b->spent, b->records * b->each) * 10000 >
		b->window * BURST_FACTOR * memlat_hw.max_overhead;
	/*
	 * If PMIs follow each other without end, this CPU has no tick. Perhaps no CPU has, and then
	 * jiffies stand still, so the cycles have to tell that an evaluation is due.
	 */
	if (!burst && time_before(jiffies, b->due) && b->window < WINDOW_MAX)
		return;
	b->due = jiffies + min_t(u64, div64_u64(WINDOW_MIN, b->window | 1) + 1,
				 EVALUATION_MAX / EVALUATION) * EVALUATION;
	if (!burst && b->window < WINDOW_MIN)
		return;
	memlat_budget_evaluate(c, burst);
	cycles = memlat_cycles_elapsed(memlat_cycles(), now);
	b->own += cycles;
	b->other += cycles;
}

/* The period of a kind with which the session begins; 0: the kind is not sampled. */
static u64 period_first(unsigned int kind)
{
	return memlat_hw.kinds & BIT(kind) ? memlat_hw.period[kind] : 0;
}

/**
 * memlat_budget_setup - reset the budget of all CPUs
 *
 * Called while no CPU is armed.
 */
void memlat_budget_setup(void)
{
	unsigned int k;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

		memset(&c->budget, 0, sizeof(c->budget));
		memset(&c->guest, 0, sizeof(c->guest));
		c->budget.each = (memlat_hw.stride ? 1 + MEMLAT_BURST : 1) *
				 memlat_cores[memlat_cores_of(cpu)].model->record_cycles;
		c->budget.cost_records = PRIOR_RECORDS << RECORD_BITS;
		c->budget.cost = PRIOR_RECORDS * c->budget.each;
		for (k = 0; k < MEMLAT_KINDS; k++) {
			u64 period = period_first(k);

			c->rate[k] = (struct memlat_rate) {
				.period = period, .low = period, .high = period,
			};
		}
	}
}

/**
 * memlat_budget_arm - begin the budget of this CPU, whose cycle counter begins at zero
 * @c: its state
 */
void memlat_budget_arm(struct memlat_cpu *c)
{
	unsigned int k;

	c->budget.last = 0;
	c->budget.due = jiffies + EVALUATION;
	for (k = 0; k < MEMLAT_KINDS; k++) {
		struct memlat_rate *r = &c->rate[k];

		r->partial = 0;
		r->low = min(r->low, r->period);
		r->high = max(r->high, r->period);
	}
}

/**
 * memlat_budget_disarm - end the budget of this CPU, before its counters are given back
 * @c: its state; the cycle counter still counts, the buffer may hold records
 */
void memlat_budget_disarm(struct memlat_cpu *c)
{
	struct memlat_budget *b = &c->budget;
	u64 busy = memlat_cycles_elapsed(memlat_cycles(), b->last);

	b->busy += busy;
	if (c->wanted)
		b->sampled += busy;
	b->own += (u64)b->hooks * c->core->hook_cycles +
		  (u64)b->kicks * c->core->model->merge_cycles +
		  (u64)atomic64_xchg(&b->charged, 0);
	b->hooks = 0;
	b->kicks = 0;
}

/**
 * memlat_budget_is_on - check whether there is a budget
 */
bool memlat_budget_is_on(void)
{
	return memlat_hw.budget;
}

/**
 * memlat_budget_now - read the clock for work that is not a drain
 *
 * The caller must stay on its CPU between two of these calls. A CPU that is not armed does not
 * count, and work on it is in no budget.
 *
 * Return: cycles; 0 without a budget.
 */
u64 memlat_budget_now(void)
{
	return memlat_hw.budget ? memlat_cycles() : 0;
}

/**
 * memlat_budget_charge - charge work on a CPU's records
 * @cpu: the CPU that took the records, not the one that worked
 * @cycles: the difference of two memlat_budget_now()
 *
 * Can be called in any context, also in NMI.
 */
void memlat_budget_charge(int cpu, u64 cycles)
{
	cycles &= memlat_hw.cycles_mask;
	/* Negative if the CPU was disarmed in between, and its counter put back. */
	if (memlat_hw.budget && cycles <= memlat_hw.cycles_mask >> 1)
		atomic64_add(cycles, &per_cpu_ptr(memlat_cpu, cpu)->budget.charged);
}

/* Nanoseconds that guests ran on a CPU until @now, of which the guest may run that runs now. */
static u64 guest_ns(const struct memlat_cpu *c, u64 now)
{
	unsigned int tries = 0;
	u64 since, ns;

	/* The CPU adds the time, and clears @since, when the guest has left it. */
	do {
		since = READ_ONCE(c->guest.since);
		ns = READ_ONCE(c->guest.ns);
	} while (since != READ_ONCE(c->guest.since) && ++tries < 4);
	return since && now > since ? ns + now - since : ns;
}

/**
 * memlat_budget_sum - sum the budgets of all CPUs
 * @to: filled in, as of each CPU's last drain or evaluation
 * @ns: time since start or reset
 */
void memlat_budget_sum(struct memlat_budget_figures *to, u64 ns)
{
	const u64 now = ktime_get_mono_fast_ns();
	int cpu;

	*to = (struct memlat_budget_figures) {
		.period_low = U64_MAX,
		.store_low = U64_MAX,
	};
	for_each_possible_cpu(cpu) {
		const struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
		const struct memlat_rate *loads = &c->rate[MEMLAT_KIND_LOADS];
		const struct memlat_rate *stores = &c->rate[MEMLAT_KIND_STORES];
		const struct memlat_budget *b = &c->budget;
		const u64 guest = guest_ns(c, now) - READ_ONCE(c->guest.ns_zero);

		to->guest_entries += READ_ONCE(c->guest.entries) -
				     READ_ONCE(c->guest.entries_zero);
		to->guest_ns += guest;
		to->guest_cpus += guest > ns / 2;
		to->busy += READ_ONCE(b->busy) - READ_ONCE(b->busy_zero);
		to->own += READ_ONCE(b->own) - READ_ONCE(b->own_zero) +
			   (u64)atomic64_read(&b->charged);
		to->sampled += READ_ONCE(b->sampled) - READ_ONCE(b->sampled_zero);
		to->period_low = min(to->period_low, READ_ONCE(loads->low));
		to->period_high = max(to->period_high, READ_ONCE(loads->high));
		to->store_low = min(to->store_low, READ_ONCE(stores->low));
		to->store_high = max(to->store_high, READ_ONCE(stores->high));
	}
	/* No CPU was armed since the reset, or the periods are fixed. */
	if (to->period_low > to->period_high) {
		to->period_low = period_first(MEMLAT_KIND_LOADS);
		to->period_high = to->period_low;
	}
	if (to->store_low > to->store_high) {
		to->store_low = period_first(MEMLAT_KIND_STORES);
		to->store_high = to->store_low;
	}
}

/**
 * memlat_budget_reset - count from zero, also the turns; the periods do not change
 */
void memlat_budget_reset(void)
{
	const u64 now = ktime_get_mono_fast_ns();
	unsigned int k;
	int cpu;

	/* No CPU is armed or disarmed by its hotplug callback meanwhile. */
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

		WRITE_ONCE(c->guest.entries_zero, READ_ONCE(c->guest.entries));
		WRITE_ONCE(c->guest.ns_zero, guest_ns(c, now));
		WRITE_ONCE(c->budget.busy_zero, READ_ONCE(c->budget.busy));
		WRITE_ONCE(c->budget.own_zero, READ_ONCE(c->budget.own));
		WRITE_ONCE(c->budget.sampled_zero, READ_ONCE(c->budget.sampled));
		for (k = 0; k < MEMLAT_KINDS; k++) {
			u64 period = READ_ONCE(c->rate[k].period);
			bool used = READ_ONCE(c->armed);

			/* None is shorter than this, and none is longer. */
			WRITE_ONCE(c->rate[k].low, used ? period : U64_MAX);
			WRITE_ONCE(c->rate[k].high, used ? period : 0);
		}
	}
	cpus_read_unlock();
	memlat_turn_reset();
}
