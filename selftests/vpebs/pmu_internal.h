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

/* Something that is held back (vp_pmu_hold, vp_pmu_late). */
enum vp_delay_state {
	VP_DELAY_NONE,
	VP_DELAY_ASKED,			/* by any thread; from here on its CPU alone */
	VP_DELAY_HELD,
	VP_DELAY_RUNNING,		/* comes after `left` more instructions */
};

struct vp_delay {
	enum vp_delay_state state;
	uint64_t left;
};

/* Pages of a DS area and its buffer: 64 KiB and what may be around them. */
#define VP_DS_PAGES	24

struct vp_ds_page {
	uint64_t addr;
	uint64_t paddr;
};

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

	struct vp_delay hold;
	uint64_t hold_bits;		/* GLOBAL_STATUS bits that the PMI is for */
	struct vp_delay late;
	uint64_t late_record[VP_RECORD_SIZE / 8];
	struct vp_access late_access;
	bool late_has_access;

	/* The police. */
	bool counting;			/* a PEBS counter does */
	bool masked_reported;
	uint32_t next_look;		/* in accesses, or instructions */
	uint32_t masked_looks;
	unsigned int pages;
	struct vp_ds_page page[VP_DS_PAGES];
	uint64_t vmxe_from;		/* clock when CR4.VMXE was set */

	struct vp_pmu_regs photo;
} __attribute__((aligned(64)));

struct vp_pmu {
	const struct vp_pmu_ops *ops;
	void *ctx;
	unsigned int cpus;
	bool has_photo;
	bool vmxe;
	uint64_t vmxe_grace;
	struct vp_pmu_cpu *cpu;
};

void vp_pmu_violation(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, const char *kind,
		      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* After a change of control registers: what counts what, and is it lawful. */
void vp_pmu_update(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);

/* pmu_delay.c. False: it is not held back. */
bool vp_delay_catch(struct vp_delay *delay);
void vp_delay_pebs_off(struct vp_pmu_cpu *c);
/* n instructions went by. True: it is due now. */
bool vp_delay_step(struct vp_delay *delay, uint64_t n);

/* pmu_police.c: while a PEBS counter counts */
void vp_police_start(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
void vp_police_look(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
void vp_police_record(struct vp_pmu *pmu, unsigned int cpu);

static inline void vp_police_pass(struct vp_pmu *pmu, unsigned int cpu, uint64_t n, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];

	if (c->next_look > n)
		c->next_look -= (uint32_t)n;
	else
		vp_police_look(pmu, cpu, ip);
}

/* Is counter i (fixed ones from VP_PMU_GP on) enabled and let run? */
bool vp_pmu_running(const struct vp_pmu_regs *r, unsigned int i);

#endif
