/* SPDX-License-Identifier: GPL-2.0 */
/* Who uses which byte of a shared line: accesses, coalesced as one asked for. */
#ifndef MEMLAT_C2C_ROWS_H
#define MEMLAT_C2C_ROWS_H

#include "c2c.h"

/* Accesses to one byte that have in common what they are coalesced by. */
struct c2c_row {
	unsigned int offset;
	/* Of the heaviest of them; of what is not coalesced by, others may differ. */
	const struct memlat_rec_access *access;
	const struct code_name *code;
	__u64 samples, stores, store_l1_hit, hitm, rhitm, xsnp_fwd;
	__u64 latency_sum, latency_hitm, latency_rhitm;
	__u64 weight, cost;
	__u64 cpus, nodes;
	__u64 pages;		/* physical pages, 0: not known */
	char *node;		/* as the options want it told */
	char *data;		/* what is there; NULL: not known */
	const char *how;	/* that is known, as data_how_name() */
	size_t first, nr;	/* accesses, in c2c_rows.accesses */
};

struct c2c_rows {
	const struct c2c *c2c;
	const struct c2c_line *line;
	struct c2c_row *rows;		/* by offset, then what is displayed */
	size_t nr_rows;
	size_t left_out;		/* rows that have too little of anything */
	__u64 samples;			/* of all rows, also of those */
	const struct memlat_rec_access **accesses;
};

/* Of a line that is shown. */
void c2c_rows_take(struct c2c_rows *rows, const struct c2c *c2c, size_t line);
void c2c_rows_free(struct c2c_rows *rows);

/* The instruction's names, with kernel code as everybody's. */
const struct code_name *c2c_code(struct namer *namer, const struct memlat_rec_access *access);

/* The function that the symbol table knows there, whatever was inlined; NULL: none. */
const char *c2c_symbol(const struct code_name *code);

/* Loads of a row that were not HITM: what perf means by cycles load. */
__u64 c2c_row_plain_loads(const struct c2c_row *row);
__u64 c2c_row_plain_latency(const struct c2c_row *row);

#endif
