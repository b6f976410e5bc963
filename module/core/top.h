/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_TOP_H
#define MEMLAT_CORE_TOP_H

#include <uapi/linux/memlat.h>

#include "types.h"

#define MEMLAT_TOP	64

/**
 * struct memlat_top - the hottest lines
 * @line: the lines, hottest first
 * @tag: a byte of a hash of each line's address, so that a search compares few lines
 * @lines: number of lines
 *
 * The list has more lines than are shown, so that the first ones stay right when lines are evicted.
 */
struct memlat_top {
	const struct memlat_rec_line *line[MEMLAT_TOP];
	u8 tag[MEMLAT_TOP];
	unsigned int lines;
};

void memlat_top_drop(struct memlat_top *top, const struct memlat_rec_line *line);
void memlat_top_update(struct memlat_top *top, const struct memlat_rec_line *line);

#endif /* MEMLAT_CORE_TOP_H */
