// SPDX-License-Identifier: GPL-2.0
#include "top.h"

#include <string.h>

#include "../analysis/line.h"

#define LINES_TOLD	24	/* lines that are examined */

/*
 * How many lines to examine. Skip those that are next to nothing, as finding names takes time.
 */
static size_t lines_told(const struct snapshot *snap)
{
	struct row_whole whole;
	size_t i, nr = 0;

	row_whole_take(&whole, snap);
	for (i = 0; i < snap->nr_lines && nr < LINES_TOLD; i++)
		nr += !row_is_little(&whole, row_line_figures(&snap->lines[i]));
	return nr ? nr : 1;
}

void top_interval_take(struct top_interval *interval, const struct profile *profile,
		       const struct snapshot *session, struct namer *namer)
{
	struct c2c_options options = { .display = C2C_COST };
	const struct snapshot *snap = &profile->snap;

	memset(interval, 0, sizeof(*interval));
	interval->profile = profile;
	interval->session = session;
	interval->namer = namer;
	interval->cost = snapshot_cost(snap);
	interval->busy = snapshot_busy(&snap->head.status);
	waits_compute(&interval->waits, snap, NULL);
	snapshot_cost_by_source(&interval->profile->snap, interval->by_source);
	options.show = lines_told(snap);
	c2c_take(&interval->c2c, profile, namer, &options);
}

void top_interval_free(struct top_interval *interval)
{
	c2c_free(&interval->c2c);
}

void top_past_add(struct top_past *past, const struct top_interval *interval, __u64 ns, size_t keep)
{
	double value = 0;

	const double estimate = (double)scale_up(&interval->waits.scale, interval->cost);

	if (interval->waits.why == WAITS_COUNTED)
		value = interval->waits.high;
	else if (interval->busy)
		value = estimate / (double)interval->busy;
	else if (ns)
		value = estimate / (double)ns;
	if (keep > TOP_PAST)
		keep = TOP_PAST;
	if (past->nr >= keep && past->nr) {
		memmove(past->value, past->value + 1, (past->nr - 1) * sizeof(past->value[0]));
		past->nr--;
	}
	past->value[past->nr++] = value;
}
