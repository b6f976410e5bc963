// SPDX-License-Identifier: GPL-2.0
#include "diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/number.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define SHOWN_MAX	400
#define MORE_MAX	1000000		/* in hundredths of a percent: 100 times as much */
#define ONE_SIDED	1.6449		/* standard errors, for 95 % */

/*
 * Variance of the logarithm of a sum of samples, times their number: of equal samples (Poisson),
 * and of latencies, which spread about as far as their mean.
 */
static const double variance[] = { [DIFF_CYCLES] = SHARE_SPREAD, [DIFF_HITM] = 1 };
static const char *const figures[] = { [DIFF_CYCLES] = "cycles", [DIFF_HITM] = "hitm" };

static bool refuse(const char *text)
{
	char shown[SHOWN_MAX];

	out_complain("--fail-if %s: give 'cycles > 10%%', 'hitm > 10%%', or 'cycles of NAME > 10%%' with a row's name",
		     text_typed(shown, sizeof(shown), text));
	return false;
}

bool diff_condition_take(struct diff_condition *condition, const char *text)
{
	const char *more = strrchr(text, '>'), *at = text, *end;
	enum diff_figure figure;
	uint64_t hundredths;

	memset(condition, 0, sizeof(*condition));
	condition->text = text;
	for (figure = DIFF_CYCLES; figure <= DIFF_HITM; figure++)
		if (!strncmp(text, figures[figure], strlen(figures[figure])))
			break;
	if (!more || figure > DIFF_HITM)
		return refuse(text);
	condition->figure = figure;
	at += strlen(figures[figure]);
	for (end = more; end > at && end[-1] == ' ';)
		end--;
	if (end > at) {
		if (strncmp(at, " of ", 4) || end <= at + 4)
			return refuse(text);
		condition->name = text_without_indices(xasprintf("%.*s", (int)(end - at - 4), at + 4));
	}
	for (more++; *more == ' ';)
		more++;
	if (number_parse_percent(more, MORE_MAX, &hundredths) != NUMBER_OK) {
		free(condition->name);
		condition->name = NULL;
		return refuse(text);
	}
	condition->more = (double)hundredths / 10000;
	return true;
}

static bool is_named(const struct diff_row *row, const char *name)
{
	const size_t length = strlen(row->name);

	if (strncmp(row->name, name, length))
		return false;
	return !name[length] || (row->field && !strcmp(row->field, name + length));
}

static bool has_name(const struct diff_rows *rows, const char *name)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		if (is_named(&rows->rows[i], name))
			return true;
	return false;
}

/*
 * How many loads a HITM sample stands for, on average. With a budget the period follows the work,
 * so the samples alone would tell of the budget.
 */
static double hitm_weight(const struct memlat_rec_buckets *buckets)
{
	const __u64 count = source_hitm(buckets->count), weight = source_hitm(buckets->weight);

	return count && weight ? (double)weight / (double)count : 1;
}

/* The figure of a condition, and how many samples it is based on. Only loads have cycles. */
static double amount(const struct diff_condition *condition, const struct diff_rows *rows,
		     const struct snapshot *snap, enum diff_side side, double *samples)
{
	struct sums sum = { 0 };
	size_t i;

	if (!condition->name)
		sum = rows->all.sum[side];
	for (i = 0; condition->name && i < rows->nr; i++)
		if (is_named(&rows->rows[i], condition->name))
			sums_add(&sum, &rows->rows[i].sum[side]);
	*samples = (double)(condition->figure == DIFF_HITM ? sum.hitm : sums_loads(&sum));
	return condition->figure == DIFF_HITM ? (double)sum.hitm * hitm_weight(&snap->buckets) :
						(double)sum.cost;
}

