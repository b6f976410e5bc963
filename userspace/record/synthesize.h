/* SPDX-License-Identifier: GPL-2.0 */
/* What lived before it could be listened to, from /proc. */
#ifndef MEMLAT_SYNTHESIZE_H
#define MEMLAT_SYNTHESIZE_H

#include <linux/types.h>

struct history;
struct snapshot;

/* All processes; those that are gone or hidden are left out. */
void synthesize_all(struct history *history);
/* That of this process or thread. */
void synthesize_one(struct history *history, __u32 task);
/* Those of the tables that still live: what they mapped without being heard. */
void synthesize_sampled(struct history *history, const struct snapshot *snap);

#endif
