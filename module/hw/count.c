// SPDX-License-Identifier: GPL-2.0
/*
 * Count events: events take turns at the general counters, and cycles and instructions are counted
 * all the time.
 *
 * This uses only counters: no PEBS and no interrupts, so no NMI either. The functions that access
 * counters run on the CPU itself with interrupts off. A counter begins at zero with each turn. It
 * is read and added up when its turn ends, at least once a second (watch.c), for a snapshot, and
 * when the CPU is disarmed. A switch between two tasks that are both counted, or both not counted,
 * costs next to nothing. Any other switch writes GLOBAL_CTRL, and the counters stand still while no
 * task is counted.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "buffer.h"
#include "count.h"
#include "hw.h"

/* Long compared with a change, which takes some dozen register accesses; short for a short run. */
#define TURN	(HZ / 250 ?: 1)

struct memlat_count_cpu __percpu *memlat_count_cpu;

/* Allows one snapshot or reset at a time. */
static DEFINE_MUTEX(sums_lock);

/**
 * memlat_count_is_on - check whether the session only counts, or the last one did
 */
bool memlat_count_is_on(void)
{
	return memlat_hw.counts;
}

/**
 * memlat_count_cpu_is_on - check whether a CPU counts
 * @cpu: any possible CPU
 */
bool memlat_count_cpu_is_on(int cpu)
{
	return READ_ONCE(per_cpu_ptr(memlat_count_cpu, cpu)->on);
}

/* Stop the counters. An NMI that comes before memlat_count_ctrl_write() does not start them. */
static void memlat_count_ctrl_stop(void)
{
	memlat_hold_pause(this_cpu_ptr(memlat_cpu));
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
}

static void memlat_count_ctrl_write(const struct memlat_count_cpu *n)
{
	memlat_hold_run(this_cpu_ptr(memlat_cpu));
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, memlat_count_ctrl(n));
}

static u32 pmc_msr(const struct memlat_core *core, unsigned int counter)
{
	return (core->caps.full_width ? MSR_IA32_PMC0 : MSR_ARCH_PERFMON_PERFCTR0) + counter;
}

/* Add up what the counters in @counters have counted. They are stopped. */
static void memlat_count_add_up(struct memlat_count_cpu *n, const struct memlat_core *core,
				u32 counters)
{
	const struct memlat_count_group *group = &n->plan->group[n->group];
	const u64 fixed_mask = BIT_ULL(core->caps.fixed_width) - 1;
	u64 cycles = memlat_count_elapsed(&n->last_cycles, MEMLAT_MSR_CYCLES, fixed_mask);
	u64 instructions = memlat_count_elapsed(&n->last_instructions, MEMLAT_MSR_INSTRUCTIONS,
						fixed_mask);
	const bool forget = !n->wanted && this_cpu_read(memlat_cpu->hold);
	unsigned int i;

	/*
	 * Where perf holds the PMU, it starts counters while a task is not counted, and each switch
	 * has added up. Elsewhere what is found then is of the tasks before, which were counted.
	 */
	for (i = 0; forget && i < MEMLAT_COUNT_SLOTS; i++)
		if (group->event[i] != MEMLAT_EVENT_NR && (counters & BIT(i)))
			memlat_count_elapsed(&n->last[i], pmc_msr(core, i), core->mask);
	if (forget)
		return;
	n->moved |= cycles;
	n->sum.value[MEMLAT_EVENT_CYCLES] += cycles;
	n->sum.running[MEMLAT_EVENT_CYCLES] += cycles;
	n->sum.value[MEMLAT_EVENT_INSTRUCTIONS] += instructions;
	n->sum.running[MEMLAT_EVENT_INSTRUCTIONS] += cycles;
	for (i = 0; i < MEMLAT_COUNT_SLOTS; i++) {
		const u8 event = group->event[i];

		if (event == MEMLAT_EVENT_NR || !(counters & BIT(i)))
			continue;
		n->sum.value[event] += memlat_count_elapsed(&n->last[i], pmc_msr(core, i),
							    core->mask);
		n->sum.running[event] += cycles;
	}
}

/* Add up what was counted until now; then the counters go on. */
static void memlat_count_add_up_running(struct memlat_count_cpu *n, const struct memlat_core *core)
{
	memlat_count_ctrl_stop();
	memlat_count_add_up(n, core, n->plan->used);
	memlat_count_ctrl_write(n);
}

