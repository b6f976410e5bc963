/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_STILL_H
#define MEMLAT_HW_STILL_H

#include <linux/types.h>

/* CPUs that are armed and busy, but whose counters stand still. */
void memlat_still_setup(void);
bool memlat_still_check(void);
void memlat_still_warn(void);
unsigned int memlat_still_cpus(void);

#endif /* MEMLAT_HW_STILL_H */
