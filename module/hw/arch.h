/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Architectural PEBS (format 0xf): a buffer at a physical address, and registers instead of a DS
 * area. Frequent operations are here; the rest is in arch.c.
 */
#ifndef MEMLAT_HW_ARCH_H
#define MEMLAT_HW_ARCH_H

#include "cpu.h"
#include "msr.h"

struct memlat_core;

/* Fixed counters that memlat uses, as an index of memlat_saved.cfg_c_fixed. */
#define MEMLAT_FIXED_USED	2

/* PEBS_INDEX counts in units of 16 bytes. */
#define MEMLAT_INDEX_UNIT	16
#define MEMLAT_INDEX_AT		GENMASK_ULL(26, 4)	/* where the next record goes */
#define MEMLAT_INDEX_FULL	BIT_ULL(31)
#define MEMLAT_INDEX_ENABLE	BIT_ULL(32)
#define MEMLAT_INDEX_LIMIT	GENMASK_ULL(58, 36)	/* where a PMI is raised */

/* A counter's CFG_C: the reload value, and the bits that memlat sets. */
#define MEMLAT_CFG_C_RELOAD	GENMASK_ULL(31, 0)
#define MEMLAT_CFG_C_AUX	BIT_ULL(62)		/* address, source, latency */
#define MEMLAT_CFG_C_PEBS	BIT_ULL(63)
#define MEMLAT_CFG_C		(MEMLAT_CFG_C_PEBS | MEMLAT_CFG_C_AUX)

static inline u32 memlat_arch_cfg_c(unsigned int counter)
{
	return MEMLAT_MSR_CFG_C + 4 * counter;
}

/* Bytes of records. The index counts units of 16 bytes from bit 4 up, so no shift is needed. */
static inline u64 memlat_arch_bytes(u64 index)
{
	return index & MEMLAT_INDEX_AT;
}

/* PEBS_INDEX of an empty buffer. */
static inline u64 memlat_arch_index(u64 limit)
{
	return MEMLAT_INDEX_ENABLE | limit / MEMLAT_INDEX_UNIT << 36;
}

/* The bits of PEBS_INDEX that software sets; another owner sets other values. */
#define MEMLAT_INDEX_SETUP	(MEMLAT_INDEX_ENABLE | MEMLAT_INDEX_LIMIT)

/* Has nobody else set up PEBS? perf sets PEBS_INDEX up with each of its PEBS events. */
static inline bool memlat_arch_index_is_ours(const struct memlat_cpu *c, u64 index)
{
	return (index & MEMLAT_INDEX_SETUP) == c->index;
}

static inline bool memlat_arch_is_ours(const struct memlat_cpu *c)
{
	return memlat_arch_index_is_ours(c, native_rdmsrq(MEMLAT_MSR_PEBS_INDEX));
}

int memlat_arch_map(struct memlat_cpu *c, int cpu);
void memlat_arch_save(struct memlat_cpu *c);
void memlat_arch_save_buffer(struct memlat_cpu *c);
void memlat_arch_setup(struct memlat_cpu *c, u64 limit);
void memlat_arch_limit(struct memlat_cpu *c, u64 limit);
bool memlat_arch_is_foreign(struct memlat_cpu *c);
void memlat_arch_disarm(struct memlat_cpu *c, const bool *ours, bool fixed);
void memlat_arch_settle(struct memlat_cpu *c);

/* Keep a counter, given by its bit in GLOBAL_CTRL, from making records; and undo that. */
u64 memlat_arch_take(const struct memlat_core *core, unsigned int bit);
void memlat_arch_restore(const struct memlat_core *core, unsigned int bit, u64 was, u64 mine,
			 bool ours);

#endif /* MEMLAT_HW_ARCH_H */
