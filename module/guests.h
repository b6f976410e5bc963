/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_GUESTS_H
#define MEMLAT_GUESTS_H

#include <linux/types.h>

int memlat_guests_init(void);
void memlat_guests_exit(void);

const char *memlat_guests_watch(bool no_guests);
void memlat_guests_watch_vmx(void);
void memlat_guests_unwatch(void);
void memlat_guests_warn(void);

bool memlat_guests_are_unseen(const char *module);

#endif /* MEMLAT_GUESTS_H */
