/* SPDX-License-Identifier: GPL-2.0 */
/* A small machine around the PMU model for its tests: memory, registers, APIC, and a log. */
#ifndef VPEBS_UNIT_PMU_ENV_H
#define VPEBS_UNIT_PMU_ENV_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../pmu.h"

#define CPUS	2
#define CPUS_MAX 3			/* of a machine with three kinds of cores */
#define RAM	0xfffffe0000010000ULL	/* linear address of ram[] */
#define RAM_SIZE 0x4000
#define PHYS	0x100000ULL
#define DS	RAM
#define BUF	(RAM + 0x1000)
#define ROOM	4			/* records in the buffer */
#define VP_RECORD_SIZE	200		/* of a Skylake-SP's */
#define IP	0xffffffff81000123ULL
#define USER_IP	0x401000ULL
#define COUNTER(n) (-(uint64_t)(n) & VP_COUNTER_MASK)

#define EV_LAT	0x01cdULL
#define EV_STORES 0x82d0ULL
#define EV_LOADS 0x81d0ULL
#define EV_INSNS 0x00c0ULL
#define BOTH	(VP_EVTSEL_USR | VP_EVTSEL_OS)

struct env {
	struct vp_pmu *pmu;
	uint8_t ram[RAM_SIZE];
	uint64_t mapped_from, mapped_to;	/* what of the RAM's addresses is mapped */
	uint64_t tsc;
	uint32_t lvtpc[CPUS_MAX];
	unsigned int nmis[CPUS_MAX];
	unsigned int pmis_sent, pmis_masked;
	unsigned int counted, stored;
	uint64_t moved;				/* every page is this far from where it was */
	uint64_t clock;
	unsigned int fates[4];
	uint32_t word;				/* of the last record */
	unsigned int violations;
	char kind[32];				/* of the last one */
	char detail[160];
};

static bool env_mapped(const struct env *e, uint64_t addr, size_t size)
{
	return addr >= e->mapped_from && addr + size <= e->mapped_to;
}

static bool env_read(void *ctx, unsigned int cpu, uint64_t addr, void *buf, size_t size)
{
	struct env *e = ctx;

	(void)cpu;
	if (!env_mapped(e, addr, size))
		return false;
	memcpy(buf, e->ram + (addr - RAM), size);
	return true;
}

static bool env_write(void *ctx, unsigned int cpu, uint64_t addr, const void *buf, size_t size)
{
	struct env *e = ctx;

	(void)cpu;
	if (!env_mapped(e, addr, size))
		return false;
	memcpy(e->ram + (addr - RAM), buf, size);
	return true;
}

/* The RAM's physical addresses begin at PHYS. */
static bool env_write_phys(void *ctx, unsigned int cpu, uint64_t paddr, const void *buf,
			   size_t size)
{
	struct env *e = ctx;

	(void)cpu;
	if (paddr < PHYS || paddr + size > PHYS + RAM_SIZE)
		return false;
	memcpy(e->ram + (paddr - PHYS), buf, size);
	return true;
}

static void env_regs(void *ctx, unsigned int cpu, uint64_t regs[VP_RECORD_REGS])
{
	unsigned int i;

	(void)ctx;
	(void)cpu;
	for (i = 0; i < VP_RECORD_REGS; i++)
		regs[i] = 0x1111000000000000ULL + i;
}

static uint64_t env_tsc(void *ctx, unsigned int cpu)
{
	(void)cpu;
	return ((struct env *)ctx)->tsc;
}

static uint32_t env_lvtpc_read(void *ctx, unsigned int cpu)
{
	return ((struct env *)ctx)->lvtpc[cpu];
}

static void env_lvtpc_write(void *ctx, unsigned int cpu, uint32_t value)
{
	((struct env *)ctx)->lvtpc[cpu] = value;
}

static void env_nmi(void *ctx, unsigned int cpu)
{
	((struct env *)ctx)->nmis[cpu]++;
}

static void env_counted(void *ctx, const struct vp_access *a, const struct vp_outcome *o)
{
	struct env *e = ctx;

	(void)o;
	if (a->store)
		e->stored++;
	else
		e->counted++;
}

static void env_record(void *ctx, unsigned int cpu, const struct vp_access *a,
		       enum vp_pmu_fate fate, uint32_t word)
{
	struct env *e = ctx;

	(void)cpu;
	(void)a;
	e->fates[fate]++;
	e->word = word;
}

static void env_pmi(void *ctx, unsigned int cpu, bool sent)
{
	struct env *e = ctx;

	(void)cpu;
	if (sent)
		e->pmis_sent++;
	else
		e->pmis_masked++;
}

static void env_violation(void *ctx, unsigned int cpu, uint64_t ip, const char *kind,
			  const char *detail)
{
	struct env *e = ctx;

	(void)cpu;
	(void)ip;
	e->violations++;
	strncpy(e->kind, kind, sizeof(e->kind) - 1);
	strncpy(e->detail, detail, sizeof(e->detail) - 1);
}

static bool env_page(void *ctx, unsigned int cpu, uint64_t addr, uint64_t *paddr)
{
	struct env *e = ctx;

	(void)cpu;
	*paddr = addr - RAM + e->moved;
	return env_mapped(e, addr, 4096);
}

