/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compare latency with the time that CPUs had. Latencies overlap each other and other work, so
 * their sum is no share of time. It is an upper bound of the time that was spent waiting.
 */
#ifndef MEMLAT_WAITING_H
#define MEMLAT_WAITING_H

#include <stdio.h>

#include "../profile/snapshot.h"

/*
 * Print ", at most 9.2% of busy cycles by estimate", or ", 6.1 of its loads waiting at once by
 * estimate"; nothing if busy cycles were not counted.
 */
void waiting_print(FILE *out, const struct snapshot *snap, __u64 cost);

#endif
