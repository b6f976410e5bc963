/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CPUS_H
#define MEMLAT_CPUS_H

struct cpumask;

int memlat_cpus_arm(const struct cpumask *cpus);
int memlat_cpus_arm_again(void);
void memlat_cpus_disarm(void);
unsigned int memlat_cpus_armed(void);
void memlat_cpus_list(struct cpumask *armed);
void memlat_cpus_sleep_here(void);
void memlat_cpus_wake_here(void);

#endif /* MEMLAT_CPUS_H */
