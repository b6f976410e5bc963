/* SPDX-License-Identifier: GPL-2.0 */
/* c2c's fifth table: who uses which bytes of the shared lines. */
#ifndef MEMLAT_C2C_PARETO_H
#define MEMLAT_C2C_PARETO_H

#include "c2c.h"
#include "stacks.h"

/* c2c_rows.c: the rows of a shared line, accesses by byte, coalesced as the options ask for. */

/* Accesses to one byte that are alike in what the rows are coalesced by. */
struct c2c_row {
	unsigned int offset;
	/* The heaviest of the accesses. They may differ in what the rows are not coalesced by. */
	const struct memlat_rec_access *access;
	const struct code_name *code;
	struct sums sum;
	__u64 latency_local, latency_remote;	/* of HITM loads */
	__u64 pages;		/* number of physical pages; 0: not known */
	char *node;		/* text in the form that the options ask for */
	const char *data;	/* the data at the byte, as the namer has it; NULL: not known */
	const char *how;	/* how the data is known, as data_how_name() */
	size_t first;		/* sum.nr from here on in c2c_rows.accesses */
};

struct c2c_rows {
	const struct c2c *c2c;
	const struct c2c_line *line;
	struct c2c_row *rows;		/* sorted by offset, then by what is displayed */
	size_t nr_rows;
	size_t left_out;		/* rows with too little of everything */
	__u64 samples;			/* of all rows, including those left out */
	const struct memlat_rec_access **accesses;
};

/* Take the rows of a line that is shown. */
void c2c_rows_take(struct c2c_rows *rows, const struct c2c *c2c, size_t line);
void c2c_rows_free(struct c2c_rows *rows);

/* The function in the symbol table, not one that was inlined; NULL: none. */
const char *c2c_symbol(const struct code_name *code);

/* The loads of a row that were not HITM, which are perf's "cycles load". */
__u64 c2c_row_plain_loads(const struct c2c_row *row);
__u64 c2c_row_plain_latency(const struct c2c_row *row);

struct pareto_entry {
	size_t line;			/* index of the shown line */
	const struct c2c_row *row;	/* NULL: the row of the line itself, with its sums */
};

struct pareto {
	const struct c2c *c2c;
	bool text;			/* contains rows for the lines themselves */
	bool narrow;			/* in text, these have no address */
	struct c2c_rows *lines;		/* for each shown line */
	struct pareto_entry *entries;
	size_t nr_entries;
	struct report_table table;	/* its columns are as the coalescing requires */
};

void pareto_take(struct pareto *pareto, const struct c2c *c2c, bool text);
void pareto_free(struct pareto *pareto);

/* Print, below the table, how many samples and rows it lacks, and why. */
void pareto_print_notes(FILE *out, const struct pareto *pareto);

/* Print, below the table, the heaviest call chains of each row. */
void pareto_print_chains(FILE *out, const struct pareto *pareto);
/* The same chains of a row as a JSON list. */
struct json_object *c2c_chains_json(const struct stacks *stacks, const struct c2c_rows *rows,
				    const struct c2c_row *row);

#endif
