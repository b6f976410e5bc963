/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_GUARD_H
#define MEMLAT_HW_GUARD_H

#include <linux/types.h>

struct memlat_count_cpu;
struct memlat_cpu;

/* Called on the CPU itself with interrupts off; the first and the third also in an NMI. */
bool memlat_guard_differs(struct memlat_cpu *c, u32 msr, u64 mask, u64 want);
bool memlat_guard_count_differs(struct memlat_cpu *c, const struct memlat_count_cpu *n);
u32 memlat_guard_trouble(struct memlat_cpu *c, u64 ctrl);
u32 memlat_guard_trouble_all(struct memlat_cpu *c);

/* What the functions above found, since the last memlat_guard_setup(); can be called anywhere. */
void memlat_guard_setup(void);
bool memlat_guard_found(unsigned int *cpu, u32 *msr, u64 *value);

#endif /* MEMLAT_HW_GUARD_H */
