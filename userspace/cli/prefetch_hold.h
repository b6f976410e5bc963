/* SPDX-License-Identifier: GPL-2.0 */
/* Turn prefetchers off and put them back, and say in words why that is refused. */
#ifndef MEMLAT_PREFETCH_HOLD_H
#define MEMLAT_PREFETCH_HOLD_H

#include <stdbool.h>

#include <linux/memlat.h>

/* MEMLAT_IOC_PREFETCH on an open device; p gets the answer. False after printing why not. */
bool prefetch_ask(int fd, const struct memlat_query *query, struct memlat_prefetch *p);

/*
 * Turn these prefetchers (kinds 0: all) off on these CPUs (cpus NULL: all) while the device is open
 * here. Its last close puts them back as they were found, even if this process is killed. False
 * after printing why not.
 */
bool prefetch_hold(int fd, const struct memlat_query *query, __u32 kinds, const __u64 *cpus);

/* Put back at once what fd holds. False after printing why not. */
bool prefetch_release(int fd, const struct memlat_query *query);

#endif
