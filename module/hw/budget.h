/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU budget: choose periods that keep memlat's own work at a share of each CPU's busy cycles.
 * Without a budget none of this runs, and no counter counts for it.
 */
#ifndef MEMLAT_HW_BUDGET_H
#define MEMLAT_HW_BUDGET_H

#include <linux/atomic.h>
#include <linux/types.h>

struct memlat_cpu;

/* What is sampled; the index of arrays for both. */
enum memlat_kind {
	MEMLAT_KIND_LOADS,
	MEMLAT_KIND_STORES,
	MEMLAT_KINDS
};

/**
 * struct memlat_rate - one kind of event on one CPU
 * @period: present events per record, except during a burst (memlat_period())
 * @carry: events counted towards periods that were abandoned; the next sample also stands for them
 * @low: shortest period since start or reset; U64_MAX: none was used
 * @high: longest period since start or reset; 0: none was used
 * @partial: events counted towards @period at the last evaluation, less the loads of bursts since
 * @records: samples of that period since the last evaluation
 * @events: events in the decaying window of &memlat_budget.rate_busy
 */
struct memlat_rate {
	u64 period;
	u64 carry;
	u64 low;
	u64 high;
	u64 partial;
	u64 records;
	u64 events;
};

/**
 * struct memlat_budget - what memlat spends on one CPU, in its core cycles
 * @due: jiffies of the next evaluation
 * @hooks: task switches since the last evaluation that found nothing to do
 * @kicks: merges that were asked for since the last evaluation
 * @last: the cycle counter when busy cycles were last added up
 * @busy: busy cycles
 * @own: the part of @busy that memlat used
 * @sampled: the part of @busy in which a task ran that is to be sampled
 * @busy_zero: @busy at the last reset
 * @own_zero: @own at the last reset
 * @sampled_zero: @sampled at the last reset
 * @window: busy cycles since the last evaluation
 * @records: records since the last evaluation
 * @spent: cycles that these records cost
 * @other: cycles that memlat used for other work since the last evaluation
 * @rate_busy: busy cycles in a window that decays fast, for the rates of events
 * @share_busy: busy cycles in a window that decays slowly
 * @share_other: memlat's cycles in that window that were not for records
 * @cost: cycles that records cost, in a sum that decays slowly
 * @cost_records: number of records in @cost, in 256ths
 * @each: the estimated cost of a record, from these two, in cycles
 * @debt: cycles spent above the budget, negative if below; bounded
 * @charged: cycles that other CPUs spent on this CPU's records, not yet added
 */
struct memlat_budget {
	unsigned long due;
	u32 hooks;
	u32 kicks;
	u64 last;
	u64 busy;
	u64 own;
	u64 sampled;
	u64 busy_zero;
	u64 own_zero;
	u64 sampled_zero;
	u64 window;
	u64 records;
	u64 spent;
	u64 other;
	u64 rate_busy;
	u64 share_busy;
	u64 share_other;
	u64 cost;
	u64 cost_records;
	u64 each;
	s64 debt;
	atomic64_t charged;
};

/**
 * struct memlat_budget_figures - sums and extremes of all CPUs, since start or reset
 * @busy: unhalted core cycles of armed CPUs; 0 without a budget
 * @own: the part of @busy that memlat used
 * @sampled: the part of @busy in which a task ran that is to be sampled
 * @period_low: shortest period of loads that a CPU used
 * @period_high: longest period of loads that a CPU used
 * @store_low: shortest period of stores; 0 if none are sampled
 * @store_high: longest period of stores
 * @guest_entries: VM entries
 * @guest_ns: time that guests ran, of all CPUs together
 * @guest_cpus: CPUs on which guests ran more than half of the time
 */
struct memlat_budget_figures {
	u64 guest_entries;
	u64 guest_ns;
	u32 guest_cpus;
	u64 busy;
	u64 own;
	u64 sampled;
	u64 period_low;
	u64 period_high;
	u64 store_low;
	u64 store_high;
};

/*
 * For work that is not a drain: charge the difference of two memlat_budget_now() on one CPU
 * (without migration) to the CPU that the work was for. Without a budget memlat_budget_now()
 * returns 0, and memlat_budget_charge() does nothing.
 */
bool memlat_budget_is_on(void);
u64 memlat_budget_now(void);
void memlat_budget_charge(int cpu, u64 cycles);

/*
 * The first is called while no CPU is armed, the others on the CPU itself with counters paused and
 * buffer empty.
 */
void memlat_budget_setup(void);
void memlat_budget_arm(struct memlat_cpu *c);
void memlat_budget_disarm(struct memlat_cpu *c);
void memlat_budget_spent(struct memlat_cpu *c, u64 since, u32 unseen, unsigned int records);

void memlat_budget_sum(struct memlat_budget_figures *to, u64 ns);
void memlat_budget_reset(void);

#endif /* MEMLAT_HW_BUDGET_H */