static uint64_t env_clock(void *ctx, unsigned int cpu)
{
	(void)cpu;
	return ((struct env *)ctx)->clock;
}

static const struct vp_pmu_ops env_ops = {
	.read = env_read, .write = env_write, .write_phys = env_write_phys, .regs = env_regs, .tsc = env_tsc,
	.lvtpc_read = env_lvtpc_read, .lvtpc_write = env_lvtpc_write, .nmi = env_nmi,
	.counted = env_counted, .record = env_record, .pmi = env_pmi,
	.violation = env_violation, .page = env_page, .clock = env_clock,
};

static inline void wr(struct env *e, uint32_t msr, uint64_t value)
{
	vp_pmu_wrmsr(e->pmu, 0, msr, value, IP);
}

static inline uint64_t rd(struct env *e, uint32_t msr)
{
	return vp_pmu_rdmsr(e->pmu, 0, msr, IP);
}

static inline void ds_set(struct env *e, unsigned int field, uint64_t value)
{
	memcpy(e->ram + (DS - RAM) + field, &value, sizeof(value));
}

static inline uint64_t ds_get(struct env *e, unsigned int field)
{
	uint64_t value;

	memcpy(&value, e->ram + (DS - RAM) + field, sizeof(value));
	return value;
}

static inline uint64_t rec_get(struct env *e, unsigned int n, unsigned int field)
{
	uint64_t value;

	memcpy(&value, e->ram + (BUF - RAM) + n * VP_RECORD_SIZE + field, sizeof(value));
	return value;
}

/* There are n violations so far, and the last one is of this kind. */
#define expect_violation(e, n, what) do { \
	assert_int_equal((e)->violations, n); \
	assert_string_equal((e)->kind, what); \
} while (0)

/*
 * The register keeps the value `good`. `bad` has a reserved bit, so writing it faults and changes
 * nothing.
 */
static inline void expect_reserved(struct env *e, uint32_t msr, uint64_t good, uint64_t bad)
{
	wr(e, msr, good);
	assert_int_equal(rd(e, msr), good);
	e->violations = 0;
	wr(e, msr, bad);
	expect_violation(e, 1, "reserved-bits");
	assert_int_equal(rd(e, msr), good);
}

static inline void access_as(struct env *e, bool store, bool user, uint32_t latency, uint8_t code)
{
	const struct vp_access a = {
		.store = store, .user = user, .size = 8, .ip = user ? USER_IP : IP,
		.vaddr = 0x7f0000001238ULL, .paddr = 0x1238,
	};
	const struct vp_outcome o = { .code = code, .l1_hit = code == VP_L1, .latency = latency };

	vp_pmu_access(e->pmu, &a, &o);
}

static inline void load(struct env *e, uint32_t latency)
{
	access_as(e, false, false, latency, VP_DRAM);
}

/* Make a DS area for ROOM records with a PMI at `threshold` records. */
static inline void ds_make(struct env *e, unsigned int threshold)
{
	ds_set(e, VP_DS_PEBS_BASE, BUF);
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	ds_set(e, VP_DS_PEBS_MAX, BUF + ROOM * VP_RECORD_SIZE);
	ds_set(e, VP_DS_PEBS_THRESHOLD, BUF + threshold * VP_RECORD_SIZE);
	wr(e, VP_MSR_DS_AREA, DS);
}

/* Sample load latency with counter 0, in the order in which a driver should write the registers. */
static inline void arm(struct env *e, uint64_t ldlat, uint64_t period, uint64_t privilege)
{
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	ds_set(e, VP_DS_RESET0, COUNTER(period));
	wr(e, VP_MSR_LD_LAT, ldlat);
	wr(e, VP_MSR_A_PMC0, COUNTER(period));
	wr(e, VP_MSR_EVTSEL0, EV_LAT | privilege | VP_EVTSEL_EN);
	wr(e, VP_MSR_PEBS_ENABLE, 1 | 1ULL << 32);
	e->lvtpc[0] = VP_LVT_NMI;
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
}

/* Sample loads of more than 30 cycles, with a DS area as ds_make() makes it. */
static inline void sample_loads(struct env *e, unsigned int threshold, uint64_t period)
{
	ds_make(e, threshold);
	arm(e, 30, period, BOTH);
}

/* Unmask LVTPC, and run an instruction. */
static inline void unmask_lvtpc(struct env *e)
{
	e->lvtpc[0] = VP_LVT_NMI;
	vp_pmu_retire(e->pmu, 0, false, 1, IP);
}

static inline int env_make(void **state, const char *model)
{
	const struct vp_model *m = vp_model_find(model);
	struct env *e = calloc(1, sizeof(*e));
	unsigned int i;

	if (!e)
		return -1;
	e->mapped_from = RAM;
	e->mapped_to = RAM + RAM_SIZE;
	for (i = 0; i < CPUS_MAX; i++)
		e->lvtpc[i] = VP_LVT_MASKED;
	e->pmu = vp_pmu_new(m && vp_model_kinds(m) > CPUS ? CPUS_MAX : CPUS, m, &env_ops, e);
	*state = e;
	return e->pmu ? 0 : -1;
}

static inline int env_setup(void **state)
{
	return env_make(state, "skx");
}

static inline int env_teardown(void **state)
{
	struct env *e = *state;

	vp_pmu_free(e->pmu);
	free(e);
	return 0;
}

#endif