/* Program the counters for a turn. They are stopped, and have been added up. */
static void memlat_count_program(struct memlat_count_cpu *n, const struct memlat_core *core)
{
	const struct memlat_count_group *group = &n->plan->group[n->group];
	const bool nhm = core->model->quirks & MEMLAT_QUIRK_NHM_ENABLE;
	unsigned int i;

	if (nhm)
		memlat_nhm_enable();
	for (i = 0; i < MEMLAT_COUNT_SLOTS; i++) {
		if (!(n->plan->used & BIT(i)))
			continue;
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, 0);
		native_wrmsrq(pmc_msr(core, i), 0);
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, group->evtsel[i]);
		n->last[i] = 0;
	}
	/* As in memlat_nhm_enabled(): the counters have to run once right after that. */
	if (nhm) {
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, n->plan->used);
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
		for (i = 0; i < MEMLAT_COUNT_SLOTS; i++)
			if (n->plan->used & BIT(i))
				native_wrmsrq(pmc_msr(core, i), 0);
	}
	n->due = jiffies + TURN;
	n->moved = false;
}

/* A turn in which nothing was counted does not end, so that all events get turns in short runs. */
static bool memlat_count_turn_is_due(const struct memlat_count_cpu *n)
{
	return n->plan->groups > 1 && time_after_eq(jiffies, n->due) &&
	       (n->moved || native_rdmsrq(MEMLAT_MSR_CYCLES) != n->last_cycles);
}

/* Check that the registers are still memlat's; if not, disarm and report it. */
static bool still_ours(struct memlat_count_cpu *n, struct memlat_cpu *c)
{
	if (likely(!memlat_guard_count_differs(c, n)))
		return true;
	memlat_count_disarm();
	memlat_hw.trouble(MEMLAT_END_TAKEOVER);
	return false;
}

/* Begin the next turn, but do not overwrite what another driver wrote. */
static void memlat_count_turn_change(struct memlat_count_cpu *n)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);
	const struct memlat_core *core = c->core;

	if (!still_ours(n, c))
		return;
	memlat_count_ctrl_stop();
	memlat_count_add_up(n, core, n->plan->used);
	n->group = (n->group + 1) % n->plan->groups;
	memlat_count_program(n, core);
	memlat_count_ctrl_write(n);
}

/**
 * memlat_count_switch - the current task leaves this CPU
 * @wanted: whether the next task is to be counted
 *
 * Called by the scheduler.
 */
void memlat_count_switch(bool wanted)
{
	struct memlat_count_cpu *n = this_cpu_ptr(memlat_count_cpu);

	if (!n->on)
		return;
	if (wanted != n->wanted) {
		/*
		 * Where perf holds the PMU, it may have started the counters during a task that is
		 * not to be counted. So add up at the end of one that is, and forget the others'.
		 */
		if (unlikely(this_cpu_read(memlat_cpu->hold))) {
			memlat_count_ctrl_stop();
			memlat_count_add_up(n, this_cpu_read(memlat_cpu->core), n->plan->used);
		}
		n->wanted = wanted;
		memlat_count_ctrl_write(n);
	}
	if (memlat_count_turn_is_due(n))
		memlat_count_turn_change(n);
}

/**
 * memlat_count_turn - begin the next turn, if it is due
 *
 * For a CPU that has no task switches.
 */
void memlat_count_turn(void)
{
	struct memlat_count_cpu *n = this_cpu_ptr(memlat_count_cpu);

	if (n->on && memlat_count_turn_is_due(n))
		memlat_count_turn_change(n);
}

/**
 * memlat_count_check - check that this CPU's counters are still memlat's
 *
 * If so, add up, long before a counter can wrap; if not, disarm the CPU and report it.
 */
void memlat_count_check(void)
{
	struct memlat_count_cpu *n = this_cpu_ptr(memlat_count_cpu);
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);

	if (n->on && still_ours(n, c))
		memlat_count_add_up_running(n, c->core);
}

/* Does another thread of this core use the first plan already? */
static bool sibling_is_first(const struct memlat_core *core)
{
	const unsigned int this = smp_processor_id();
	unsigned int cpu;

	for_each_cpu(cpu, topology_sibling_cpumask(this)) {
		const struct memlat_count_cpu *s = per_cpu_ptr(memlat_count_cpu, cpu);

		if (cpu != this && READ_ONCE(s->on) && s->plan == memlat_count_plan_of(core, false))
			return true;
	}
	return false;
}

