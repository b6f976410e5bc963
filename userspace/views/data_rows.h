/* SPDX-License-Identifier: GPL-2.0 */
/* Accesses added up by what they are accesses to: rows of data. */
#ifndef MEMLAT_DATA_ROWS_H
#define MEMLAT_DATA_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "../analysis/floor.h"
#include "../names/namer.h"
#include "../profile/profile.h"

enum data_by {
	DATA_BY_VARIABLE,	/* global, static, thread-local, the kernel's */
	DATA_BY_FIELD,		/* of these, and of heap objects */
	DATA_BY_SITE,		/* heap objects, by where they were allocated */
	DATA_BY_TYPE,		/* objects whose type instructions tell */
	DATA_BY_OBJECT,		/* the same, each for itself */
	DATA_BY_REGION,		/* everything, by kind and mapping */
	DATA_TABLES
};

#define DATA_WHO	3	/* threads that are named */

struct data_who {
	__u32 tgid, gen, tid;
	__u64 samples, cost;
};

struct data_row {
	const struct memlat_rec_access *access;	/* the most costly of them */
	const struct data_name *name;		/* of that */
	__u64 samples, stores, hitm, rhitm;
	__u64 latency, latency_max;
	__u64 weight, cost;
	__u64 cpus, nodes;
	__u64 lowest, highest;			/* addresses */
	__u64 cost_before;			/* of the rows above */
	size_t nr_threads;
	struct data_who who[DATA_WHO];		/* by cost, or samples where there is none */
};

struct data_rows {
	enum data_by by;
	size_t nr;		/* rows held, the most costly first */
	size_t total;		/* rows there are */
	struct floor_fold few;	/* of these below the floor, which are the last ones */
	struct data_row *rows;
	__u64 samples, cost;	/* of all rows there are */
};

/* Named once for all tables. */
struct data_names;
struct data_names *data_names_new(const struct profile *profile, struct namer *namer);
struct data_named;
const struct data_named *data_names_all(const struct data_names *names, size_t *nr);
void data_names_free(struct data_names *names);

/*
 * show: hold so many at most, 0: all; fold: and none below the floor, where there are
 * others.
 */
void data_rows_find(struct data_rows *rows, struct data_names *names, enum data_by by,
		    size_t show, bool fold);
void data_rows_free(struct data_rows *rows);

/* The area of the kernel's memory that is all that is known; NULL: it is a variable. */
const char *data_kernel_area(const struct data_name *name);

#endif
