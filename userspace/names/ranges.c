// SPDX-License-Identifier: GPL-2.0
#include "ranges.h"

#include <stdlib.h>

#include "../util/order.h"
#include "../util/search.h"
#include "../util/xalloc.h"

void ranges_add(struct ranges *ranges, __u64 start, __u64 end, size_t what)
{
	if (end <= start)
		return;
	ARRAY_GROW(ranges->rows, ranges->nr + 1, ranges->room);
	ranges->rows[ranges->nr++] = (struct range){ .start = start, .end = end, .what = what };
}

/* If several ranges have one start, the inner one is last, so that ranges_find() meets it first. */
COMPARE(by_start, struct range,
	order(a->start, b->start) ?: order(b->end, a->end) ?: order(b->what, a->what))

void ranges_settle(struct ranges *ranges)
{
	struct range *rows = ranges->rows;
	size_t i, outer;

	SORT(rows, ranges->nr, by_start);
	for (i = 0; i < ranges->nr; i++) {
		for (outer = i; outer && rows[outer - 1].end <= rows[i].end; )
			outer = rows[outer - 1].outer;
		rows[i].outer = outer;
	}
}

const struct range *ranges_find(const struct ranges *ranges, __u64 address)
{
	const struct range *rows = ranges->rows;
	size_t at = FIRST_WHERE(i, ranges->nr, rows[i].start > address);

	while (at && address >= rows[at - 1].end)
		at = rows[at - 1].outer;
	return at ? &rows[at - 1] : NULL;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->rows);
	*ranges = (struct ranges){ 0 };
}
