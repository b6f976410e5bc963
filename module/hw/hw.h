/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this folder share: kinds of cores, and the values of their registers.
 */
#ifndef MEMLAT_HW_HW_H
#define MEMLAT_HW_HW_H

#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>

#include "../core/record.h"
#include "cpu_model.h"
#include "msr.h"
#include "pmu.h"

struct pt_regs;

/* cpu_identify.c */

/**
 * struct memlat_cpu_caps - capabilities that a CPU reports of its PMU
 * @layout: layout of its records, by PEBS format
 * @version: version of architectural performance monitoring
 * @counters: number of general counters
 * @counter_width: bits of a general counter
 * @fixed_width: bits of a fixed counter
 * @full_width: counters can be written at full width, through IA32_A_PMCx
 * @recording: counters that can do architectural PEBS, by their bits in GLOBAL_CTRL
 */
struct memlat_cpu_caps {
	const struct memlat_record_layout *layout;
	unsigned int version;
	unsigned int counters;
	unsigned int counter_width;
	unsigned int fixed_width;
	bool full_width;
	u64 recording;
};

/*
 * Runs on the CPU itself with interrupts off. Returns NULL if memlat cannot use the CPU. @why then
 * says why not and what would help; it stays valid after the call.
 */
const struct memlat_cpu_model *memlat_cpu_identify(struct memlat_cpu_caps *caps,
						   const char **why);

/*
 * Owning the PMU by a counter of perf's on each CPU, on cores whose PMU cannot be reserved.
 */

int memlat_hold_online(void);
void memlat_hold_release_all(void);

/*
 * From here on perf's own handler of NMIs, which runs after memlat's, leaves the counters off, and
 * all of them are off. Not for NMIs, which may have interrupted perf between the two.
 */
static inline void memlat_hold_pause(const struct memlat_cpu *c)
{
	if (c->hold)
		c->hold->pmu->pmu_disable(c->hold->pmu);
}

/* Undo memlat_hold_pause(). Perf enables all counters of the CPU. */
static inline void memlat_hold_run(const struct memlat_cpu *c)
{
	if (c->hold)
		c->hold->pmu->pmu_enable(c->hold->pmu);
}

/*
 * What the files of this folder share: kinds of cores, and the values of their registers. Files
 * outside include it only through buffer.h.
 */

/**
 * struct memlat_event - how one kind of event is sampled
 * @on: it is sampled
 * @slot: index of its counter in &memlat_plan.slot
 * @counter: number of its general counter
 * @msr: MSR of that counter's value
 */
struct memlat_event {
	bool on;
	u8 slot;
	u8 counter;
	u32 msr;
};

/**
 * struct memlat_slot - a general counter that memlat uses
 * @counter: its number
 * @msr: MSR of its value
 */
struct memlat_slot {
	u8 counter;
	u32 msr;
};

/**
 * struct memlat_phase - how the counters are programmed during one turn
 * @kinds: what is sampled, a bit for each enum memlat_kind
 * @pebs_enable: IA32_PEBS_ENABLE
 * @counters: which counters make which records, for decoding
 * @evtsel: event select of each slot; 0: the counter is off
 */
struct memlat_phase {
	u8 kinds;
	u64 pebs_enable;
	struct memlat_record_counters counters;
	u64 evtsel[MEMLAT_SLOTS];
};

#define MEMLAT_PHASES	MEMLAT_KINDS

/**
 * struct memlat_plan - how a CPU of a kind of core is programmed
 * @run: GLOBAL_CTRL while a task is sampled, in any phase
 * @ours: bits of GLOBAL_STATUS that can only be memlat's
 * @clear: bits of GLOBAL_STATUS that memlat may leave behind
 * @thaw: bits of GLOBAL_STATUS that, while they are set, keep all counters from counting
 * @phases: number of phases: one; or two, the first for loads, if loads and stores take turns
 * @phase: the phases
 * @burst: phases of bursts: the first of loads in kernel mode, the second in user mode
 * @event: how each kind is sampled
 * @used: counters that are used, a bit for each
 * @slots: number of these
 * @slot: these counters
 * @beside: events that are counted beside sampling, a bit for each enum memlat_event_id
 * @beside_event: enum memlat_event_id by slot; MEMLAT_EVENT_NR: the slot's counter samples
 */
struct memlat_plan {
	u64 run;
	u64 ours;
	u64 clear;
	u64 thaw;
	unsigned int phases;
	struct memlat_phase phase[MEMLAT_PHASES];
	struct memlat_phase burst[2];
	struct memlat_event event[MEMLAT_KINDS];
	u64 used;
	unsigned int slots;
	struct memlat_slot slot[MEMLAT_SLOTS];
	u32 beside;
	u8 beside_event[MEMLAT_SLOTS];
};

