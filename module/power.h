/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_POWER_H
#define MEMLAT_POWER_H

int memlat_power_init(void);
void memlat_power_exit(void);

#endif /* MEMLAT_POWER_H */
