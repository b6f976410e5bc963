/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_WATCH_H
#define MEMLAT_WATCH_H

#include <linux/types.h>

int memlat_watch_init(void);
void memlat_watch_exit(void);

void memlat_watch_cpu(unsigned int cpu);
void memlat_watch_leave_cpu(unsigned int cpu);
void memlat_watch_trouble(u32 end);
u32 memlat_watch_found(void);
u32 memlat_watch_settle(void);
void memlat_watch_log_end(u32 end);

#endif /* MEMLAT_WATCH_H */
