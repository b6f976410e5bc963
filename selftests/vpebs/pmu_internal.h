/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of the PMU model only. */
#ifndef VPEBS_PMU_INTERNAL_H
#define VPEBS_PMU_INTERNAL_H

#include "pmu.h"

/* What an event select counts. */
enum vp_event {
	VP_EV_NONE,
	VP_EV_INSTRUCTIONS,
	VP_EV_CYCLES,
	VP_EV_REF_CYCLES,
	VP_EV_LOAD_LATENCY,
	VP_EV_ALL_LOADS,
	VP_EV_ALL_STORES,
};

enum vp_event vp_pmu_event(uint64_t evtsel);

/* Order is that of vp_pmu_reg_names. */
struct vp_pmu_regs {
	uint64_t evtsel[VP_PMU_GP];
	uint64_t pmc[VP_PMU_COUNTERS];		/* fixed ones behind the others */
	uint64_t fixed_ctrl;
	uint64_t global_ctrl;
	uint64_t status;
	uint64_t pebs_enable;
	uint64_t ld_lat;
	uint64_t ds_area;
	uint64_t debugctl;
	uint64_t offcore[2];
	uint64_t frontend;
	uint64_t lvtpc;
};

#define VP_PMU_REGS (sizeof(struct vp_pmu_regs) / sizeof(uint64_t))
extern const char *const vp_pmu_reg_names[VP_PMU_REGS];

struct vp_pmu_cpu {
	/* Guards r against photographs; its own CPU reads without. */
	pthread_mutex_t lock;
	struct vp_pmu_regs r;

	bool pmi_held;
	uint64_t pmi_bits;		/* GLOBAL_STATUS bits that the held one is for */
	bool pmi_odd_lvt;		/* reported already */

	/* Derived from r: counters (bits) that count such events, by privilege. */
	uint8_t latency[2];
	uint8_t loads[2];
	uint8_t stores[2];
	uint8_t time[2];
	uint8_t bad;			/* violations reported and still standing */

	struct vp_pmu_regs photo;
} __attribute__((aligned(64)));

struct vp_pmu {
	const struct vp_pmu_ops *ops;
	void *ctx;
	unsigned int cpus;
	bool has_photo;
	struct vp_pmu_cpu *cpu;
};

void vp_pmu_violation(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, const char *kind,
		      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* After a change of control registers: what counts what, and is it lawful. */
void vp_pmu_update(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);

/* Is counter i (fixed ones from VP_PMU_GP on) enabled and let run? */
bool vp_pmu_running(const struct vp_pmu_regs *r, unsigned int i);

#endif
