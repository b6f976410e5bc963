/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_ARM_H
#define MEMLAT_HW_ARM_H

#include <linux/types.h>

struct memlat_cpu;

/* Called on the CPU itself with interrupts off. The CPU need not be armed to be disarmed. */
void memlat_arm(struct memlat_cpu *c, bool wanted);
void memlat_disarm(struct memlat_cpu *c);
void memlat_arm_pause(struct memlat_cpu *c);
void memlat_arm_resume(struct memlat_cpu *c);
void memlat_arm_abort(struct memlat_cpu *c, u32 end);

/*
 * Called after disarming, before anything is freed or given back; may sleep. The first is for a CPU
 * that goes offline: its hotplug callback calls it on that CPU, right after memlat_disarm(). The
 * second is for all CPUs that are online.
 */
void memlat_arm_settle_cpu(void);
void memlat_arm_settle(void);

#endif /* MEMLAT_HW_ARM_H */