/**
 * struct memlat_core - one kind of core
 * @id: its number
 * @ack: enum memlat_ack
 * @adaptive: records are adaptive
 * @arch: architectural PEBS: registers instead of a DS area
 * @held: the PMU cannot be reserved (perfmon version 6); perf holds it for memlat (pmu_own.c)
 * @model: its row
 * @caps: its capabilities
 * @mask: bits of a general counter
 * @hook_cycles: cycles of a task switch that finds nothing to drain
 * @info: what other parts of the module may know of it
 * @plan: the first for a core's first or only CPU, the second for its siblings; set while no CPU
 *	is armed
 */
struct memlat_core {
	u8 id;
	u8 ack;
	bool adaptive;
	bool arch;
	bool held;
	const struct memlat_cpu_model *model;
	struct memlat_cpu_caps caps;
	u64 mask;
	u32 hook_cycles;
	struct memlat_core_info info;
	struct memlat_plan plan[2];
};

/**
 * struct memlat_hw - the session's settings; written while no CPU is armed, read by armed CPUs
 * @kinds: what is sampled, a bit for each enum memlat_kind
 * @idle: GLOBAL_CTRL while no task is sampled, and while memlat works
 * @cycles_mask: bits of the cycle counter that all kinds of cores have
 * @ldlat: PEBS_LD_LAT_THRESHOLD
 * @period: events per record; with a budget, at the start
 * @cycles: the cycle counter counts, for the budget or for turns
 * @fixed_mask: the bits of IA32_FIXED_CTR_CTRL that are memlat's while it samples
 * @fixed: the value of these bits
 * @budget: there is a CPU budget, so periods change
 * @call_graph: a PMI for each record
 * @stride: each record begins a burst
 * @phys: look up physical lines
 * @counts: the CPUs count events, and sample nothing
 * @beside: the CPUs count events beside sampling
 * @vmx_watch: end the session when CR4.VMXE is set; may be set at any time while a session starts
 *	or runs
 * @max_overhead: hundredths of a percent of busy cycles
 * @trouble: see struct memlat_plan_setup
 */
struct memlat_hw {
	u8 kinds;
	u64 idle;
	u64 cycles_mask;
	u64 ldlat;
	u64 period[MEMLAT_KINDS];
	bool cycles;
	u64 fixed_mask;
	u64 fixed;
	bool budget;
	bool call_graph;
	bool stride;
	bool phys;
	bool counts;
	bool beside;
	bool vmx_watch;
	u32 max_overhead;
	void (*trouble)(u32 end);
};

extern struct memlat_hw memlat_hw;

/* Defined in cores.c. */
extern struct memlat_core memlat_cores[MEMLAT_CORES_MAX];

/* The value that makes a counter overflow after so many events. */
static inline u64 memlat_reload(const struct memlat_cpu *c, u64 period)
{
	return -period & c->core->mask;
}

/* The present number of events per record. */
static inline u64 memlat_period(const struct memlat_cpu *c, unsigned int kind)
{
	return unlikely(c->burst) ? c->burst : c->rate[kind].period;
}

/* Has the counter overflowed, so that its record is due? */
static inline bool memlat_record_is_due(const struct memlat_cpu *c, u64 counter)
{
	return !(counter & ((c->core->mask >> 1) + 1));
}

/*
 * Events since the last record, of a counter that has not overflowed. Negative, as u64, while the
 * counter still skips events before the period begins.
 */
static inline u64 memlat_counted(const struct memlat_cpu *c, u64 counter, u64 period)
{
	const u64 mask = c->core->mask, n = (counter - memlat_reload(c, period)) & mask;

	return n <= mask >> 1 ? n : n | ~mask;
}

/* Core cycles that this CPU was busy; only counted if memlat_hw.cycles. */
static inline u64 memlat_cycles(void)
{
	return memlat_rdpmc(MEMLAT_PMC_CYCLES);
}

/*
 * Cycles from @then to @now. Where perf holds the PMU, it may have cleared the counter in between:
 * when a task that has mapped an event runs, perf clears all counters that its earlier events left
 * behind (perf_clear_dirty_counters()), once on each CPU.
 */
static inline u64 memlat_cycles_elapsed(u64 now, u64 then)
{
	const u64 gone = (now - then) & memlat_hw.cycles_mask;

	return gone <= memlat_hw.cycles_mask >> 1 ? gone : now;
}

static inline void memlat_counters_pause(void)
{
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, memlat_hw.idle);
}

