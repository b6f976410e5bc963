/* SPDX-License-Identifier: GPL-2.0 */
/* Prefetchers turned off and put back, with words when that is refused. */
#ifndef MEMLAT_PREFETCH_HOLD_H
#define MEMLAT_PREFETCH_HOLD_H

#include <stdbool.h>

#include <linux/memlat.h>

/* MEMLAT_IOC_PREFETCH of an open device; its answer is in p. False after saying why not. */
bool prefetch_ask(int fd, const struct memlat_query *query, struct memlat_prefetch *p);

/*
 * All prefetchers (kinds 0), or these, off on all CPUs (cpus NULL), or these, for as
 * long as the device stays open here: through its last close they are put back as
 * they were found, so also when this process is killed. False after saying why not.
 */
bool prefetch_hold(int fd, const struct memlat_query *query, __u32 kinds, const __u64 *cpus);

/* Put back at once what is held through fd. False after saying why not. */
bool prefetch_release(int fd, const struct memlat_query *query);

#endif
