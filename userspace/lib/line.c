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

__u64 line_cross_core(const struct memlat_rec_line *line)
{
	return line_hitm(line) + line->source[MEMLAT_SRC_L3_SNOOP] +
	       line->source[MEMLAT_SRC_RCACHE];
}

static bool counts(const struct memlat_rec_line *line, __u64 loads, __u64 latency)
{
	if (loads < LINE_HITM_LEAST)
		return false;
	/* With a low threshold fast loads are many, but are not what takes the time. */
	return (double)loads >= (double)line_loads(line) / 100 * LINE_HITM_PERCENT ||
	       (latency && (double)latency >=
			   (double)line->latency_sum / 100 * LINE_HITM_PERCENT);
}

bool line_hitm_counts(const struct memlat_rec_line *line)
{
	return counts(line, line_hitm(line), line->latency[MEMLAT_SRC_L3_HITM] +
					     line->latency[MEMLAT_SRC_RHITM]);
}

static __u64 cross_latency(const struct memlat_rec_line *line)
{
	return line->latency[MEMLAT_SRC_L3_HITM] + line->latency[MEMLAT_SRC_RHITM] +
	       line->latency[MEMLAT_SRC_L3_SNOOP] + line->latency[MEMLAT_SRC_RCACHE];
}

bool line_crosses_count(const struct memlat_rec_line *line)
{
	return counts(line, line_cross_core(line), cross_latency(line));
}

bool line_buffers_count(const struct memlat_rec_line *line)
{
	__u64 waiting = line->source[MEMLAT_SRC_LFB], cross = line_cross_core(line);
	__u64 fetched = line_loads(line) - waiting - line->source[MEMLAT_SRC_L1];

	return line_hitm(line) && cross * 2 >= fetched &&
	       counts(line, cross + waiting,
		      cross_latency(line) + line->latency[MEMLAT_SRC_LFB]);
}

bool line_waits_count(const struct memlat_rec_line *line)
{
	__u64 missed = line->stores - line->store_l1_hit;

	if (counts(line, line_cross_core(line) + line->source[MEMLAT_SRC_LFB],
		   cross_latency(line) + line->latency[MEMLAT_SRC_LFB]))
		return true;
	return line->store_l1_hit <= line->stores && missed >= LINE_STORES_LEAST &&
	       (double)missed >= (double)line->stores / 100 * LINE_HITM_PERCENT;
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