/* Save the registers that memlat will write. GLOBAL_CTRL is 0. */
static void memlat_count_save(struct memlat_count_cpu *n, const struct memlat_core *core)
{
	struct memlat_count_saved *old = &n->saved;
	unsigned int i;

	old->fixed_ctrl = native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL);
	old->cycles = native_rdmsrq(MEMLAT_MSR_CYCLES);
	old->instructions = native_rdmsrq(MEMLAT_MSR_INSTRUCTIONS);
	old->enabled = 0;
	for (i = 0; i < core->caps.counters; i++)
		if (native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i) & MEMLAT_EVTSEL_EN)
			old->enabled |= BIT_ULL(i);
	for (i = 0; i < MEMLAT_COUNT_SLOTS; i++) {
		if (!(n->plan->used & BIT(i)))
			continue;
		old->evtsel[i] = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i);
		old->pmc[i] = native_rdmsrq(pmc_msr(core, i));
		old->cfg_c[i] = memlat_arch_take(core, i);
	}
	for (i = 0; i < MEMLAT_FIXED_USED; i++)
		old->cfg_c_fixed[i] = memlat_arch_take(core, 32 + i);
}

/**
 * memlat_count_arm - start counting on this CPU
 * @c: its state
 * @wanted: whether the current task is to be counted
 */
void memlat_count_arm(struct memlat_cpu *c, bool wanted)
{
	struct memlat_count_cpu *n = this_cpu_ptr(memlat_count_cpu);
	const struct memlat_core *core = c->core;

	n->plan = memlat_count_plan_of(core, sibling_is_first(core));
	n->group = 0;
	/* As in memlat_arm(). */
	memlat_hold_pause(c);
	memlat_hold_run(c);
	n->saved.global_ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	/* For memlat_guard_count_differs(). */
	c->saved.global_ctrl = n->saved.global_ctrl;
	memlat_count_ctrl_stop();
	memlat_count_save(n, core);

	/* End a freeze by another driver's PMI, or nothing would count. Here no PMI follows. */
	if (memlat_plan_frozen(core))
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, memlat_plan_frozen(core));
	native_wrmsrq(MEMLAT_MSR_CYCLES, 0);
	native_wrmsrq(MEMLAT_MSR_INSTRUCTIONS, 0);
	n->last_cycles = 0;
	n->last_instructions = 0;
	native_wrmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL, memlat_count_fixed(n));
	memlat_count_program(n, core);
	c->foreign_msr = 0;
	n->wanted = wanted;
	n->counted = true;
	n->events = n->plan->events;
	WRITE_ONCE(n->on, true);
	memlat_count_ctrl_write(n);
}

/* The general counters whose event selects still have memlat's values. */
static u32 ours_of(const struct memlat_count_cpu *n)
{
	const struct memlat_count_group *group = &n->plan->group[n->group];
	u32 ours = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_COUNT_SLOTS; i++)
		if ((n->plan->used & BIT(i)) &&
		    native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i) == group->evtsel[i])
			ours |= BIT(i);
	return ours;
}

/* The value of GLOBAL_CTRL after disarming, as for sampling (arm.c). */
static u64 ctrl_after(const struct memlat_count_cpu *n, u64 ctrl, u64 theirs)
{
	if (!ctrl)
		ctrl = n->plan->run | n->saved.global_ctrl;
	return (ctrl & theirs) | (n->saved.global_ctrl & ~theirs);
}

/**
 * memlat_count_disarm - stop counting on this CPU, and put its registers back
 *
 * A register that no longer has memlat's value has another owner, and is left alone.
 */
void memlat_count_disarm(void)
{
	struct memlat_count_cpu *n = this_cpu_ptr(memlat_count_cpu);
	const struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);
	const struct memlat_core *core = c->core;
	const struct memlat_count_saved *old = &n->saved;
	u64 ctrl, fixed_ctrl, status, theirs;
	bool fixed;
	unsigned int i;
	u32 ours;

	if (!n->on)
		return;
	ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	memlat_count_ctrl_stop();
	fixed_ctrl = native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL);
	fixed = (fixed_ctrl & MEMLAT_FIXED_BOTH) == n->plan->fixed;
	ours = ours_of(n);
	theirs = n->plan->used & ~ours;
	if (fixed)
		memlat_count_add_up(n, core, ours);
	else
		theirs |= MEMLAT_CTRL_CYCLES | MEMLAT_CTRL_INSTRUCTIONS;
	WRITE_ONCE(n->on, false);

	for (i = 0; i < MEMLAT_COUNT_SLOTS; i++) {
		if (!(ours & BIT(i)))
			continue;
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, old->evtsel[i]);
		native_wrmsrq(pmc_msr(core, i), old->pmc[i]);
	}
	for (i = 0; i < MEMLAT_COUNT_SLOTS; i++)
		if (n->plan->used & BIT(i))
			memlat_arch_restore(core, i, old->cfg_c[i], 0, ours & BIT(i));
	for (i = 0; i < MEMLAT_FIXED_USED; i++)
		memlat_arch_restore(core, 32 + i, old->cfg_c_fixed[i], 0, fixed);
	if (fixed) {
		native_wrmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL,
			      (fixed_ctrl & ~MEMLAT_FIXED_BOTH) |
			      (old->fixed_ctrl & MEMLAT_FIXED_BOTH));
		native_wrmsrq(MEMLAT_MSR_CYCLES, old->cycles);
		native_wrmsrq(MEMLAT_MSR_INSTRUCTIONS, old->instructions);
	}
	/* The fixed counters wrap once a day, so an overflow bit may be set. */
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & n->plan->run & ~theirs;
	if (status)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	memlat_hold_run(c);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl_after(n, ctrl, theirs));
}

