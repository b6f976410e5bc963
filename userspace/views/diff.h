/* SPDX-License-Identifier: GPL-2.0 */
/* Two profiles side by side, to see what a fix has changed. */
#ifndef MEMLAT_VIEW_DIFF_H
#define MEMLAT_VIEW_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"
#include "../util/pool.h"

/* diff_rows.c: rows of two profiles, matched by name. */

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

struct diff_view {
	const struct profile *profiles[DIFF_SIDES];
	const char *paths[DIFF_SIDES];
	struct namer *namers[DIFF_SIDES];
	const struct diff_rows *rows;
	size_t show;		/* 0: all */
	size_t width;
};

/* "variable": a word for --by */
const char *diff_by_name(enum diff_by by);

void diff_print(FILE *out, const struct diff_view *view);
void diff_csv(FILE *out, const struct diff_view *view);
struct json_object *diff_json(const struct diff_view *view);

/* diff_fail.c, --fail-if: is it worse by more than so much, beyond what sampling noise explains? */

#define DIFF_FAIL_LEAST	20	/* samples of both profiles; fewer decide nothing */
#define DIFF_FAIL_STATUS	3	/* exit status */

enum diff_figure { DIFF_CYCLES, DIFF_HITM };

/* "cycles > 10%", "hitm of stats.hits > 5%" */
struct diff_condition {
	const char *text;
	enum diff_figure figure;
	/* name of a row, with or without its field; NULL: the whole profile */
	char *name;
	double more;		/* 0.1: 10 % */
};

enum diff_outcome {
	DIFF_HOLDS,		/* the figure is not shown to be so much worse */
	DIFF_FAILS,
	DIFF_UNDECIDED,		/* too few samples, none of that name, or no time to relate them to */
};

struct diff_judged {
	enum diff_outcome outcome;
	bool named;		/* a profile has what the condition is about */
	bool timed;		/* both profiles say how long they took, or how many instructions */
	bool known;		/* the figure was not 0 before, so the members below are valid */
	double more;		/* relative increase; below 0: a decrease */
	double least;		/* lower bound of the increase at 95 % */
	bool per_instruction;	/* compared per instruction; otherwise per second */
};

/* Parse a condition. False after printing what is wrong with it. */
bool diff_condition_take(struct diff_condition *condition, const char *text);
void diff_condition_judge(struct diff_judged *judged, const struct diff_condition *condition,
			  const struct diff_rows *rows,
			  const struct profile *const profiles[DIFF_SIDES]);
/* Print the judgement as one line. */
void diff_condition_print(void *out, const struct diff_condition *condition,
			  const struct diff_judged *judged);
struct json_object *diff_condition_json(const struct diff_condition *condition,
					const struct diff_judged *judged);

#endif
