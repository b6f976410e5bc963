/* SPDX-License-Identifier: GPL-2.0 */
/* What perf's engine can sample here, what the kernel allows it, and what to type if it does not. */
#ifndef MEMLAT_ENGINE_WHY_H
#define MEMLAT_ENGINE_WHY_H

#include <linux/memlat.h>

#include "../host/cpu_models.h"

#define ENGINE_MEMORY	(64ULL << 20)	/* of the tables, as with the module */

/* This CPU, and its part of the query. */
struct cpu_identity engine_cpu(struct memlat_query *query);
/* All of the query, as the module would answer. 0, or -ENOENT: the kernel samples no loads here. */
int engine_query(struct memlat_query *query);
/* Most samples per second that the kernel allows an event; 0: not known. */
__u64 engine_most_rate(void);

/* Does the kernel's watchdog for lockups have a counter? */
bool engine_watchdog(void);

/*
 * Why perf_event_open() refused to sample this, and what to type: text of out_complain(), valid
 * until the next call. error: -errno.
 */
const char *engine_why(int error, const struct memlat_config *config);
/* Why a ring cannot be mapped, although its events were opened. */
const char *engine_why_ring(int error);
/* The kernel's own loads are left out, in one line. */
const char *engine_why_no_kernel(void);

#endif
