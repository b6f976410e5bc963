// SPDX-License-Identifier: GPL-2.0
#include "series.h"

#include <string.h>

#include "../util/xalloc.h"
#include "session_counters.h"
#include "snapshot.h"
#include "snapshot_rows.h"

/* The clocks are read one after the other, so allow for that much. A reset takes away more. */
#define SLACK_NS	1000000ULL

/*
 * Bound the maximum of the interval. If the maximum did not rise, its sample is older, and the
 * interval's own maximum is not known. It is at most the old maximum, and at most the sum of the
 * interval.
 */
static void bound_most(enum snapshot_table table, void *row, const void *earlier)
{
	const size_t at = row_kinds[table].latency_most;
	const __u64 sum = row_figure(row, row_kinds[table].latency);

	if (at && row_figure(row, at) == row_figure(earlier, at) && sum < row_figure(row, at))
		row_put_figure(row, at, sum);
}

bool delta_goes_on(enum snapshot_table table, const void *row, const void *earlier)
{
	const struct row_kind *kind = &row_kinds[table];

	return row_figure(row, kind->error) == row_figure(earlier, kind->error) &&
	       row_figure(row, kind->samples) >= row_figure(earlier, kind->samples);
}

void delta_row(enum snapshot_table table, void *row, const void *earlier)
{
	const struct row_kind *kind = &row_kinds[table];

	row_add(table, row, earlier, -1);
	bound_most(table, row, earlier);
	/* Samples that were missed before the row came back are older than the interval. */
	if (kind->error)
		row_put_figure(row, kind->error, 0);
}

/* Leave out rows without a new sample. Tables of few rows, such as cores and counts, keep all. */
static bool did_something(enum snapshot_table table, const void *is, const void *was)
{
	const size_t samples = row_kinds[table].samples;

	return row_kinds[table].always ||
	       row_figure(is, samples) != (was ? row_figure(was, samples) : 0);
}

/*
 * The earlier rows. Most are found at the same index, because the module keeps a row in its place.
 */
struct earlier {
	const struct snapshot *before;
	enum snapshot_table table;
	struct row_index index;
	bool indexed;
};

/* The earlier state of the row that now is at this index; NULL: the row is new. */
static const void *earlier_row(struct earlier *earlier, const void *row, size_t place)
{
	const struct snapshot *before = earlier->before;
	const enum snapshot_table table = earlier->table;
	const size_t nr = before->rows[table].nr;
	size_t i;
	__u32 at;

	if (place < nr && row_is_same(table, row, row_at(before, table, place)))
		return row_at(before, table, place);
	if (!earlier->indexed) {
		earlier->indexed = true;
		row_index_init(&earlier->index, before, table, row_key_of_session, nr);
		for (i = 0; i < nr; i++)
			*row_index_find(&earlier->index, row_at(before, table, i)) = (__u32)i;
	}
	at = *row_index_find(&earlier->index, row);
	return at == NO_ROW ? NULL : row_at(before, table, at);
}

void delta_table(struct snapshot *came, const struct snapshot *before,
		 const struct snapshot *now, enum snapshot_table table)
{
	const size_t size = row_kinds[table].size;
	struct snapshot_rows *rows = &came->rows[table];
	struct earlier earlier = { .before = before, .table = table };
	size_t i;

	for (i = 0; i < now->rows[table].nr; i++) {
		const void *is = row_at(now, table, i);
		const void *was = earlier_row(&earlier, is, i);
		void *row;

		if (was && !delta_goes_on(table, is, was))
			was = NULL;
		if (!did_something(table, is, was))
			continue;
		rows->row = xgrow(rows->row, rows->nr + 1, &rows->room, size);
		row = row_at(came, table, rows->nr++);
		memcpy(row, is, size);
		if (was)
			delta_row(table, row, was);
		row_sum(&came->sum[table], table, row);
	}
	if (earlier.indexed)
		row_index_free(&earlier.index);
}

/* The error bounds of evicted rows stay as they are: they are maxima and not sums. */
static void status_since(struct memlat_status *came, const struct memlat_status *before)
{
	size_t i;

	for (i = 0; i < nr_counters; i++)
		if (counters[i].merge == COUNTER_SUM)
			row_put_figure(came, counters[i].offset,
				       counter_of(came, &counters[i]) -
				       counter_of(before, &counters[i]));
	came->duration_ns -= before->duration_ns;
	came->busy_cycles -= before->busy_cycles;
	came->own_cycles -= before->own_cycles;
	came->sampled_cycles -= before->sampled_cycles;
}

void delta_totals(struct snapshot *came, const struct snapshot *before)
{
	totals_add(came, before, -1);
	status_since(&came->head.status, &before->head.status);
}

void delta_account(struct snapshot *came)
{
	struct memlat_status *status = &came->head.status;
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++) {
		const struct row_kind *kind = &row_kinds[table];
		const __u64 all = table == TABLE_STRIDES ? status->pairs : status->samples;

		if (!kind->status_evicted || !snapshot_has(came, table))
			continue;
		row_put_figure(status, kind->status_evicted, all - came->sum[table].samples);
		row_put_figure(status, kind->status_rows, came->rows[table].nr);
	}
	status->stacks = came->nr_stacks;
}

enum delta_kind delta_how(const struct snapshot *before, const struct snapshot *now, __u64 elapsed_ns)
{
	const struct memlat_status *a = &before->head.status, *b = &now->head.status;

	if (a->started_ns != b->started_ns)
		return SINCE_START;
	if (b->records < a->records || b->samples < a->samples ||
	    b->duration_ns < a->duration_ns)
		return SINCE_RESET;
	/* Only a running session must have sampled for as long as the time that has passed. */
	if (b->state == MEMLAT_STATE_RUNNING && b->suspends == a->suspends &&
	    b->duration_ns - a->duration_ns + SLACK_NS < elapsed_ns)
		return SINCE_RESET;
	return SINCE_BEFORE;
}

enum delta_kind snapshot_delta(struct snapshot *came, const struct snapshot *before,
			  const struct snapshot *now, __u64 elapsed_ns)
{
	static const struct snapshot nothing;
	const enum delta_kind since = delta_how(before, now, elapsed_ns);
	unsigned int table;

	if (since != SINCE_BEFORE)
		before = &nothing;
	*came = *now;
	memset(came->rows, 0, sizeof(came->rows));
	memset(came->sum, 0, sizeof(came->sum));
	came->stream = NULL;
	came->stream_bytes = came->room_stream = 0;
	came->keep_stream = false;
	for (table = 0; table < TABLE_NR; table++)
		if (snapshot_has(now, table))
			delta_table(came, before, now, table);
	if (since == SINCE_BEFORE)
		delta_totals(came, before);
	delta_account(came);
	return since;
}
