/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_PREFETCH_H
#define MEMLAT_PREFETCH_H

#include <uapi/linux/memlat.h>

int memlat_prefetch_init(void);
void memlat_prefetch_exit(void);

/* @file identifies the open file. */
int memlat_prefetch(struct memlat_prefetch *p, const void *file);
void memlat_prefetch_closed(const void *file);

/* Called when the machine is suspended, resumed or shut down. */
void memlat_prefetch_suspend(void);
void memlat_prefetch_resume(void);
void memlat_prefetch_shut_down(void);

#endif /* MEMLAT_PREFETCH_H */
