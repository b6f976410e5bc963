/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SYSFS_H
#define MEMLAT_SYSFS_H

int memlat_sysfs_init(void);
void memlat_sysfs_exit(void);

#endif /* MEMLAT_SYSFS_H */
