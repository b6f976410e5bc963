/* SPDX-License-Identifier: GPL-2.0 */
/* What samples have of the waiting that gain.h divides: all of it, and a line's false sharing. */
#ifndef MEMLAT_GAIN_LINE_H
#define MEMLAT_GAIN_LINE_H

#include "gain.h"
#include "lineset.h"

#define GAIN_L1_CYCLES	5	/* of a load whose line nobody takes away */

/* Of the tables of lines and of accesses. */
void gain_samples_take(struct gain_samples *samples, const struct snapshot *snap);
/*
 * Its loads and stores that nobody would disturb, if each thread's bytes had a line of their own.
 * apart: the part of the fight (0 to 1) that is over different bytes.
 */
void gain_line(struct gain_part *part, const struct lineset *set, const struct lineset_line *line,
	       double apart);

#endif
