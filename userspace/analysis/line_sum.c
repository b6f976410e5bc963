// SPDX-License-Identifier: GPL-2.0
#include "line_sum.h"

#include "../profile/merge_rows.h"

void line_add(struct memlat_rec_line *to, const struct memlat_rec_line *from)
{
	const __u32 shared = to->shared;

	row_join(TABLE_LINES, to, from, false);
	to->error += from->error;
	to->shared = to->space != from->space || to->gen != from->gen ? 1 : shared;
}
