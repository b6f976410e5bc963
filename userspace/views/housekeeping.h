/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel does to itself on every machine, whatever runs: it keeps time, counts
 * ticks and looks after run queues. Its lines are shared, and no program's fault.
 */
#ifndef MEMLAT_HOUSEKEEPING_H
#define MEMLAT_HOUSEKEEPING_H

#include <stdbool.h>

#include "../analysis/lineset.h"
#include "../names/namer.h"

/* By the name of a variable: "runqueues of CPU 3". NULL: not known. */
bool housekeeping_name(const char *name);

/* Of these, a clock: all of it is written at once, so that its fields are one thing. */
bool housekeeping_clock(const char *name);

/* A line of the kernel's memory, by what most of it is used for. */
bool housekeeping_line(struct namer *namer, const struct memlat_rec_line *line);

#endif
