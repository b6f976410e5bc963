/* SPDX-License-Identifier: GPL-2.0 */
/* c2c's fifth table: who uses which bytes of the shared lines. */
#ifndef MEMLAT_C2C_PARETO_H
#define MEMLAT_C2C_PARETO_H

#include "c2c_rows.h"
#include "stacks.h"

struct pareto_entry {
	size_t line;			/* index of the shown line */
	const struct c2c_row *row;	/* NULL: the row of the line itself, with its sums */
};

#define PARETO_COLUMNS_MAX	40

struct pareto {
	const struct c2c *c2c;
	bool text;			/* contains rows for the lines themselves */
	struct c2c_rows *lines;		/* for each shown line */
	struct pareto_entry *entries;
	size_t nr_entries;
	struct report_column columns[PARETO_COLUMNS_MAX];	/* as the coalescing requires */
	size_t nr_columns;
};

void pareto_take(struct pareto *pareto, const struct c2c *c2c, bool text);
void pareto_free(struct pareto *pareto);

struct report pareto_report(const struct pareto *pareto);
/* Print, below the table, how many samples and rows it lacks, and why. */
void pareto_print_notes(FILE *out, const struct pareto *pareto);

/* c2c_chains.c: print, below the table, the heaviest call chains of each row. */
void pareto_print_chains(FILE *out, const struct pareto *pareto);
/* The same chains of a row as a JSON list. */
struct json_object *c2c_chains_json(const struct stacks *stacks, const struct c2c_rows *rows,
				    const struct c2c_row *row);

#endif
