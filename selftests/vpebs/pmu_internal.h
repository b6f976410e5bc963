/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of the PMU model only. */
#ifndef VPEBS_PMU_INTERNAL_H
#define VPEBS_PMU_INTERNAL_H

#include "counts.h"
#include "pmu.h"

/* The events that an event select can count. */
enum vp_event {
	VP_EV_NONE,
	VP_EV_INSTRUCTIONS,
	VP_EV_CYCLES,
	VP_EV_REF_CYCLES,
	VP_EV_LOAD_LATENCY,
	VP_EV_ALL_LOADS,
	VP_EV_ALL_STORES,
	VP_EV_AUX,			/* what has to count beside load latency */
};

enum vp_event vp_pmu_event(const struct vp_core *core, uint64_t evtsel);

/* Order is that of vp_pmu_reg_names. */
struct vp_pmu_regs {
	uint64_t evtsel[VP_PMU_GP_MAX];
	uint64_t pmc[VP_PMU_COUNTERS];		/* fixed ones behind the others */
	uint64_t fixed_ctrl;
	uint64_t global_ctrl;
	uint64_t status;
	uint64_t pebs_enable;
	uint64_t data_cfg;
	uint64_t ld_lat;
	uint64_t ds_area;
	uint64_t debugctl;
	uint64_t offcore[2];
	uint64_t snoop[2];
	uint64_t frontend;
	uint64_t metrics;
	uint64_t pebs_base;
	uint64_t pebs_index;
	uint64_t cfg_c[VP_PMU_COUNTERS];	/* of counters, with architectural PEBS */
	uint64_t prefetch;			/* MISC_FEATURE_CONTROL */
	uint64_t lvtpc;
};

#define VP_PMU_REGS (sizeof(struct vp_pmu_regs) / sizeof(uint64_t))
extern const char *const vp_pmu_reg_names[VP_PMU_REGS];

/* A PMI or record that is held back (vp_pmu_hold, vp_pmu_late). */
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

/* The most pages of a DS area and its buffer: 64 KiB, and partly used pages around them. */
#define VP_DS_PAGES	24

struct vp_ds_page {
	uint64_t addr;
	uint64_t paddr;
};

/* Room for any record: all groups, all LBR entries, all counters and metrics. */
#define VP_RECORD_WORDS	(4 + 4 + 18 + 32 + 3 * VP_LBR_ENTRIES + 2 + VP_PMU_COUNTERS + 2)

struct vp_record {
	uint64_t w[VP_RECORD_WORDS];
	unsigned int size;		/* bytes */
	uint32_t word;			/* data source, or VP_NO_WORD */
};

/* How far the handler is that has to unmask LVTPC. */
enum vp_ack_state {
	VP_ACK_DONE,
	VP_ACK_DUE,			/* a PMI masked it */
	VP_ACK_STOPPED,			/* and GLOBAL_CTRL was written since, or was zero */
	VP_ACK_WRITTEN,			/* and once more */
};

/* Nehalem's enable sequence. */
enum vp_sequence {
	VP_SEQUENCE_NONE,
	VP_SEQUENCE_BEGUN,		/* its four events are on */
	VP_SEQUENCE_DONE,		/* and were off again: events may be added */
};

struct vp_pmu_cpu {
	/* Protects r against vp_pmu_photo(); the CPU itself reads r without it. */
	pthread_mutex_t lock;
	struct vp_pmu_regs r;

	const struct vp_core *core;
	uint64_t gp_bits;		/* of EVTSELs, PEBS_ENABLE, GLOBAL_CTRL ... */
	uint64_t fixed_bits;		/* likewise: from bit 32 on */

	bool pmi_held;
	uint64_t pmi_bits;		/* GLOBAL_STATUS bits that the held one is for */
	bool pmi_odd_lvt;		/* reported already */

