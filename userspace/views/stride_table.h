/* SPDX-License-Identifier: GPL-2.0 */
/* The sites of memlat-ctl stride as a table, and the sentences about those that are named. */
#ifndef MEMLAT_STRIDE_TABLE_H
#define MEMLAT_STRIDE_TABLE_H

#include "../analysis/stride.h"
#include "report.h"
#include "site_data.h"
#include "stride.h"

struct stride_table {
	const struct stride_view *view;
	struct strides strides;
	struct site_data *data;	/* of those shown */
	size_t shown;
	bool tlb;			/* the CPU tells STLB misses */
	__u64 cost;			/* of everything */
	struct report_table table;	/* its context is this */
};

/* It stays where it is until stride_table_free(). */
void stride_table_init(struct stride_table *table, const struct stride_view *view);
void stride_table_free(struct stride_table *table);

/*
 * "walk() (matrix.c:41) loads m (.bss) in steps of 8,192 bytes: ..." of a site that is
 * shown and named; NULL for others. Newly allocated.
 */
char *stride_story(const struct stride_table *table, size_t row);

#endif
