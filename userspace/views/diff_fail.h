/* SPDX-License-Identifier: GPL-2.0 */
/* diff --fail-if: did it get worse, by more than so much, beyond what sampling explains? */
#ifndef MEMLAT_DIFF_FAIL_H
#define MEMLAT_DIFF_FAIL_H

#include <stdbool.h>

#include "../util/json.h"
#include "diff_rows.h"

#define DIFF_FAIL_LEAST	20	/* samples of both; fewer decide nothing */
#define DIFF_FAIL_STATUS	3	/* to exit with */

enum diff_figure { DIFF_CYCLES, DIFF_HITM };

/* "cycles > 10%", "hitm of stats.hits > 5%" */
struct diff_condition {
	const char *text;
	enum diff_figure figure;
	char *name;		/* of a row, with its field or without; NULL: of everything */
	double more;		/* 0.1: 10 % */
};

enum diff_outcome {
	DIFF_HOLDS,		/* nothing shows that it got so much worse */
	DIFF_FAILS,
	DIFF_UNDECIDED,		/* too few samples */
};

struct diff_judged {
	enum diff_outcome outcome;
	bool known;		/* the rest: there was something before */
	double more;		/* part that it is more after; below 0: less */
	double least;		/* at least so, 95 times in 100 */
	bool per_instruction;	/* else per second */
};

/* False after saying what is wrong with it. */
bool diff_condition_take(struct diff_condition *condition, const char *text);
void diff_condition_judge(struct diff_judged *judged, const struct diff_condition *condition,
			  const struct diff_rows *rows,
			  const struct profile *const profiles[DIFF_SIDES]);
/* One line. */
void diff_condition_print(void *out, const struct diff_condition *condition,
			  const struct diff_judged *judged);
struct json_object *diff_condition_json(const struct diff_condition *condition,
					const struct diff_judged *judged);

#endif
