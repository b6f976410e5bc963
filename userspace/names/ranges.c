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
static int by_start(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	return order(a->start, b->start) ?: order(b->end, a->end) ?: order(b->what, a->what);
}

void ranges_settle(struct ranges *ranges)
{
	__u64 reach = 0;
	size_t i;

	SORT(ranges->rows, ranges->nr, by_start);
	for (i = 0; i < ranges->nr; i++) {
		if (ranges->rows[i].end > reach)
			reach = ranges->rows[i].end;
		ranges->rows[i].reach = reach;
	}
}

const struct range *ranges_find(const struct ranges *ranges, __u64 address)
{
	size_t low = FIRST_WHERE(i, ranges->nr, ranges->rows[i].start > address);

	while (low-- && ranges->rows[low].reach > address)
		if (address < ranges->rows[low].end)
			return &ranges->rows[low];
	return NULL;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->rows);
	*ranges = (struct ranges){ 0 };
}
