/* SPDX-License-Identifier: GPL-2.0 */
/* Explain why a start was refused, and what to type. */
#ifndef MEMLAT_REFUSAL_H
#define MEMLAT_REFUSAL_H

#include <linux/memlat.h>

#include "../util/out.h"

/*
 * Explain the answer of MEMLAT_IOC_START: error is its errno, config is as it came back. fd is the
 * device, to ask about the session that is running.
 */
enum exit_status refusal_explain(int fd, int error,
				 const struct memlat_config *config,
				 const struct memlat_query *query);
/* Why perf_event_open() refuses the cgroup that --cgroup names; NULL: it is not because of that. */
const char *refusal_perf_cgroup(int error);

#endif
