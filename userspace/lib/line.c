// SPDX-License-Identifier: GPL-2.0
#include "line.h"

#include <stdlib.h>

__u64 line_hitm(const struct memlat_rec_line *line)
{
	return line->source[MEMLAT_SRC_RHITM] + line->source[MEMLAT_SRC_L3_HITM];
}

enum line_reading line_read(const struct memlat_rec_line *line)
{
	__u64 hitm = line_hitm(line);
	unsigned int i, slots = 0;

	if (hitm < LINE_HITM_LEAST ||
	    (double)hitm < (double)line->samples / 100 * LINE_HITM_PERCENT)
		return LINE_PLAIN;
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		slots += line->slot_hitm[i] &&
			 (double)line->slot_hitm[i] >=
				(double)hitm / 100 * LINE_SLOT_PERCENT;
	if (slots > 1)
		return LINE_FALSE_SHARING;
	return slots ? LINE_TRUE_SHARING : LINE_PLAIN;
}

const char *line_order_name(enum line_order order)
{
	static const char *const names[] = {
		[LINE_BY_HITM]	= "hitm",
		[LINE_BY_COST]	= "cost",
		[LINE_BY_LOADS]	= "loads",
	};

	return names[order];
}

static int falling(__u64 a, __u64 b)
{
	return a > b ? -1 : a < b;
}

static int compare_rest(const struct memlat_rec_line *a,
			const struct memlat_rec_line *b)
{
	int ret = falling(a->latency_sum, b->latency_sum);

	if (!ret)
		ret = falling(b->space, a->space);
	return ret ? ret : falling(b->addr, a->addr);
}

static int compare_hitm(const void *a, const void *b)
{
	int ret = falling(line_hitm(a), line_hitm(b));

	return ret ? ret : compare_rest(a, b);
}

static int compare_cost(const void *a, const void *b)
{
	return compare_rest(a, b);
}

static int compare_loads(const void *pa, const void *pb)
{
	const struct memlat_rec_line *a = pa, *b = pb;
	int ret = falling(a->samples, b->samples);

	return ret ? ret : compare_rest(a, b);
}

void line_sort(struct memlat_rec_line *lines, size_t nr, enum line_order order)
{
	static int (*const compare[])(const void *, const void *) = {
		[LINE_BY_HITM]	= compare_hitm,
		[LINE_BY_COST]	= compare_cost,
		[LINE_BY_LOADS]	= compare_loads,
	};

	if (nr)
		qsort(lines, nr, sizeof(*lines), compare[order]);
}
