// SPDX-License-Identifier: GPL-2.0
/*
 * What only Nehalem and Westmere need.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "hw.h"

#define COUNTERS	4

/**
 * memlat_nhm_enable - the workaround that is needed before counters are programmed
 *
 * Errata AAK100, AAP53 and BD53: a counter that was just enabled may count wrongly unless all four
 * counters have counted these events before. This is what Linux' intel_pmu_nhm_workaround() does.
 * GLOBAL_CTRL and PEBS_ENABLE are 0. Afterwards the counters are as they were.
 */
void memlat_nhm_enable(void)
{
	static const u32 magic[COUNTERS] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	u64 evtsel[COUNTERS], pmc[COUNTERS];
	unsigned int i;

	for (i = 0; i < COUNTERS; i++) {
		evtsel[i] = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i);
		pmc[i] = native_rdmsrq(MSR_ARCH_PERFMON_PERFCTR0 + i);
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, magic[i]);
		native_wrmsrq(MSR_ARCH_PERFMON_PERFCTR0 + i, 0);
	}
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, BIT(COUNTERS) - 1);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	for (i = 0; i < COUNTERS; i++) {
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, evtsel[i]);
		native_wrmsrq(MSR_ARCH_PERFMON_PERFCTR0 + i, pmc[i]);
	}
}

/**
 * memlat_nhm_enabled - let the counters that were just programmed run once
 * @c: this CPU's state; PEBS_ENABLE is 0
 *
 * The erratum requires the counters to run right after that sequence, but it may be long until a
 * task is sampled. So they run once without PEBS, and are loaded again.
 */
void memlat_nhm_enabled(struct memlat_cpu *c)
{
	unsigned int k;

	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, c->plan->used);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	for (k = 0; k < MEMLAT_KINDS; k++)
		if (c->plan->event[k].on)
			memlat_turn_counter_set(c, k, c->rate[k].period);
}

/*
 * Both threads of a core share PEBS_LD_LAT_THRESHOLD there. So the thread that is armed second
 * finds memlat's value, and the thread that is disarmed first must not write it. CPUs are armed one
 * after the other.
 */

static const struct memlat_cpu *memlat_nhm_sibling(const struct memlat_cpu *c)
{
	int cpu;

	for_each_cpu(cpu, topology_sibling_cpumask(smp_processor_id())) {
		const struct memlat_cpu *s = per_cpu_ptr(memlat_cpu, cpu);

		if (s != c && (READ_ONCE(s->armed) || READ_ONCE(s->unsettled)))
			return s;
	}
	return NULL;
}

/**
 * memlat_nhm_ldlat_save - PEBS_LD_LAT_THRESHOLD as it was before memlat
 * @c: this CPU's state, not yet armed
 */
u64 memlat_nhm_ldlat_save(const struct memlat_cpu *c)
{
	const struct memlat_cpu *s = NULL;

	if (c->core->model->quirks & MEMLAT_QUIRK_SHARED_LDLAT)
		s = memlat_nhm_sibling(c);
	return s ? s->saved.ld_lat : native_rdmsrq(MSR_PEBS_LD_LAT_THRESHOLD);
}

/**
 * memlat_nhm_ldlat_restore - put PEBS_LD_LAT_THRESHOLD back, or leave it to the sibling
 * @c: this CPU's state, disarmed
 *
 * If it is left (@ldlat_left), it is put back when the sibling is disarmed.
 */
void memlat_nhm_ldlat_restore(struct memlat_cpu *c)
{
	const struct memlat_cpu *s = NULL;

	if (c->core->model->quirks & MEMLAT_QUIRK_SHARED_LDLAT)
		s = memlat_nhm_sibling(c);
	c->ldlat_left = s && READ_ONCE(s->armed);
	if (!c->ldlat_left && native_rdmsrq(MSR_PEBS_LD_LAT_THRESHOLD) == memlat_hw.ldlat)
		native_wrmsrq(MSR_PEBS_LD_LAT_THRESHOLD, c->saved.ld_lat);
}
