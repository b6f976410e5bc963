/* SPDX-License-Identifier: GPL-2.0 */
/* Cache misses of loads by load module, function, source line and instruction. */
#ifndef MEMLAT_VIEW_DCACHE_H
#define MEMLAT_VIEW_DCACHE_H

#include <stdbool.h>
#include <stdio.h>

#include "../analysis/waits.h"
#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"
#include "disasm.h"
#include "figures.h"
#include "levels.h"
#include "row.h"

/* dcache_rows.c: instructions added up by load module, function, or source line. */

enum dcache_by {
	DCACHE_MODULE,
	DCACHE_FUNCTION,
	DCACHE_LINE,
	DCACHE_INSTRUCTION,
	DCACHE_BY
};

/* The sums over the samples of some instructions. */
struct dcache_sum {
	__u64 samples, stores;
	__u64 hits, misses;		/* loads served from L1; all other loads */
	__u64 latency;			/* cycles of the misses */
	__u64 hits_latency;
	__u64 weight, cost;		/* of all samples */
	/* estimated number of misses that the sampled ones stand for */
	__u64 est_misses;
	__u64 bucket[MEMLAT_BUCKETS];	/* misses by latency */
	__u64 source[MEMLAT_SRC_NR];
	__u64 part[MEMLAT_PART_NR];
};

struct dcache_row {
	const struct memlat_rec_site *site;	/* the costliest of the instructions */
	const struct code_name *name;		/* of that instruction */
	size_t nr_sites;
	__u64 cost_before;			/* sum of the rows above */
	struct dcache_sum sum;
};

struct dcache_rows {
	enum dcache_by by;
	size_t nr;
	struct dcache_row *rows;	/* the costliest first */
};

void dcache_rows_find(struct dcache_rows *rows, const struct profile *profile,
		      struct namer *namer, enum dcache_by by);
void dcache_rows_free(struct dcache_rows *rows);

struct dcache_view {
	const struct profile *profile;
	struct namer *namer;
	unsigned int by;	/* bits by enum dcache_by: the tables wanted */
	bool buckets;		/* latency buckets too */
	size_t show;		/* rows of each table; 0: all */
	bool fold;		/* leave out rows, see row_fold() */
	size_t width;		/* columns of the terminal */
};

void dcache_print(FILE *out, const struct dcache_view *view);
void dcache_csv(FILE *out, const struct dcache_view *view);
struct json_object *dcache_json(const struct dcache_view *view);

/* A table of dcache as a report: its columns. */

struct dcache_table {
	const struct dcache_view *view;
	struct dcache_rows rows;
	struct disasm *disasm;		/* NULL: do not show instructions */
	struct site_data *data;		/* of each row in rows; NULL: do not show data */
	struct levels levels;
	struct scale scale;
	__u64 busy;			/* busy cycles, 0: not known */
	struct grid grid;
};

/* The table must not move until dcache_table_free(). */
void dcache_table_init(struct dcache_table *table, const struct dcache_view *view,
		       enum dcache_by by);
void dcache_table_free(struct dcache_table *table);

/* The code around the first rows of a table by instruction, the most costly ones. */
void dcache_code_print(FILE *out, const struct dcache_table *table);
struct json_object *dcache_code_json(const struct dcache_table *table);

#endif
