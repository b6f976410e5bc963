/* SPDX-License-Identifier: GPL-2.0 */
/* c2c's fifth table: who uses which bytes of the shared lines. */
#ifndef MEMLAT_C2C_PARETO_H
#define MEMLAT_C2C_PARETO_H

#include "c2c_rows.h"

struct pareto_entry {
	size_t line;			/* of those shown */
	const struct c2c_row *row;	/* NULL: the line's own row, with its sums */
};

#define PARETO_COLUMNS_MAX	40

struct pareto {
	const struct c2c *c2c;
	bool text;			/* with rows for the lines themselves */
	struct c2c_rows *lines;		/* by line shown */
	struct pareto_entry *entries;
	size_t nr_entries;
	struct report_column columns[PARETO_COLUMNS_MAX];	/* as coalesced */
	size_t nr_columns;
};

void pareto_take(struct pareto *pareto, const struct c2c *c2c, bool text);
void pareto_free(struct pareto *pareto);

struct report pareto_report(const struct pareto *pareto);
/* Samples and rows that the table does not have, and why; after it. */
void pareto_print_notes(FILE *out, const struct pareto *pareto);

#endif