/*
 * The value of GLOBAL_CTRL, except while memlat works. Where perf holds the PMU, it may also have
 * perf's own value, with which all counters run.
 */
static inline u64 memlat_ctrl(const struct memlat_cpu *c)
{
	return c->wanted ? c->plan->run : memlat_hw.idle;
}

static inline void memlat_counters_run(const struct memlat_cpu *c)
{
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, memlat_ctrl(c));
}

/* The end of what memlat_drain_begin() began. */
static inline void memlat_counters_run_again(const struct memlat_cpu *c)
{
	memlat_hold_run(c);
	memlat_counters_run(c);
}

static inline void memlat_lvtpc_write(u32 v)
{
	/* apic_write() is a static call that modules cannot link on 7.2. */
	apic->write(APIC_LVTPC, v);
}

/*
 * From here on a PMI leaves the buffer and the counters alone, until @draining is cleared. False if
 * a PMI has disarmed the CPU since the caller checked. From here on none does. Not for NMIs.
 *
 * Where perf holds the PMU, perf is switched off first. While it is on, its handler starts the
 * counters after each PMI. If the buffer of such a CPU is full and nobody may drain it, the loads
 * of the handlers alone make the next PMI, and the drain never gets to stop the counters.
 */
static inline bool memlat_drain_begin(struct memlat_cpu *c)
{
	memlat_hold_pause(c);
	c->draining = true;
	barrier();
	if (likely(c->armed))
		return true;
	c->draining = false;
	memlat_hold_run(c);
	return false;
}

/* At the end, after the counters run again: a PMI that arrived meanwhile has left LVTPC masked. */
static inline void memlat_drain_ack(struct memlat_cpu *c)
{
	if (!c->ack_due)
		return;
	c->ack_due = false;
	memlat_lvtpc_write(APIC_DM_NMI);
}

/*
 * Has KVM lent this CPU's PMU to the guest that it is about to enter or has just left? Then the
 * registers are the guest's, and no counter may be turned on. kvm_mediated_pmu_load() of 7.0 and
 * later gives LVTPC a vector of its own before it loads the first of them, with interrupts off.
 */
static inline bool memlat_pmu_is_lent(void)
{
#ifdef CONFIG_PERF_GUEST_MEDIATED_PMU
	return (apic->read(APIC_LVTPC) & (APIC_MODE_MASK | APIC_VECTOR_MASK)) ==
	       (APIC_DM_FIXED | PERF_GUEST_MEDIATED_PMI_VECTOR);
#else
	return false;
#endif
}

/* Is an evaluation of the budget due? Asked by callers that have nothing else to do. */
static inline bool memlat_budget_due(const struct memlat_cpu *c)
{
	return memlat_hw.budget && time_after_eq(jiffies, c->budget.due);
}

/*
 * The first is called while no CPU is armed, the others on the CPU itself with counters paused and
 * buffer empty.
 */
void memlat_turn_setup(void);
void memlat_turn_arm(struct memlat_cpu *c);
void memlat_turn_disarm(struct memlat_cpu *c);
bool memlat_turn_is_lost(const struct memlat_cpu *c);
void memlat_turn_mend(struct memlat_cpu *c);
void memlat_turn_restart_due(struct memlat_cpu *c);
unsigned int memlat_turn_change(struct memlat_cpu *c);
u64 memlat_turn_counter(const struct memlat_cpu *c, unsigned int kind);
void memlat_turn_counter_set(struct memlat_cpu *c, unsigned int kind, u64 period);

/* Does the other kind's turn begin now? */
static inline bool memlat_turn_due(const struct memlat_cpu *c)
{
	return c->turns && time_after_eq(jiffies, c->turn.due);
}

/* burst.c */

/* About the number of records of a burst; a few more may be written until its PMI is taken. */
#define MEMLAT_BURST	64

/* The shortest period that memlat programs on any core. */
#define MEMLAT_PERIOD_LEAST	2

/* The shorter one of the two periods of bursts: the shortest that the core allows. */
static inline u32 memlat_burst_period(const struct memlat_core *core)
{
	return max_t(u32, MEMLAT_PERIOD_LEAST, core->model->period_min);
}

/* Called with counters paused and buffer empty. */
void memlat_burst_change(struct memlat_cpu *c, struct pt_regs *regs);
void memlat_burst_end(struct memlat_cpu *c);

/* nhm.c */

/* Called on the CPU itself with interrupts off. */
void memlat_nhm_enable(void);
void memlat_nhm_enabled(struct memlat_cpu *c);
u64 memlat_nhm_ldlat_save(const struct memlat_cpu *c);
void memlat_nhm_ldlat_restore(struct memlat_cpu *c);

#endif /* MEMLAT_HW_HW_H */