/**
 * memlat_count_setup - set what CPUs count when they are armed next, if anything
 * @setup: checked by the caller
 *
 * Called while no CPU is armed. Forgets what was counted before.
 */
void memlat_count_setup(const struct memlat_plan_setup *setup)
{
	unsigned int i;
	int cpu;

	memlat_hw.counts = setup->counts;
	for (i = 0; setup->counts && i < memlat_cores_nr(); i++)
		memlat_count_plan_make(&memlat_cores[i], setup->user, setup->kernel);
	for_each_possible_cpu(cpu) {
		struct memlat_count_cpu *n = per_cpu_ptr(memlat_count_cpu, cpu);

		memset(&n->sum, 0, sizeof(n->sum));
		n->counted = false;
	}
}

/* Add up what this CPU has counted until now, alone or beside sampling. */
static struct memlat_count_cpu *memlat_count_checked(void)
{
	struct memlat_count_cpu *n = this_cpu_ptr(memlat_count_cpu);

	if (n->on)
		memlat_count_check();
	else if (memlat_hw.beside)
		memlat_pmu_count();
	return n;
}

static void memlat_count_take_here(void *unused)
{
	struct memlat_count_cpu *n = memlat_count_checked();

	n->shown = n->sum;
}

static void memlat_count_reset_here(void *unused)
{
	memset(&memlat_count_checked()->sum, 0, sizeof(struct memlat_count_sums));
}

static bool anything_counted(void)
{
	return memlat_hw.counts || memlat_hw.beside;
}

/**
 * memlat_count_reset - count from zero
 */
void memlat_count_reset(void)
{
	int cpu;

	if (!anything_counted())
		return;
	mutex_lock(&sums_lock);
	cpus_read_lock();
	on_each_cpu(memlat_count_reset_here, NULL, 1);
	/* An offline CPU was disarmed before it went offline. */
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			memset(&per_cpu_ptr(memlat_count_cpu, cpu)->sum, 0,
			       sizeof(struct memlat_count_sums));
	cpus_read_unlock();
	mutex_unlock(&sums_lock);
}

/**
 * memlat_count_bytes - the most bytes that memlat_count_put() may need
 */
size_t memlat_count_bytes(void)
{
	return anything_counted() ?
	       num_possible_cpus() * MEMLAT_EVENT_NR * sizeof(struct memlat_rec_count) : 0;
}

static unsigned int records_of(struct memlat_rec_count *rec, int cpu)
{
	const struct memlat_count_cpu *n = per_cpu_ptr(memlat_count_cpu, cpu);
	unsigned int event, records = 0;

	for (event = 0; n->counted && event < MEMLAT_EVENT_NR; event++) {
		if (!(n->events & BIT(event)))
			continue;
		rec[records++] = (struct memlat_rec_count) {
			.hdr = { .type = MEMLAT_REC_COUNT, .size = sizeof(*rec) },
			.cpu = cpu,
			.event = event,
			.core = memlat_cores_of(cpu),
			.value = n->shown.value[event],
			/* Cycles are counted in all turns; beside sampling there are no turns. */
			.enabled = memlat_hw.beside ? n->shown.running[event] :
						      n->shown.value[MEMLAT_EVENT_CYCLES],
			.running = n->shown.running[event],
		};
	}
	return records;
}

/**
 * memlat_count_put - write what was counted, as records
 * @rec: room for memlat_count_bytes()
 *
 * The session must not change meanwhile. May sleep. All counts of a CPU are of one moment.
 *
 * Return: number of records.
 */
size_t memlat_count_put(struct memlat_rec_count *rec)
{
	size_t records = 0;
	int cpu;

	if (!anything_counted())
		return 0;
	mutex_lock(&sums_lock);
	cpus_read_lock();
	on_each_cpu(memlat_count_take_here, NULL, 1);
	for_each_possible_cpu(cpu) {
		struct memlat_count_cpu *n = per_cpu_ptr(memlat_count_cpu, cpu);

		if (!cpu_online(cpu))
			n->shown = n->sum;
		records += records_of(rec + records, cpu);
	}
	cpus_read_unlock();
	mutex_unlock(&sums_lock);
	return records;
}
