/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PREFETCH_H
#define MEMLAT_HW_PREFETCH_H

#include <linux/types.h>

u32 memlat_hw_prefetch_known(int cpu);
bool memlat_hw_prefetch_share(int a, int b);

/* Called on the CPU itself. */
bool memlat_hw_prefetch_cpu_online(void);
void memlat_hw_prefetch_identify(void *info);
int memlat_hw_prefetch_read(u32 *off);
int memlat_hw_prefetch_change(u8 want, u8 *held, u8 *lost);

#endif /* MEMLAT_HW_PREFETCH_H */
