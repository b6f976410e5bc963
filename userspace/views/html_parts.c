// SPDX-License-Identifier: GPL-2.0
/* What a page shows of the code that waits, and of the intervals of a session. */
#include <stdlib.h>

#include "../profile/intervals.h"
#include "../util/source.h"
#include "../util/xalloc.h"
#include "annotate.h"
#include "html.h"
#include "phases.h"

#define FUNCTIONS	4	/* shown */
#define AROUND		7	/* rows shown before and after a costly one */
#define WORTH_PERCENT	1	/* of its function, or of everything: a cheaper one is not costly */
#define ROWS_MAX	160	/* most rows of a function */

static bool is_worth(__u64 cost, double whole)
{
	return cost && (double)cost >= whole / 100 * WORTH_PERCENT;
}

/* Leave only rows near a costly one. An empty row, without file and text, stands for a gap. */
static void keep_near(struct annotate_function *function)
{
	bool *shown = xcalloc(function->nr_rows, sizeof(*shown));
	struct annotate_row *rows = function->rows;
	size_t i, k, nr = 0;

	for (i = 0; i < function->nr_rows; i++) {
		if (!is_worth(rows[i].sum.cost, (double)function->sum.cost))
			continue;
		for (k = i < AROUND ? 0 : i - AROUND; k <= i + AROUND && k < function->nr_rows; k++)
			shown[k] = true;
	}
	for (i = 0; i < function->nr_rows && nr < ROWS_MAX; i++)
		if (shown[i])
			rows[nr++] = rows[i];
		else if (!i || shown[i - 1])
			rows[nr++] = (struct annotate_row){ 0 };
	if (i < function->nr_rows)
		rows[nr - 1] = (struct annotate_row){ 0 };
	function->nr_rows = nr;
	free(shown);
}

struct json_object *html_code(const struct html_view *view)
{
	struct json_object *code = NULL;
	const char *changed, *missing;
	struct annotate annotate;
	size_t nr;

	annotate_begin(&annotate, view->profile, view->namer, NULL, view->sources);
	for (nr = 0; nr < annotate.nr_functions && nr < FUNCTIONS; nr++) {
		if (!is_worth(annotate.functions[nr].sum.cost, annotate.whole.cost.weight))
			break;
		annotate_decode(&annotate, &annotate.functions[nr]);
		keep_near(&annotate.functions[nr]);
	}
	if (nr)
		code = annotate_json(&annotate, nr);
	changed = source_texts_without(annotate.texts, &missing);
	if (code && changed)
		json_put_text(code, "changed", changed);
	annotate_end(&annotate);
	return code;
}

static void append_count(struct json_object *list, __u64 count)
{
	json_append(list, xneed(json_object_new_uint64(count)));
}

/* The loads that samples stand for: a list for each row and source that has any. */
static struct json_object *weights_of(const struct memlat_rec_buckets *buckets)
{
	struct json_object *list = json_list();
	unsigned int row, source;

	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++) {
			struct json_object *cell;

			if (!buckets->weight[row][source])
				continue;
			cell = json_list();
			append_count(cell, row);
			append_count(cell, source);
			append_count(cell, buckets->weight[row][source]);
			json_append(list, cell);
		}
	return list;
}

struct json_object *html_times(const struct profile *profile)
{
	const struct intervals *intervals = profile->intervals;
	struct json_object *list;
	size_t i;

	if (!intervals || !intervals->nr)
		return NULL;
	list = json_list();
	for (i = 0; i < intervals->nr; i++) {
		const struct snapshot *came = &intervals->at[i].came;
		const struct phase phase = phase_of(&intervals->at[i]);
		struct json_object *object = json_new();
		__u64 sum[MEMLAT_SRC_NR];

		json_put_real(object, "height", phase_height(&phase));
		snapshot_cost_by_source(came, sum);
		json_put_sources(object, "cost_cycles", sum);
		source_sums(came->buckets.count, sum);
		json_put_sources(object, "samples", sum);
		json_put(object, "weights", weights_of(&came->buckets));
		json_append(list, object);
	}
	return list;
}
