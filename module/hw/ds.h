/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_DS_H
#define MEMLAT_HW_DS_H

#include <linux/string.h>
#include <asm/cpufeature.h>

#include "cpu.h"

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

#endif /* MEMLAT_HW_DS_H */
