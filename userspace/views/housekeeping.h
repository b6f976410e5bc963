/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own work on every machine, whatever runs: it keeps time, counts ticks and manages
 * run queues. Lines of this data are shared, and no program can help it.
 */
#ifndef MEMLAT_HOUSEKEEPING_H
#define MEMLAT_HOUSEKEEPING_H

#include <stdbool.h>

#include "../analysis/lineset.h"
#include "../names/namer.h"

/* Is it such a variable, by name, for example "runqueues of CPU 3"? NULL: not known. */
bool housekeeping_name(const char *name);

/* Is it a clock? All of a clock is written at once, so its fields count as one. */
bool housekeeping_clock(const char *name);

/* Is it a line of such data, by the variable that most of its samples access? */
bool housekeeping_line(struct namer *namer, const struct memlat_rec_line *line);

#endif
