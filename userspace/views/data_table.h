/* SPDX-License-Identifier: GPL-2.0 */
/* A table of data as a report: its columns. */
#ifndef MEMLAT_DATA_TABLE_H
#define MEMLAT_DATA_TABLE_H

#include "data.h"
#include "report.h"

struct data_table {
	const struct data_view *view;
	struct data_rows rows;
	__u64 whole;			/* cost of all samples */
	struct report_table table;
};

/* The table must not move until data_table_free(). */
void data_table_init(struct data_table *table, const struct data_view *view,
		     const struct data_names *names, enum data_by by);
void data_table_free(struct data_table *table);

#endif
