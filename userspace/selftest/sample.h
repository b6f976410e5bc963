/* SPDX-License-Identifier: GPL-2.0 */
/* One session during one of the programs, and its results. */
#ifndef MEMLAT_SELFTEST_SAMPLE_H
#define MEMLAT_SELFTEST_SAMPLE_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "work.h"

#define SAMPLE_WHY	160

struct sample {
	struct work work;		/* in: the program */
	const char *name;		/* in: a stable name, for machines */
	__u32 ldlat;			/* in */
	__u64 period;			/* in */
	__u64 wanted;			/* in: number of samples that is enough */
	unsigned int seconds;		/* in: time limit */
	__u32 flags;			/* in: besides those of every session of the selftest */

	bool taken;			/* the members below are valid */
	int refused;			/* errno of the start; 0: it succeeded */
	struct memlat_config config;	/* as after the start */
	char why[SAMPLE_WHY];		/* why not, in words; "" */
	struct memlat_status status;	/* after the stop */
	const char *broken;		/* the equation that does not hold; NULL: all do */
	char broken_text[SAMPLE_WHY];
	__u64 steps;
	double cycles;			/* of a step, by the clock */
	__u64 loads[MEMLAT_SRC_NR];	/* samples by source */
	__u64 latency[MEMLAT_SRC_NR];	/* their cycles */
	/* of the shared words: all, HITM on this socket, HITM remote */
	__u64 line_loads, line_near, line_far;
};

/* Run it. If sample->taken is set, there are results to judge. */
void sample_take(struct sample *sample, int device, const struct memlat_query *query);

#endif
