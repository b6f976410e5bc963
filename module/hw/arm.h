/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_ARM_H
#define MEMLAT_HW_ARM_H

#include <linux/types.h>

struct memlat_cpu;

/* Interrupts off, on the CPU itself. Disarming one that is not armed is fine. */
void memlat_arm(struct memlat_cpu *c, bool wanted);
void memlat_disarm(struct memlat_cpu *c);
void memlat_arm_give_up(struct memlat_cpu *c, u32 end);

/*
 * After disarming, before anything is freed or given back: may sleep. The first
 * is for a CPU that goes offline, from its hotplug callback on that CPU, right
 * after memlat_disarm(); the second for all that are online.
 */
void memlat_arm_settle_cpu(void);
void memlat_arm_settle(void);

#endif /* MEMLAT_HW_ARM_H */
