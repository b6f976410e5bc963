/* SPDX-License-Identifier: GPL-2.0 */
/* The samples' input for gain.h: all waiting, and the part that a line's false sharing causes. */
#ifndef MEMLAT_GAIN_LINE_H
#define MEMLAT_GAIN_LINE_H

#include "gain.h"
#include "lineset.h"

#define GAIN_L1_CYCLES	5	/* latency of a load whose line is not taken away */

/* Take them from the tables of lines and of accesses. */
void gain_samples_take(struct gain_samples *samples, const struct snapshot *snap);
/*
 * Take the line's loads and stores that become fast if each thread's bytes get their own line.
 * @apart: the part of the fight (0 to 1) that is over different bytes.
 */
void gain_line(struct gain_part *part, const struct lineset *set, const struct lineset_line *line,
	       double apart);

#endif
