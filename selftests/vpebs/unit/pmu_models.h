/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load latency and stores on any machine, in the order in which a driver should write the
 * registers.
 */
#ifndef VPEBS_UNIT_PMU_MODELS_H
#define VPEBS_UNIT_PMU_MODELS_H

#include <stdio.h>

#include "pmu_env.h"

static inline const struct vp_core *core_of(const char *model)
{
	return vp_model_core(vp_model_find(model), 0, CPUS);
}

/* Replace the machine by one of this model. */
static inline struct env *machine(void **state, const char *model)
{
	if (*state) {
		vp_pmu_free(((struct env *)*state)->pmu);
		free(*state);
	}
	assert_int_equal(env_make(state, model), 0);
	return *state;
}

static inline void wr_on(struct env *e, unsigned int cpu, uint32_t msr, uint64_t value)
{
	vp_pmu_wrmsr(e->pmu, cpu, msr, value, IP);
}

static inline void nhm_sequence(struct env *e, unsigned int cpu)
{
	static const uint64_t events[4] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	unsigned int i;

	wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
	wr_on(e, cpu, VP_MSR_PEBS_ENABLE, 0);
	for (i = 0; i < 4; i++) {
		wr_on(e, cpu, VP_MSR_EVTSEL0 + i, events[i]);
		wr_on(e, cpu, VP_MSR_PMC0 + i, 0);
	}
	wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0xf);
	wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
	for (i = 0; i < 4; i++)
		wr_on(e, cpu, VP_MSR_EVTSEL0 + i, 0);
}

/* Return an event select of this core for the event, with the bits that the core needs. */
static inline uint64_t evtsel(const struct vp_core *core, unsigned int event)
{
	return event | BOTH | VP_EVTSEL_EN | (vp_core_adaptive(core) ? VP_EVTSEL_ADAPTIVE : 0);
}

static inline void program(struct env *e, unsigned int cpu, const struct vp_core *core,
			   unsigned int i, unsigned int event, uint64_t period)
{
	ds_set(e, vp_ds_reset(core, i), COUNTER(period));
	wr_on(e, cpu, VP_MSR_PMC0 + i, COUNTER(period));
	wr_on(e, cpu, VP_MSR_EVTSEL0 + i, evtsel(core, event));
}

/* Make a DS area for `room` records of a size, with a PMI at the last one. */
static inline void ds_for(struct env *e, unsigned int cpu, unsigned int size, unsigned int room)
{
	ds_set(e, VP_DS_PEBS_BASE, BUF);
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	ds_set(e, VP_DS_PEBS_MAX, BUF + room * size);
	ds_set(e, VP_DS_PEBS_THRESHOLD, BUF + room * size);
	wr_on(e, cpu, VP_MSR_DS_AREA, DS);
}

/*
 * Count loads with counter i and, unless `aux` is negative, the auxiliary event with counter `aux`.
 */
static inline void arm_loads(struct env *e, unsigned int cpu, const struct vp_core *core,
			     unsigned int i, int aux, uint64_t period)
{
	uint64_t pebs = 1ULL << i, ctrl = 1ULL << i;

	if (core->nhm_enable)
		nhm_sequence(e, cpu);
	wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
	if (vp_core_adaptive(core))
		wr_on(e, cpu, VP_MSR_PEBS_DATA_CFG, VP_GROUP_MEMINFO);
	wr_on(e, cpu, VP_MSR_LD_LAT, 30);
	program(e, cpu, core, i, core->load_event, period);
	if (aux >= 0) {
		wr_on(e, cpu, VP_MSR_EVTSEL0 + (unsigned int)aux,
		      core->aux_event | BOTH | VP_EVTSEL_EN);
		ctrl |= 1ULL << aux;
	}
	if (core->version < 5)
		pebs |= 1ULL << (32 + i);
	wr_on(e, cpu, VP_MSR_PEBS_ENABLE, pebs);
	e->lvtpc[cpu] = VP_LVT_NMI;
	wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, ctrl);
}

static inline void arm_stores(struct env *e, unsigned int cpu, const struct vp_core *core,
			      unsigned int i, uint64_t period)
{
	wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
	if (vp_core_adaptive(core))
		wr_on(e, cpu, VP_MSR_PEBS_DATA_CFG, VP_GROUP_MEMINFO);
	program(e, cpu, core, i, core->store_event, period);
	wr_on(e, cpu, VP_MSR_PEBS_ENABLE, 1ULL << i | (core->precise_store ? VP_PRECISE_STORE : 0));
	e->lvtpc[cpu] = VP_LVT_NMI;
	wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 1ULL << i);
}

static inline unsigned int lowest(uint32_t mask)
{
	return (unsigned int)__builtin_ctz(mask);
}

/* Return a counter for the core's auxiliary event, or -1 if it needs none. */
static inline int aux_of(const struct vp_core *core)
{
	return core->aux_event ? (int)lowest(core->aux_counters & ~1u) : -1;
}

static inline unsigned int load_of(const struct vp_core *core)
{
	uint32_t free_ones = core->load_counters;

	if (core->aux_event)
		free_ones &= ~(1u << aux_of(core));
	return lowest(free_ones);
}

static inline uint64_t word_at(struct env *e, unsigned int offset)
{
	uint64_t value;

	memcpy(&value, e->ram + (BUF - RAM) + offset, sizeof(value));
	return value;
}

static inline void access_on(struct env *e, unsigned int cpu, bool store, bool locked,
			     const struct vp_outcome *o)
{
	const struct vp_access a = {
		.cpu = cpu, .store = store, .user = true, .locked = locked, .size = 8,
		.ip = USER_IP, .vaddr = 0x7f0000001238ULL, .paddr = 0x1238,
	};

	vp_pmu_access(e->pmu, &a, o);
}

/*
 * For each model, for each type of core that has load latency and writes records to a DS area. At
 * least DS_CORES, of which ADAPTIVE_CORES write adaptive records: more are added, none goes away.
 */
#define DS_CORES	32
#define ADAPTIVE_CORES	20
#define for_each_core(m, k, core)							\
	for (unsigned int at_ = 0; (m = vp_model_at(at_)); at_++)			\
		for (k = 0; k < vp_model_kinds(m) && (core = m->core[k]); k++)		\
			if (core->load_event && vp_core_format(core) < 15 &&		\
			    (vp_core_format(core) < 4 || vp_core_adaptive(core)))

/* The machines of the tests have two CPUs, or one for each of three types of cores. */
static inline unsigned int cpu_of(const struct vp_model *m, unsigned int k)
{
	return vp_model_kinds(m) == 1 ? 0 : k;
}

#endif
