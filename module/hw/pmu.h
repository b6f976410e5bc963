/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PMU_H
#define MEMLAT_HW_PMU_H

#include <linux/types.h>

#include "cpu.h"
#include "cpu_model.h"

/**
 * struct memlat_pmu_setup - what the PMU is to sample
 * @ldlat: threshold, core cycles
 * @period: qualifying loads per record
 * @user: loads in user mode
 * @kernel: loads in kernel mode
 */
struct memlat_pmu_setup {
	u32 ldlat;
	u64 period;
	bool user;
	bool kernel;
};

void memlat_pmu_init(const struct memlat_cpu_model *m, const struct memlat_cpu_caps *c);
u64 memlat_pmu_period_max(void);

void memlat_pmu_setup(const struct memlat_pmu_setup *setup);
int memlat_pmu_listen(void);
void memlat_pmu_unlisten(void);
void memlat_pmu_arm(struct memlat_cpu *c, bool wanted);
void memlat_pmu_disarm(struct memlat_cpu *c);
void memlat_pmu_settle(void);
void memlat_pmu_switch(bool wanted);

#endif /* MEMLAT_HW_PMU_H */
