/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting events instead of sampling (MEMLAT_F_COUNT).
 */
#ifndef MEMLAT_HW_COUNT_H
#define MEMLAT_HW_COUNT_H

#include <linux/types.h>
#include <uapi/linux/memlat.h>

struct memlat_cpu;
struct memlat_plan_setup;

bool memlat_count_is_on(void);
bool memlat_count_cpu_is_on(int cpu);
void memlat_count_setup(const struct memlat_plan_setup *setup);
void memlat_count_reset(void);
size_t memlat_count_bytes(void);
size_t memlat_count_put(struct memlat_rec_count *rec);

/*
 * Called on the CPU itself with interrupts off. All but the first do nothing on a CPU that does not
 * count.
 */
void memlat_count_arm(struct memlat_cpu *c, bool wanted);
void memlat_count_disarm(void);
void memlat_count_switch(bool wanted);
void memlat_count_check(void);
void memlat_count_turn(void);

#endif /* MEMLAT_HW_COUNT_H */
