/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_DS_H
#define MEMLAT_HW_DS_H

#include "cpu.h"

/* The record buffer of formats 1 to 6, and the DS area that describes it to hardware. */
int memlat_ds_map(struct memlat_cpu *c, int cpu, unsigned int record_size);
bool memlat_ds_is_ours(const struct memlat_cpu *c);
bool memlat_ds_is_taken(void);
void memlat_ds_unmap_all(void);
void memlat_ds_setup(struct memlat_cpu *c, u64 limit);
void memlat_ds_clear(struct memlat_cpu *c);

#endif /* MEMLAT_HW_DS_H */
