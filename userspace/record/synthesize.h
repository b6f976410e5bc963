/* SPDX-License-Identifier: GPL-2.0 */
/* Read processes from /proc that began before the kernel was listened to. */
#ifndef MEMLAT_SYNTHESIZE_H
#define MEMLAT_SYNTHESIZE_H

#include <linux/types.h>

struct history;
struct snapshot;

/* Read all processes. Those that have ended or are hidden are left out. */
void synthesize_all(struct history *history);
/* Read the process of this process id or thread id. */
void synthesize_one(struct history *history, __u32 task);
/* Read the live processes in the tables, for mappings that were not reported. */
void synthesize_sampled(struct history *history, const struct snapshot *snap);

#endif
