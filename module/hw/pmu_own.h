/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PMU_OWN_H
#define MEMLAT_HW_PMU_OWN_H

#include <linux/types.h>

void memlat_pmu_reserve_init(unsigned int counters);
int memlat_pmu_reserve(const char *guests, bool no_guests, bool *vmx, u32 *why);
void memlat_pmu_release(void);

#endif /* MEMLAT_HW_PMU_OWN_H */
