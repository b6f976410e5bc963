/* SPDX-License-Identifier: GPL-2.0 */
/* The sites of memlat-ctl stride as a table, and as sentences for sites whose names are known. */
#ifndef MEMLAT_STRIDE_TABLE_H
#define MEMLAT_STRIDE_TABLE_H

#include "../analysis/stride.h"
#include "report.h"
#include "site_data.h"
#include "stride.h"

struct stride_table {
	const struct stride_view *view;
	struct strides strides;
	struct site_data *data;	/* of the rows that are shown */
	size_t shown;
	bool tlb;			/* the CPU reports STLB misses */
	__u64 cost;			/* cost of all samples */
	struct report_table table;	/* its context is this structure */
};

/* The table must not move until stride_table_free(). */
void stride_table_init(struct stride_table *table, const struct stride_view *view);
void stride_table_free(struct stride_table *table);

/*
 * "walk() (matrix.c:41) loads m (.bss) in steps of 8,192 bytes: ..." for a site that is shown and
 * has a name; NULL for others. Newly allocated.
 */
char *stride_story(const struct stride_table *table, size_t row);

#endif