	/* Computed from r: counters (bits by index) that count each kind of event, by privilege. */
	uint32_t latency[2];
	uint32_t loads[2];
	uint32_t stores[2];
	uint32_t time[2];
	uint32_t timed[2];		/* those that need the clock of timing.h */
	uint32_t listed[2];		/* those of accesses, by what[] */
	uint8_t what[VP_PMU_COUNTERS];	/* enum vp_count, of these two */
	uint64_t random;		/* 0: each load is tagged */
	uint32_t untagged;		/* loads that pass before the next one is */
	uint32_t armed;			/* counters that overflowed: their next event is recorded */
	uint32_t pebs;			/* counters with PEBS, running or not */
	uint32_t facility;		/* load latency: those that give a latency */
	bool no_aux;			/* what has to count beside it does not */
	uint32_t bad;			/* violations reported and still standing */

	struct vp_delay hold;
	uint64_t hold_bits;		/* GLOBAL_STATUS bits that the PMI is for */
	struct vp_delay late;
	struct vp_record late_record;
	uint64_t late_counters;
	struct vp_access late_access;
	bool late_has_access;

	unsigned int swept;		/* words of a sweep that were written */

	/* State of pmu_police.c. */
	bool counting;			/* a PEBS counter does */
	bool masked_reported;
	bool pdist_reported;
	uint32_t next_look;		/* in accesses, or instructions */
	uint32_t masked_looks;
	unsigned int pages;
	struct vp_ds_page page[VP_DS_PAGES];
	bool guest;			/* a VM guest runs */
	uint64_t vmxe_from;		/* clock when CR4.VMXE was set */
	enum vp_ack_state ack;
	bool early_unmask;		/* to be reported when an address is known */
	uint64_t pmi_ip;		/* where the last PMI came */
	enum vp_sequence sequence;
	uint64_t firmware_fixed;	/* FIXED_CTR_CTRL as firmware left it */
	uint64_t added[VP_PMU_GP_MAX];	/* event selects that the sequence was done for */

	struct vp_pmu_regs photo;
} __attribute__((aligned(64)));

struct vp_pmu {
	const struct vp_pmu_ops *ops;
	void *ctx;
	unsigned int cpus;
	bool has_photo;
	bool vmxe;
	bool sweep;
	bool timing;			/* cycles are not instructions */
	uint32_t tag;			/* one load in so many */
	bool after;			/* an overflow arms, the next event is recorded */
	bool swallow;			/* PEBS_ENABLE takes no writes */
	bool hold;			/* fixed counter 1 does not count */
	bool split;			/* architectural records come in two fragments */
	bool stuck;			/* the status bit of PEBS cannot be cleared */
	bool clear;			/* records must be cleared before the next ones */
	uint64_t vmxe_grace;
	struct vp_pmu_cpu *cpu;
};

/* An overflow of counters with PEBS. */
struct vp_overflow {
	unsigned int cpu;
	uint64_t ip;
	uint32_t counters;		/* bits by index */
	bool latency;			/* one of them counts load latency */
	const struct vp_access *access;
	const struct vp_outcome *outcome;
};

/* A counter's bit in GLOBAL_STATUS, GLOBAL_CTRL, PEBS_ENABLE. */
static inline uint64_t vp_counter_bit(unsigned int i)
{
	return 1ULL << (i < VP_PMU_GP_MAX ? i : 32 + i - VP_PMU_GP_MAX);
}

uint64_t vp_counter_bits(uint32_t counters);

/* The part of a record that describes its access. */
struct vp_memory {
	uint64_t addr;
	uint64_t source;
	uint64_t latency;
	bool told;		/* source is a word as load latency's */
};

static inline void vp_set_counter(struct vp_pmu_cpu *c, unsigned int i, uint64_t value)
{
	__atomic_store_n(&c->r.pmc[i], value & VP_COUNTER_MASK, __ATOMIC_RELAXED);
}

static inline void vp_set_status(struct vp_pmu_cpu *c, uint64_t bits)
{
	__atomic_store_n(&c->r.status, c->r.status | bits, __ATOMIC_RELAXED);
}

