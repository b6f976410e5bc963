/* SPDX-License-Identifier: GPL-2.0 */
/* diff --fail-if: is it worse by more than so much, beyond what sampling noise explains? */
#ifndef MEMLAT_DIFF_FAIL_H
#define MEMLAT_DIFF_FAIL_H

#include <stdbool.h>

#include "../util/json.h"
#include "diff_rows.h"

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
