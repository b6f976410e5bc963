/* SPDX-License-Identifier: GPL-2.0 */
/* What loads wait for, by data: variable, field, heap site, region. */
#ifndef MEMLAT_VIEW_DATA_H
#define MEMLAT_VIEW_DATA_H

#include <stdbool.h>
#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"
#include "row.h"

/* data_rows.c: accesses added up by the data that they access. */

enum data_by {
	DATA_BY_VARIABLE,	/* global, static, thread-local, and the kernel's variables */
	DATA_BY_FIELD,		/* of variables and of heap objects */
	DATA_BY_SITE,		/* heap objects by place of allocation */
	DATA_BY_TYPE,		/* objects whose type the instructions reveal */
	DATA_BY_OBJECT,		/* the same objects, one by one */
	DATA_BY_REGION,		/* all memory, by kind and mapping */
	DATA_TABLES
};

#define DATA_WHO	3	/* most threads that are named */

struct data_who {
	__u32 tgid, gen, tid;
	__u64 samples, cost;
};

struct data_row {
	const struct memlat_rec_access *access;	/* the costliest access */
	const struct data_name *name;		/* of that access */
	__u64 samples, stores, hitm, rhitm;
	__u64 latency, latency_max;
	__u64 weight, cost;
	__u64 cpus, nodes;
	__u64 lowest, highest;			/* lowest and highest address */
	__u64 cost_before;			/* sum of the rows above */
	size_t nr_threads;
	struct data_who who[DATA_WHO];		/* by cost, or by samples if there is no cost */
};

struct data_rows {
	enum data_by by;
	size_t nr;
	struct data_row *rows;	/* the costliest first */
};

struct data_named {
	const struct memlat_rec_access *access;
	const struct data_name *name;
};

/* The names of all accesses, looked up once for all tables. */
struct data_names {
	size_t nr;
	struct data_named *named;
};

void data_names_find(struct data_names *names, const struct profile *profile, struct namer *namer);
void data_names_free(struct data_names *names);

void data_rows_find(struct data_rows *rows, const struct data_names *names, enum data_by by);
void data_rows_free(struct data_rows *rows);

/*
 * A name of the row that has most of these accesses by weight. Sets most to the row's weight. NULL:
 * none has any.
 */
const struct data_name *data_most(const struct data_named *named, size_t nr, enum data_by by,
				  __u64 (*weight)(const struct memlat_rec_access *access),
				  __u64 *most);

/* The area of the kernel's memory, if nothing more is known; NULL: it is a variable. */
const char *data_kernel_area(const struct data_name *name);

struct data_view {
	const struct profile *profile;
	struct namer *namer;
	unsigned int by;	/* the tables wanted, as bits by enum data_by */
	size_t show;		/* rows of each table; 0: all */
	bool fold;		/* leave out rows, see row_fold() */
	size_t width;		/* columns of the terminal */
};

void data_print(FILE *out, const struct data_view *view);
void data_csv(FILE *out, const struct data_view *view);
struct json_object *data_json(const struct data_view *view);

#endif
