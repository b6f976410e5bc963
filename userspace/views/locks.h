/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which accesses are to a lock? Its word, its owner and its count of waiters are fields of one
 * object, although they look like several variables.
 */
#ifndef MEMLAT_LOCKS_H
#define MEMLAT_LOCKS_H

#include <stdbool.h>

#include "../analysis/lineset.h"
#include "../analysis/verdict.h"
#include "../names/namer.h"

/* A verdict_lock_fn; its context is a struct namer. */
bool locks_is_lock(void *namer, const struct memlat_rec_access *access,
		   struct verdict_lock *lock);

/* A lineset_width_fn; its context is a struct namer. */
unsigned int locks_width(void *namer, const struct memlat_rec_access *access);

/* As locks_is_lock(), by names: of a field and its address, and of a function. Each may be NULL. */
bool locks_by_names(const char *field, const char *function, __u64 addr,
		    struct verdict_lock *lock);

/*
 * The kernel's own work on every machine, whatever runs: it keeps time, counts ticks and manages
 * run queues. Lines of this data are shared, and no program can help it.
 */

/* Is it such a variable, by name, for example "runqueues of CPU 3"? NULL: not known. */
bool housekeeping_name(const char *name);

/* Is it a clock? All of a clock is written at once, so its fields count as one. */
bool housekeeping_clock(const char *name);

/* Is it a line of such data, by the variable that most of its samples access? */
bool housekeeping_line(struct namer *namer, const struct memlat_rec_line *line);

#endif
