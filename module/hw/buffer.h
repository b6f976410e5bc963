/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record buffer, whichever way the CPU has of it: a DS area (ds.c), or registers (arch.c).
 */
#ifndef MEMLAT_HW_BUFFER_H
#define MEMLAT_HW_BUFFER_H

#include "arch.h"
#include "ds.h"
#include "hw.h"

/* Memory for records, on any CPU whose kind is known; and the end of all of it. May sleep. */
int memlat_buffer_map(struct memlat_cpu *c, int cpu);
void memlat_buffer_unmap_all(void);

void memlat_buffer_setup(struct memlat_cpu *c, bool single);

/* Where the next record goes: c->base is the first one's place. */
static inline u64 memlat_buffer_end(const struct memlat_cpu *c)
{
	if (c->core->arch)
		return c->base + memlat_arch_bytes(native_rdmsrq(MEMLAT_MSR_PEBS_INDEX));
	return READ_ONCE(c->ds->pebs_index);
}

/*
 * The same, and whether that is ours to drain: @ours. Nobody has put another buffer in the place
 * of ours, or is about to use ours. Who wants the PMU has to ask for it, but where the core is
 * watched; there the page table tells, a cache line that nobody else needs, or the very register
 * that was read.
 */
static inline u64 memlat_buffer_look(const struct memlat_cpu *c, bool *ours)
{
	u64 index;

	if (!c->core->arch) {
		*ours = !c->core->watched || memlat_ds_is_ours(c);
		return READ_ONCE(c->ds->pebs_index);
	}
	index = native_rdmsrq(MEMLAT_MSR_PEBS_INDEX);
	*ours = memlat_arch_index_is_ours(c, index);
	return c->base + memlat_arch_bytes(index);
}

/* The next record goes to the first one's place. */
static inline void memlat_buffer_reset(struct memlat_cpu *c)
{
	if (c->core->arch)
		native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, c->index);
	else
		WRITE_ONCE(c->ds->pebs_index, c->base);
}

/* Nobody has put another buffer in the place of ours, or is about to use ours. */
static inline bool memlat_buffer_is_ours(const struct memlat_cpu *c)
{
	return c->core->arch ? memlat_arch_is_ours(c) : memlat_ds_is_ours(c);
}

/* So many records ask for a PMI from now on; counters paused, buffer empty. */
static inline void memlat_buffer_limit(struct memlat_cpu *c, unsigned int records)
{
	const u64 limit = records * c->core->caps.layout->size;

	if (c->core->arch)
		memlat_arch_limit(c, limit);
	else
		c->ds->pebs_interrupt_threshold = c->base + limit;
}

/* What a counter begins with after each record; counters paused. */
static inline void memlat_buffer_reload(struct memlat_cpu *c, unsigned int counter, u64 value)
{
	if (c->core->arch)
		native_wrmsrq(memlat_arch_cfg_c(counter),
			      MEMLAT_CFG_C | (value & MEMLAT_CFG_C_RELOAD));
	else
		c->ds->pebs_event_reset[counter] = value;
}

#endif /* MEMLAT_HW_BUFFER_H */
