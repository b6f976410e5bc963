/* SPDX-License-Identifier: GPL-2.0 */
/* What two profiles have in common by name: rows of before and after. */
#ifndef MEMLAT_DIFF_ROWS_H
#define MEMLAT_DIFF_ROWS_H

#include <stddef.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/pool.h"

enum diff_by {
	DIFF_BY_VARIABLE,	/* and field */
	DIFF_BY_FUNCTION,
	DIFF_BY_LINE,		/* cache line, by the variable in it and where in that it is */
	DIFF_BYS
};

enum diff_side {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_SIDES
};

/* What the rows of one profile with one name add up to. */
struct diff_sum {
	__u64 rows;		/* of its table; 0: the name is not in it */
	__u64 samples;
	__u64 hitm;
	__u64 cost;		/* cycles */
	__u64 rate;		/* cycles per second of the session */
};

struct diff_row {
	const char *name;	/* any bytes; never NULL */
	const char *field;	/* ".hits", "+0x40"; NULL: none */
	const char *kind;	/* of data, as data_kind_name(); NULL: code */
	const char *module;	/* NULL: not known, or of none */
	enum data_how how;	/* that data are known; of several the least sure */
	struct diff_sum sum[DIFF_SIDES];
};

struct diff_rows {
	enum diff_by by;
	size_t nr;		/* by change of rate, the most first */
	struct diff_row *rows;
	struct diff_sum all[DIFF_SIDES];	/* of the whole profiles, forgotten rows too */
	struct pool pool;
};

/* diff_rows_free() ends it. Names are the namers'. */
void diff_rows_find(struct diff_rows *rows, enum diff_by by,
		    const struct profile *const profiles[DIFF_SIDES],
		    struct namer *const namers[DIFF_SIDES]);
void diff_rows_free(struct diff_rows *rows);

#endif
