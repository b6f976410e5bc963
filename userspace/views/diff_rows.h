/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of two profiles, matched by name. */
#ifndef MEMLAT_DIFF_ROWS_H
#define MEMLAT_DIFF_ROWS_H

#include <stddef.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/pool.h"

enum diff_by {
	DIFF_BY_VARIABLE,	/* and its field */
	DIFF_BY_FUNCTION,
	DIFF_BY_LINE,		/* cache line, by its variable and the place in the variable */
	DIFF_BYS
};

enum diff_side {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_SIDES
};

/* The sums over the rows of one profile with one name. */
struct diff_sum {
	__u64 rows;		/* rows of the profile's table; 0: the name is not in the profile */
	__u64 samples;
	__u64 loads;		/* of the samples */
	__u64 hitm;
	__u64 cost;		/* cycles, of loads */
	__u64 rate;		/* cycles per second of the session */
};

struct diff_row {
	const char *name;	/* any bytes; never NULL */
	const char *field;	/* ".hits", "+0x40"; NULL: none */
	const char *kind;	/* kind of data, as data_kind_name(); NULL: code */
	const char *module;	/* NULL: not known, or none */
	enum data_how how;	/* how the data is known; of several, the least certain */
	struct diff_sum sum[DIFF_SIDES];
};

struct diff_rows {
	enum diff_by by;
	size_t nr;		/* sorted by change of rate, the largest first */
	struct diff_row *rows;
	struct diff_sum all[DIFF_SIDES];	/* of the whole profiles, including evicted rows */
	struct pool pool;
};

/* Match the rows; diff_rows_free() frees them. The names belong to the namers. */
void diff_rows_find(struct diff_rows *rows, enum diff_by by,
		    const struct profile *const profiles[DIFF_SIDES],
		    struct namer *const namers[DIFF_SIDES]);
void diff_rows_free(struct diff_rows *rows);

#endif