void diff_condition_judge(struct diff_judged *judged, const struct diff_condition *condition,
			  const struct diff_rows *rows,
			  const struct profile *const profiles[DIFF_SIDES])
{
	double figure[DIFF_SIDES], samples[DIFF_SIDES], error;
	enum diff_side side;

	memset(judged, 0, sizeof(*judged));
	judged->named = !condition->name || has_name(rows, condition->name);
	judged->per_instruction = rows->per_instruction;
	for (side = DIFF_BEFORE; side <= DIFF_AFTER; side++)
		figure[side] = amount(condition, rows, &profiles[side]->snap, side, &samples[side]);
	judged->outcome = DIFF_UNDECIDED;
	judged->timed = diff_is_timed(rows);
	if (samples[DIFF_BEFORE] + samples[DIFF_AFTER] < DIFF_FAIL_LEAST || !judged->timed)
		return;
	/* A figure that was 0 has risen by more than any percentage. */
	judged->outcome = figure[DIFF_AFTER] > 0 ? DIFF_FAILS : DIFF_HOLDS;
	judged->known = figure[DIFF_BEFORE] > 0;
	if (!judged->known)
		return;
	judged->more = figure[DIFF_AFTER] / rows->per[DIFF_AFTER] * rows->per[DIFF_BEFORE] /
		       figure[DIFF_BEFORE] - 1;
	judged->least = -1;
	if (figure[DIFF_AFTER] > 0) {
		error = sqrt(variance[condition->figure] *
			     (1 / samples[DIFF_BEFORE] + 1 / samples[DIFF_AFTER]));
		judged->least = (1 + judged->more) * exp(-ONE_SIDED * error) - 1;
	}
	judged->outcome = judged->least > condition->more ? DIFF_FAILS : DIFF_HOLDS;
}

void diff_condition_print(void *out, const struct diff_condition *condition,
			  const struct diff_judged *judged)
{
	static const char *const words[] = {
		[DIFF_HOLDS] = "ok", [DIFF_FAILS] = "FAILS", [DIFF_UNDECIDED] = "not decided",
	};
	char shown[SHOWN_MAX];

	fprintf(out, "%s: %s", words[judged->outcome],
		text_escape(shown, sizeof(shown), condition->text));
	/* So that a name which was mistyped is seen. What was mended may be in neither profile, too. */
	if (!judged->named)
		fputs(" (neither profile has a sample of that name)", out);
	else if (judged->outcome == DIFF_UNDECIDED && !judged->timed)
		fputs(" (a profile does not say how long it took)", out);
	else if (judged->outcome == DIFF_UNDECIDED)
		fprintf(out, " (fewer than %d %s)", DIFF_FAIL_LEAST,
			condition->figure == DIFF_HITM ? "HITM samples" : "sampled loads");
	else if (!judged->known)
		fputs(judged->outcome == DIFF_FAILS ? " (nothing before)" : " (nothing before or after)", out);
	else
		/* A lower bound of the change: below 0, it says how much less it is at most. */
		fprintf(out, " (%.1f %% %s per %s; at %s %.1f %% %s, 95 times in 100)",
			fabs(100 * judged->more), judged->more < 0 ? "less" : "more",
			judged->per_instruction ? "instruction" : "second",
			judged->least < 0 ? "most" : "least", fabs(100 * judged->least),
			judged->least < 0 ? "less" : "more");
	fputc('\n', out);
}

struct json_object *diff_condition_json(const struct diff_condition *condition,
					const struct diff_judged *judged)
{
	static const char *const keys[] = {
		[DIFF_HOLDS] = "holds", [DIFF_FAILS] = "fails", [DIFF_UNDECIDED] = "undecided",
	};
	struct json_object *object = json_new();

	json_put_text(object, "condition", condition->text);
	json_put_text(object, "outcome", keys[judged->outcome]);
	json_put_known_real(object, "more", judged->known, judged->more);
	json_put_known_real(object, "least", judged->known, judged->least);
	json_put_text(object, "per", judged->per_instruction ? "instruction" : "second");
	return object;
}
