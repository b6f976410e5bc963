/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU budget: periods that hold memlat's own work at a share of each CPU's
 * busy cycles. Without one nothing here runs, and no counter counts for it.
 */
#ifndef MEMLAT_HW_BUDGET_H
#define MEMLAT_HW_BUDGET_H

#include <linux/atomic.h>
#include <linux/types.h>

struct memlat_cpu;

/* What is sampled; indexes the arrays of both. */
enum memlat_kind {
	MEMLAT_KIND_LOADS,
	MEMLAT_KIND_STORES,
	MEMLAT_KINDS
};

/**
 * struct memlat_rate - one kind of event on one CPU
 * @period: events per record, now; but in a burst (memlat_period())
 * @carry: events counted towards periods that were given up; the next sample
 *	stands for them too
 * @low: shortest period since start or reset
 * @high: longest
 * @partial: how far the counter was towards @period at the last evaluation
 * @records: samples of that period since then; loads of bursts are taken off @partial
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
 * struct memlat_budget - what one CPU spends, in its core cycles
 * @due: jiffies of the next evaluation
 * @hooks: task switches since the last one that found nothing to do
 * @kicks: merges asked for since then
 * @last: the cycle counter when busy cycles were last added up
 * @busy: busy cycles
 * @own: of these, memlat's own
 * @busy_zero: @busy at the last reset
 * @own_zero: @own at the last reset
 * @window: busy cycles since the last evaluation
 * @records: records since then
 * @spent: cycles that they cost
 * @other: cycles that went otherwise
 * @rate_busy: busy cycles in a window that decays fast, for the rates of events
 * @share_busy: busy cycles in a window that decays slowly
 * @share_other: cycles in it that went otherwise than for records
 * @cost: cycles that records cost, decaying slowly
 * @cost_records: the records that @cost was for, in 256ths
 * @debt: cycles spent above the budget, negative below; bounded
 * @charged: cycles that others spent on this CPU's records, to be added
 */
struct memlat_budget {
	unsigned long due;
	u32 hooks;
	u32 kicks;
	u64 last;
	u64 busy;
	u64 own;
	u64 busy_zero;
	u64 own_zero;
	u64 window;
	u64 records;
	u64 spent;
	u64 other;
	u64 rate_busy;
	u64 share_busy;
	u64 share_other;
	u64 cost;
	u64 cost_records;
	s64 debt;
	atomic64_t charged;
};

/**
 * struct memlat_budget_figures - all CPUs together, since start or reset
 * @busy: unhalted core cycles of armed CPUs; 0 without a budget
 * @own: of these, memlat's own
 * @period_low: shortest period of loads that a CPU used
 * @period_high: longest
 * @store_low: the same for stores; 0 when none are sampled
 * @store_high: longest
 */
struct memlat_budget_figures {
	u64 busy;
	u64 own;
	u64 period_low;
	u64 period_high;
	u64 store_low;
	u64 store_high;
};

/*
 * For work that is not a drain: take the difference of two memlat_budget_now()
 * on one CPU (no migration between them), charge it to the CPU it was done for.
 * Without a budget the one is 0 and the other does nothing.
 */
bool memlat_budget_is_on(void);
u64 memlat_budget_now(void);
void memlat_budget_charge(int cpu, u64 cycles);

/* The first while no CPU is armed, the others on the CPU itself: counters paused, buffer empty. */
void memlat_budget_setup(void);
void memlat_budget_arm(struct memlat_cpu *c);
void memlat_budget_disarm(struct memlat_cpu *c);
void memlat_budget_spent(struct memlat_cpu *c, u64 since, u32 unseen, unsigned int records);

void memlat_budget_sum(struct memlat_budget_figures *to);
void memlat_budget_reset(void);

#endif /* MEMLAT_HW_BUDGET_H */
