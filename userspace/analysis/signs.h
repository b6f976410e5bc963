/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signs of a fight over a line: samples which show that a core took the line from another one. A
 * verdict counts them from the accesses, or, if these were evicted, from the line's own counts.
 */
#ifndef MEMLAT_SIGNS_H
#define MEMLAT_SIGNS_H

#include <stdbool.h>

#include "verdict.h"

#define SIGNS_LEAST	10U	/* fewer decide nothing about a fight */
#define SIGNS_STORES	3	/* samples; fewer may come from the initialization */

struct signs {
	bool several;			/* several threads (or CPUs) use it */
	unsigned int storing;		/* threads that were seen to store */
	unsigned int writers;		/* threads with a relevant part of the stores */
	__u64 taken;			/* others' fetched loads; stores that found it elsewhere */
	double stores, forwarded;	/* weights, or samples */
};

/*
 * Do the stores explain the forwarded loads? After a store, one load finds the line modified, and
 * later ones find it clean.
 */
bool signs_explain_forwards(const struct signs *signs);

/* Are the samples too few for this verdict? */
enum verdict_few signs_few(enum verdict verdict, const struct memlat_rec_line *rec,
			   const struct signs *signs);

#endif
