/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PHYS_H
#define MEMLAT_HW_PHYS_H

#include <linux/types.h>

u64 memlat_phys_line(u64 addr);

#endif /* MEMLAT_HW_PHYS_H */
