/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record buffer, which the CPU knows from a DS area (ds.c) or from registers (arch.c).
 */
#ifndef MEMLAT_HW_BUFFER_H
#define MEMLAT_HW_BUFFER_H

#include "arch.h"
#include "ds.h"
#include "hw.h"

/*
 * Allocate the buffer of a CPU, whose kind must be known, and free the buffers of all CPUs. The
 * first runs on any CPU; both may sleep.
 */
int memlat_buffer_map(struct memlat_cpu *c, int cpu);
void memlat_buffer_unmap_all(void);

void memlat_buffer_setup(struct memlat_cpu *c, bool single);

/* The address of the next record; c->base is that of the first one. */
static inline u64 memlat_buffer_end(const struct memlat_cpu *c)
{
	if (c->core->arch)
		return c->base + memlat_arch_bytes(native_rdmsrq(MEMLAT_MSR_PEBS_INDEX));
	return READ_ONCE(c->ds->pebs_index);
}

/*
 * As memlat_buffer_end(), and check whether the records are memlat's (@ours): nobody is about to
 * use its buffer. With a DS area others have to reserve the PMU, or perf holds it. With
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

/* Empty the buffer: the next record goes to its beginning. */
static inline void memlat_buffer_reset(struct memlat_cpu *c)
{
	if (c->core->arch)
		native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, c->index);
	else
		WRITE_ONCE(c->ds->pebs_index, c->base);
}

/* Is the buffer still memlat's? Nobody has replaced it, or is about to use it. */
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

#endif /* MEMLAT_HW_BUFFER_H */
