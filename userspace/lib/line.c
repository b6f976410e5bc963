// SPDX-License-Identifier: GPL-2.0
#include "line.h"

#include <stdlib.h>

__u64 line_loads(const struct memlat_rec_line *line)
{
	return line->samples - line->stores;
}

__u64 line_hitm(const struct memlat_rec_line *line)
{
	return line->source[MEMLAT_SRC_RHITM] + line->source[MEMLAT_SRC_L3_HITM];
}

/* The slots that have their share of the whole, as bits. */
static unsigned int hot_slots(const __u64 slot[MEMLAT_LINE_SLOTS])
{
	unsigned int i, bits = 0;
	double whole = 0;

	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		whole += (double)slot[i];
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		if (slot[i] && (double)slot[i] >= whole / 100 * LINE_SLOT_PERCENT)
			bits |= 1U << i;
	return bits;
}

bool line_written_elsewhere(const struct memlat_rec_line *line,
			    const struct line_slots *slots)
{
	return line->stores >= LINE_STORES_LEAST &&
	       !(hot_slots(slots->hitm) & hot_slots(slots->store));
}

enum line_reading line_read(const struct memlat_rec_line *line,
			    const struct line_slots *slots)
{
	__u64 hitm = line_hitm(line);
	unsigned int hot;

	if (hitm < LINE_HITM_LEAST ||
	    (double)hitm < (double)line_loads(line) / 100 * LINE_HITM_PERCENT)
		return LINE_PLAIN;
	hot = hot_slots(slots->hitm);
	if (!hot)
		return LINE_PLAIN;
	if (hot & (hot - 1) || line_written_elsewhere(line, slots))
		return LINE_FALSE_SHARING;
	return LINE_TRUE_SHARING;
}

const char *line_order_name(enum line_order order)
{
	static const char *const names[] = {
		[LINE_BY_HITM]		= "hitm",
		[LINE_BY_COST]		= "cost",
		[LINE_BY_LOADS]		= "loads",
		[LINE_BY_STORES]	= "stores",
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
	int ret = falling(a->cost, b->cost);

	if (!ret)
		ret = falling(a->samples, b->samples);
	if (!ret)
		ret = falling(b->space, a->space);
	if (!ret)
		ret = falling(b->gen, a->gen);
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

static int compare_loads(const void *a, const void *b)
{
	int ret = falling(line_loads(a), line_loads(b));

	return ret ? ret : compare_rest(a, b);
}

static int compare_stores(const void *pa, const void *pb)
{
	const struct memlat_rec_line *a = pa, *b = pb;
	int ret = falling(a->stores, b->stores);

	return ret ? ret : compare_rest(a, b);
}

void line_sort(struct memlat_rec_line *lines, size_t nr, enum line_order order)
{
	static int (*const compare[])(const void *, const void *) = {
		[LINE_BY_HITM]		= compare_hitm,
		[LINE_BY_COST]		= compare_cost,
		[LINE_BY_LOADS]		= compare_loads,
		[LINE_BY_STORES]	= compare_stores,
	};

	if (nr)
		qsort(lines, nr, sizeof(*lines), compare[order]);
}
