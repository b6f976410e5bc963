/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PMU_H
#define MEMLAT_HW_PMU_H

#include <linux/types.h>

int memlat_pmu_register_nmi(void);
void memlat_pmu_unregister_nmi(void);

/* Called on the CPU itself with interrupts off. */
void memlat_pmu_switch(bool wanted);
void memlat_pmu_flush(void);
void memlat_pmu_check(void);
bool memlat_pmu_guest_entry(void);
void memlat_pmu_guest_exit(void);
void memlat_pmu_crash(void);
void memlat_pmu_watch_vmx(bool on);
void memlat_pmu_count(void);

/* Called by the timer of turns. */
void memlat_pmu_turn(void);

#endif /* MEMLAT_HW_PMU_H */
