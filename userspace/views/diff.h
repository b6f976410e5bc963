/* SPDX-License-Identifier: GPL-2.0 */
/* Two profiles side by side, to see what a fix has changed. */
#ifndef MEMLAT_VIEW_DIFF_H
#define MEMLAT_VIEW_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "../analysis/verdict.h"
#include "../util/xalloc.h"
#include "row.h"

/* diff_rows.c: rows of two profiles, matched by name. */

enum diff_by {
	DIFF_BY_VARIABLE,	/* and its field; elements of an array are one */
	DIFF_BY_FUNCTION,
	DIFF_BY_LINE,		/* cache line, by the variable and field that it begins with */
	DIFF_BY_TYPE,		/* of the variable or object */
	DIFF_BYS
};

enum diff_side {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_SIDES
};

struct diff_row {
	struct sums sum[DIFF_SIDES];	/* nr 0: the name is not in the profile */
	struct share share[DIFF_SIDES];	/* their cost, and how exact it is */
	__u64 rate[DIFF_SIDES];	/* cost per million instructions, or second: see diff_rows */
	const char *name;	/* any bytes; never NULL */
	const char *field;	/* ".hits", "+0x40"; NULL: none */
	const char *kind;	/* kind of data, as data_kind_name(); NULL: code */
	const char *module;	/* NULL: not known, or none */
	enum data_how how;	/* how the data is known; of several, the least certain */
	bool apart;		/* of code of the kernel or the loader */
	struct share_interval change;	/* of the rate, at 95 % */
	bool sure;		/* the interval does not hold 0 */
};

struct diff_rows {
	enum diff_by by;
	/* The program's first, those that surely changed before others, those with few samples last. */
	size_t nr, nr_program;
	struct diff_row *rows;
	struct diff_row all;	/* the whole profiles, including evicted rows */
	struct pool pool;
	/*
	 * What costs are related to: million instructions if both profiles counted them, otherwise
	 * seconds. 0: a session took no time.
	 */
	bool per_instruction;
	double per[DIFF_SIDES];
	double unit[DIFF_SIDES];	/* of that, what a sampled load stands for */
};

/* Find the one denominator for all costs: the work that was done, if it is known, or the time. */
void diff_relate(struct diff_rows *rows, const struct profile *const profiles[DIFF_SIDES]);
/* Match the rows; diff_rows_free() frees them. The names belong to the namers. */
void diff_rows_find(struct diff_rows *rows, enum diff_by by,
		    const struct profile *const profiles[DIFF_SIDES],
		    struct namer *const namers[DIFF_SIDES]);
void diff_rows_free(struct diff_rows *rows);
#define DIFF_FEW	10	/* samples of both profiles */
/* Are its samples too few to say anything? */
bool diff_is_few(const struct diff_row *row);
/* Can the rates be compared? */
static inline bool diff_is_timed(const struct diff_rows *rows)
{
	return rows->per[DIFF_BEFORE] > 0 && rows->per[DIFF_AFTER] > 0;
}
/* Name data the same in every run, without pid and address. */
void diff_name_data(struct pool *pool, const struct data_name *data, struct diff_row *row);

/* diff_fights.c: what became of each verdict. */

enum diff_state {
	DIFF_GONE,
	DIFF_REMAINS,
	DIFF_NEW,
	DIFF_OPEN,		/* one side has too few samples to tell */
};

#define DIFF_PLACES	16	/* more fields of a fight are neither told nor looked for */

/* Whole names of fields, each once. */
struct diff_places {
	size_t nr;
	const char *name[DIFF_PLACES];
};

/* A kind of fight over fields of an object, in as many lines as there are. */
/* What was seen of a fight on one side. */
struct diff_sums {
	struct share cost, samples;
};

struct diff_fight {
	enum verdict verdict;	/* that of the side that has one; of both, the later one */
	enum verdict was;	/* before: another one about the same fight */
	const char *object;	/* with which the names of the places begin; NULL: they have several */
	struct diff_places places;
	/* Fields that several use, beside the one that names their parts, by which the fight is found again. */
	struct diff_places shared;
	struct diff_places used;	/* all that are used of its lines */
	bool apart;		/* memory of the kernel */
	bool split;		/* a line has several of the places */
	bool undecided;		/* it is one, of a kind that is not decided yet */
	bool was_undecided[DIFF_SIDES];	/* that side has such a line of it, and the other a verdict */
	size_t lines[DIFF_SIDES];
	struct diff_sums sum[DIFF_SIDES];
	struct diff_sums open[DIFF_SIDES];	/* of lines of the object without a verdict */
	enum diff_state state;
	double rate[DIFF_SIDES];	/* of the cycles that loads waited, or else of its samples */
	struct share_interval change;	/* of the rate */
	bool sure;
	unsigned int longer;	/* DIFF_OPEN: a recording so many times as long would tell; 0: not known */
};

/* Add the fields, lines and samples of a fight to those of another one. */
void diff_fight_join(struct diff_fight *into, const struct diff_fight *from);

struct diff_fights {
	size_t nr;		/* the program's first; of these new ones, then by cost */
	struct diff_fight *fights;
	struct pool pool;
};

/* rows: for what the costs are related to. */
void diff_fights_find(struct diff_fights *fights, const struct diff_rows *rows,
		      const struct profile *const profiles[DIFF_SIDES],
		      struct namer *const namers[DIFF_SIDES]);
void diff_fights_free(struct diff_fights *fights);

struct diff_view {
	const struct profile *profiles[DIFF_SIDES];
	const char *paths[DIFF_SIDES];
	struct namer *namers[DIFF_SIDES];
	const struct diff_rows *rows;
	const struct diff_fights *fights;
	size_t show;		/* 0: all */
	size_t width;
};

/* "variable": a word for --by */
extern const char *const diff_by_names[DIFF_BYS];

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
	bool per_instruction;	/* as in struct diff_rows */
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
