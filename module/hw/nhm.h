/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_NHM_H
#define MEMLAT_HW_NHM_H

#include <linux/types.h>

struct memlat_cpu;

/* Called on the CPU itself with interrupts off. */
void memlat_nhm_enable(void);
void memlat_nhm_enabled(struct memlat_cpu *c);
u64 memlat_nhm_ldlat_save(const struct memlat_cpu *c);
void memlat_nhm_ldlat_restore(struct memlat_cpu *c);

#endif /* MEMLAT_HW_NHM_H */
