/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record buffer: the DS area (ds.c) or registers (arch.c) that describe it, and its drain
 * (pebs.c).
 */
#ifndef MEMLAT_HW_BUFFER_H
#define MEMLAT_HW_BUFFER_H

#include <linux/string.h>
#include <linux/types.h>
#include <asm/cpufeature.h>

#include "hw.h"

struct pt_regs;

/*
 * Architectural PEBS (format 0xf): a buffer at a physical address, and registers instead of a DS
 * area. Frequent operations are here; the rest is in arch.c.
 */

/* Fixed counters that memlat uses, as an index of memlat_saved.cfg_c_fixed. */
#define MEMLAT_FIXED_USED	2

/* PEBS_INDEX counts in units of 16 bytes. */
#define MEMLAT_INDEX_UNIT	16
#define MEMLAT_INDEX_AT		GENMASK_ULL(26, 4)	/* offset of the next record */
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

/* Is PEBS as memlat set it up? perf sets PEBS_INDEX up with each of its PEBS events. */
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

/* The record buffer of formats 1 to 6, and the DS area that describes it to hardware. */
int memlat_ds_map(struct memlat_cpu *c, int cpu, unsigned int record_size);
bool memlat_ds_is_ours(const struct memlat_cpu *c);
bool memlat_ds_is_taken(void);
void memlat_ds_unmap_all(void);
void memlat_ds_setup(struct memlat_cpu *c, u64 limit);
void memlat_ds_clear(struct memlat_cpu *c);

/*
 * Clear the records before @end, which were drained. With page table isolation the buffer is in
 * every process's page table too, and records have registers and addresses of the kernel, which
 * isolation is to hide from programs. No CPU that needs isolation has architectural PEBS.
 */
static inline void memlat_ds_forget(struct memlat_cpu *c, u64 end)
{
	if (cpu_feature_enabled(X86_FEATURE_PTI))
		memset(c->records, 0, end - c->base);
}

/*
 * The record buffer, which the CPU knows from a DS area (ds.c) or from registers (arch.c).
 */

void memlat_buffer_setup(struct memlat_cpu *c, bool single);

/* The address of the next record; c->base is that of the first one. */
static inline u64 memlat_buffer_end(const struct memlat_cpu *c)
{
	if (c->core->arch)
		return c->base + memlat_arch_bytes(native_rdmsrq(MEMLAT_MSR_PEBS_INDEX));
	return READ_ONCE(c->ds->pebs_index);
}

/*
 * As memlat_buffer_end(), and check whether the records are memlat's (@ours): no other driver
 * is about to use its buffer. With a DS area others have to reserve the PMU, or perf holds it. With
 * architectural PEBS this checks the index register, which is read anyway.
 */
static inline u64 memlat_buffer_read(const struct memlat_cpu *c, bool *ours)
{
	u64 index;

	if (!c->core->arch) {
		*ours = true;
		return READ_ONCE(c->ds->pebs_index);
	}
	index = native_rdmsrq(MEMLAT_MSR_PEBS_INDEX);
	*ours = memlat_arch_index_is_ours(c, index);
	return c->base + memlat_arch_bytes(index);
}

/* Empty the buffer: the next record is written to its beginning. */
static inline void memlat_buffer_reset(struct memlat_cpu *c)
{
	if (c->core->arch)
		native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, c->index);
	else
		WRITE_ONCE(c->ds->pebs_index, c->base);
}

/* Is the buffer still memlat's? No other driver has replaced it, or is about to use it. */
static inline bool memlat_buffer_is_ours(const struct memlat_cpu *c)
{
	return c->core->arch ? memlat_arch_is_ours(c) : memlat_ds_is_ours(c);
}

/* Set after how many records a PMI is raised; counters paused, buffer empty. */
static inline void memlat_buffer_limit(struct memlat_cpu *c, unsigned int records)
{
	const u64 limit = records * c->core->caps.layout->size;

	if (c->core->arch)
		memlat_arch_limit(c, limit);
	else
		c->ds->pebs_interrupt_threshold = c->base + limit;
}

/* Set the value that a counter is reloaded with after each record; counters paused. */
static inline void memlat_buffer_reload(struct memlat_cpu *c, unsigned int counter, u64 value)
{
	if (c->core->arch)
		native_wrmsrq(memlat_arch_cfg_c(counter),
			      MEMLAT_CFG_C | (value & MEMLAT_CFG_C_RELOAD));
	else
		c->ds->pebs_event_reset[counter] = value;
}

/* Are there records to drain? */
static inline bool memlat_pebs_pending(const struct memlat_cpu *c)
{
	return memlat_buffer_end(c) != c->base;
}

unsigned int memlat_pebs_drain(struct memlat_cpu *c, struct pt_regs *regs);
unsigned int memlat_pebs_drain_of(struct memlat_cpu *c, const struct memlat_who *who);

#endif /* MEMLAT_HW_BUFFER_H */
