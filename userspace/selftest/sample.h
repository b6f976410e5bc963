/* SPDX-License-Identifier: GPL-2.0 */
/* One session around one of the programs, and what came back. */
#ifndef MEMLAT_SELFTEST_SAMPLE_H
#define MEMLAT_SELFTEST_SAMPLE_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "work.h"

#define SAMPLE_WHY	160

struct sample {
	struct work work;		/* in: what is done */
	const char *name;		/* in: stable, for machines */
	__u32 ldlat;			/* in */
	__u64 period;			/* in */
	__u64 wanted;			/* in: samples that are enough */
	unsigned int seconds;		/* in: that it may take */
	__u32 flags;			/* in: beside those of every session here */

	bool taken;			/* all below is known */
	int refused;			/* errno of the start; 0: it was not that */
	struct memlat_config config;	/* as the start left it */
	char why[SAMPLE_WHY];		/* not taken, in words */
	struct memlat_status status;	/* after the stop */
	const char *broken;		/* equation that does not hold; NULL: all do */
	char broken_text[SAMPLE_WHY];
	__u64 steps;
	double cycles;			/* of a step, by the clock */
	__u64 loads[MEMLAT_SRC_NR];	/* samples by source */
	__u64 latency[MEMLAT_SRC_NR];	/* their cycles */
	__u64 line_loads, line_near, line_far;	/* of the words: all, HITM here, remote HITM */
};

/* Run it; sample->taken says whether there is anything to judge. */
void sample_take(struct sample *sample, int device, const struct memlat_query *query);

#endif
