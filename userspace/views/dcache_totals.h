/* SPDX-License-Identifier: GPL-2.0 */
/* The totals of dcache, and the sources that served the misses. */
#ifndef MEMLAT_DCACHE_TOTALS_H
#define MEMLAT_DCACHE_TOTALS_H

#include "../analysis/scale.h"
#include "dcache.h"
#include "report.h"

void dcache_totals_print(FILE *out, const struct dcache_view *view);
struct json_object *dcache_totals_json(const struct dcache_view *view);

/* A source of misses, with its share, its latency and its edge. */
struct dcache_served {
	const struct dcache_view *view;
	struct dcache_sum sum;
	struct scale scale;
	size_t nr;
	enum memlat_source source[MEMLAT_SRC_NR];
	struct report report;
};

void dcache_served_init(struct dcache_served *served, const struct dcache_view *view);

/* Print the headings of the latency buckets, and where their edges come from. */
void dcache_edges_print(FILE *out, const struct dcache_view *view);
struct json_object *dcache_edges_json(const struct dcache_view *view);

#endif