static inline bool vp_canonical(uint64_t addr)
{
	return (uint64_t)((int64_t)(addr << 16) >> 16) == addr;
}

void vp_pmu_violation(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, const char *kind,
		      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Does counter i count an event that is precisely distributed? */
static inline bool vp_pmu_pdist(const struct vp_pmu_cpu *c, unsigned int i)
{
	return c->core->pdist_stores && !i && (c->r.evtsel[0] & 0xffff) == c->core->store_event;
}

/* The bit of GLOBAL_STATUS that is set when the buffer is at its threshold. */
static inline uint64_t vp_status_pebs(const struct vp_core *core)
{
	return vp_core_arch(core) ? VP_STATUS_ARCH_PEBS : VP_STATUS_DS;
}

/* Has anybody switched PEBS on, on any counter? */
bool vp_pmu_pebs_is_on(const struct vp_pmu_cpu *c);

/* Is counter i enabled? And is it not frozen? */
bool vp_pmu_enabled(const struct vp_pmu_regs *r, unsigned int i);
bool vp_pmu_running(const struct vp_pmu_regs *r, unsigned int i);

/* pmu_event.c: after a change of control registers, find what counts what, and check the rules. */
void vp_pmu_update(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);

/* pmu_rules.c: which events may count together, and how; after vp_pmu_update() found them. */
void vp_rules_judge(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
void vp_rules_evtsel(struct vp_pmu_cpu *c, unsigned int i);	/* was written */
void vp_rules_ctrl(struct vp_pmu_cpu *c);			/* GLOBAL_CTRL was */

/* pmu_record.c */
void vp_record_make(struct vp_pmu *pmu, const struct vp_overflow *o);
void vp_record_arrives(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
/* Where each register of a record's group is among those of vp_pmu_ops.regs. */
extern const uint8_t vp_record_gprs[VP_RECORD_REGS];
uint64_t vp_record_retire_latency(const struct vp_pmu_cpu *c, const struct vp_overflow *o);

/* pmu_pmi.c */
void vp_pmi(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, uint64_t bits);
void vp_pmi_poll(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
void vp_pmi_ctrl_written(struct vp_pmu *pmu, unsigned int cpu, uint64_t was, uint64_t ip);
void vp_pmi_report(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);

/* pmu_arch.c: architectural PEBS. The first: counters that are set up for it. */
uint32_t vp_arch_counters(const struct vp_pmu_cpu *c);
uint64_t vp_arch_cfg_c_bits(const struct vp_core *core, unsigned int i);
void vp_arch_start(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
void vp_arch_reload(struct vp_pmu *pmu, const struct vp_overflow *o);
void vp_arch_fill(struct vp_pmu *pmu, const struct vp_overflow *o, const struct vp_memory *m,
		  struct vp_record *rec);
enum vp_pmu_fate vp_arch_write(struct vp_pmu *pmu, const struct vp_overflow *o,
			       const struct vp_record *rec, bool *full_enough);

/* pmu_delay.c. False: it is not held back. */
bool vp_delay_catch(struct vp_delay *delay);
void vp_delay_pebs_off(struct vp_pmu_cpu *c);
/* n instructions went by. True: it is due now. */
bool vp_delay_step(struct vp_delay *delay, uint64_t n);

/* pmu_police.c: while a PEBS counter counts */
void vp_police_start(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
void vp_police_look(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
void vp_police_record(struct vp_pmu *pmu, unsigned int cpu);
void vp_police_write(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr, uint64_t ip);
void vp_police_clear(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, uint64_t from, uint64_t to);
void vp_police_clear_all(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);
/* Check the value with which counter 0 is reloaded. */
void vp_police_period(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, uint64_t reload);

static inline void vp_police_pass(struct vp_pmu *pmu, unsigned int cpu, uint64_t n, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];

	if (c->next_look > n)
		c->next_look -= (uint32_t)n;
	else
		vp_police_look(pmu, cpu, ip);
}

#endif
