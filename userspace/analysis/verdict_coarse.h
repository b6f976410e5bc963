/* SPDX-License-Identifier: GPL-2.0 */
/* A verdict without accesses: they were evicted, and the line's own counts are left. */
#ifndef MEMLAT_VERDICT_COARSE_H
#define MEMLAT_VERDICT_COARSE_H

#include "lineset.h"
#include "signs.h"
#include "verdict.h"

/*
 * CPUs stand for threads, and 8-byte slots for bytes: never more than half sure. What
 * is known of parties stays in *to.
 */
void verdict_coarse(struct verdict_line *to, const struct lineset *set,
		    const struct lineset_line *line);

/* What the line's own counts show of a fight; whose its loads were is not known. */
struct signs verdict_coarse_signs(const struct memlat_rec_line *rec);

#endif
