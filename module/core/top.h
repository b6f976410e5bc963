/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_TOP_H
#define MEMLAT_CORE_TOP_H

#include <uapi/linux/memlat.h>

#include "types.h"

#define MEMLAT_TOP	64

/**
 * struct memlat_top - the hottest lines
 * @line: in descending order
 * @tag: a byte of the address of each, so that one is found without looking at all
 * @lines: how many
 *
 * More than anyone is shown, so that the first ones stay true when some leave.
 */
struct memlat_top {
	const struct memlat_rec_line *line[MEMLAT_TOP];
	u8 tag[MEMLAT_TOP];
	unsigned int lines;
};

void memlat_top_drop(struct memlat_top *top, const struct memlat_rec_line *line);
void memlat_top_update(struct memlat_top *top, const struct memlat_rec_line *line);

#endif /* MEMLAT_CORE_TOP_H */
