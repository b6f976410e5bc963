/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signs of a fight over a line: samples that show that a core took it from another one. What
 * a verdict takes of them, whether it goes by accesses or, where these were evicted, by the
 * line's own counts.
 */
#ifndef MEMLAT_SIGNS_H
#define MEMLAT_SIGNS_H

#include <stdbool.h>

#include "verdict.h"

#define SIGNS_LEAST	10U	/* fewer do not say over what a fight is, or that there is none */
#define SIGNS_STORES	3	/* samples: fewer may be of when it was set up */

struct signs {
	bool several;			/* threads use it; of CPUs where no thread is known */
	unsigned int storing;		/* of these, how many were seen to store */
	unsigned int writers;		/* and with a part of the stores that counts */
	__u64 taken;			/* others' fetched loads, stores that found it elsewhere */
	double stores, forwarded;	/* weights, or samples */
};

/* A store makes one load find the line modified, and the next ones find it clean. */
bool signs_explain_forwards(const struct signs *signs);

/* Are the samples too few for this verdict? */
enum verdict_few signs_few(enum verdict verdict, const struct memlat_rec_line *rec,
			   const struct signs *signs);

#endif
