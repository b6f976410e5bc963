/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CHARDEV_H
#define MEMLAT_CHARDEV_H

int memlat_chardev_init(void);
void memlat_chardev_exit(void);

#endif /* MEMLAT_CHARDEV_H */
