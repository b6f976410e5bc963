/* SPDX-License-Identifier: GPL-2.0 */
/* Judge a line whose accesses were evicted, by the line's own counts. */
#ifndef MEMLAT_VERDICT_COARSE_H
#define MEMLAT_VERDICT_COARSE_H

#include "lineset.h"
#include "signs.h"
#include "verdict.h"

/*
 * CPUs stand for threads here, and 8-byte slots for bytes. So the verdict is never more than 50 %
 * sure. The parties in *to stay as they are.
 */
void verdict_coarse(struct verdict_line *to, const struct lineset *set,
		    const struct lineset_line *line);

/* The signs of a fight in the line's own counts. They do not tell which thread made the loads. */
struct signs verdict_coarse_signs(const struct memlat_rec_line *rec);

#endif
