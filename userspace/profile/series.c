// SPDX-License-Identifier: GPL-2.0
#include "series.h"

#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "snapshot_rows.h"

/* No row is larger. */
union any_row {
	struct memlat_rec_header header;
	unsigned char bytes[MEMLAT_REC_MAX];
};

/* Large tables are compared row by row as they arrive, the others when all rows are there. */
static bool is_followed(enum snapshot_table table)
{
	return row_kinds[table].error;
}

static void *row_new(struct snapshot_rows *rows, size_t size)
{
	rows->row = xgrow(rows->row, rows->nr + 1, &rows->room, size);
	return (char *)rows->row + rows->nr++ * size;
}

static void forget(struct series *running, enum snapshot_table table)
{
	struct snapshot *snap = &running->now;

	free(running->heads[table].row);
	memset(&running->heads[table], 0, sizeof(running->heads[table]));
	free(snap->rows[table].row);
	memset(&snap->rows[table], 0, sizeof(snap->rows[table]));
	memset(&snap->sum[table], 0, sizeof(snap->sum[table]));
}

/* Once the status has arrived, decide whether the rows go on from those that are kept. */
static void decide(struct series *running)
{
	static const struct snapshot nothing;
	unsigned int table;

	if (running->decided)
		return;
	running->decided = true;
	running->since = delta_how(running->begun ? &running->before : &nothing, &running->now,
				  running->elapsed_ns);
	if (running->since == SINCE_BEFORE && running->wider)
		running->since = SINCE_WIDER;
	if (running->since == SINCE_BEFORE)
		return;
	for (table = 0; table < TABLE_NR; table++) {
		running->table[table].had = 0;
		running->now.sum[table] = (struct table_sum){ .rows = running->now.sum[table].rows };
	}
}

/*
 * A row's head is its identity and its samples, up to its error bound. An equal head shows that the
 * row is idle.
 */
static size_t head_size(enum snapshot_table table)
{
	return row_kinds[table].error + sizeof(__u64) - sizeof(struct memlat_rec_header);
}

static const void *head_of(const void *row)
{
	return (const char *)row + sizeof(struct memlat_rec_header);
}

static bool is_idle(const struct series *running, enum snapshot_table table, size_t at,
		    const void *data)
{
	const size_t size = head_size(table);
	const char *head = (const char *)running->heads[table].row + at * size;

	return !memcmp(head, head_of(data), size) &&
	       !(running->now.head.status.flags & MEMLAT_F_PHYS);
}

static void note_head(struct series *running, enum snapshot_table table, size_t at,
		      const void *row)
{
	struct snapshot_rows *heads = &running->heads[table];
	const size_t size = head_size(table);

	heads->row = xgrow(heads->row, at + 1, &heads->room, size);
	memcpy((char *)heads->row + at * size, head_of(row), size);
}

/* Add what a row got since its earlier state was; was NULL: everything. */
static void came_row(struct series *running, enum snapshot_table table, const void *is,
		     const void *was)
{
	const struct row_kind *kind = &row_kinds[table];
	void *row;

	if (was && !delta_goes_on(table, is, was))
		was = NULL;
	if (row_figure(is, kind->samples) == (was ? row_figure(was, kind->samples) : 0))
		return;
	/* Add a hidden row to the sums only. */
	if (self_has(&running->hidden, table, is)) {
		row_sum(&running->came.sum[table], table, is);
		if (was)
			row_figures_add(&running->came.sum[table], table, was, -1);
		return;
	}
	/*
	 * Start with the size of the last pass: growing step by step copies large rows again and
	 * again.
	 */
	if (!running->came.rows[table].row)
		running->came.rows[table].row = xgrow(NULL, running->usual[table] + 1,
						      &running->came.rows[table].room, kind->size);
	row = row_new(&running->came.rows[table], kind->size);
	memcpy(row, is, kind->size);
	if (was)
		delta_row(table, row, was);
	row_sum(&running->came.sum[table], table, row);
}

/*
 * A row whose place held another row, or none. Its earlier place is looked for when all rows are
 * there. A row behind all kept ones is new at once, if no kept row has lost its place.
 */
static void put_fresh(struct series *running, enum snapshot_table table, const void *row)
{
	const size_t size = row_kinds[table].size;
	struct series_table *of = &running->table[table];
	struct snapshot_rows *rows = &running->now.rows[table];

	if (of->at < of->had)
		memcpy(row_new(&of->left, size), row_at(&running->now, table, of->at), size);
	rows->row = xgrow(rows->row, of->at + 1, &rows->room, size);
	memcpy(row_at(&running->now, table, of->at), row, size);
	if (of->at >= of->had && !of->left.nr) {
		came_row(running, table, row, NULL);
		return;
	}
	ARRAY_GROW(of->fresh, of->nr_fresh + 1, of->room_fresh);
	of->fresh[of->nr_fresh++] = (__u32)of->at;
}

static bool take_row(struct snapshot *snap, enum snapshot_table table, const void *data,
		     size_t size, int *ret)
{
	struct series *running = snap->each_arg;
	const struct row_kind *kind = &row_kinds[table];
	struct series_table *of = &running->table[table];
	union any_row row;
	void *kept;

	if (!of->followed || size < kind->least)
		return false;
	decide(running);
	snap->sum[table].rows++;
	*ret = 0;
	if (of->at < of->had && is_idle(running, table, of->at, data)) {
		of->at++;
		return true;
	}
	*ret = snapshot_row(snap, table, &row, data, size);
	if (*ret)
		return true;
	note_head(running, table, of->at, &row);
	kept = of->at < of->had ? row_at(snap, table, of->at) : NULL;
	if (kept && row_is_same(table, &row, kept)) {
		row_figures_add(&snap->sum[table], table, kept, -1);
		came_row(running, table, &row, kept);
		memcpy(kept, &row, kind->size);
	} else {
		put_fresh(running, table, &row);
	}
	row_figures_add(&snap->sum[table], table, &row, 1);
	of->at++;
	return true;
}

/* Match the rows that are in another place or new with the kept rows that lost their place. */
static void match_rows(struct series *running, enum snapshot_table table)
{
	const struct row_kind *kind = &row_kinds[table];
	struct series_table *of = &running->table[table];
	struct snapshot left = { 0 };
	struct row_index index;
	size_t i;

	for (i = of->at; i < of->had; i++)
		memcpy(row_new(&of->left, kind->size), row_at(&running->now, table, i), kind->size);
	left.rows[table] = of->left;
	row_index_init(&index, &left, table, row_key_of_session, of->left.nr);
	for (i = 0; i < of->left.nr; i++) {
		const void *row = row_at(&left, table, i);

		*row_index_find(&index, row) = (__u32)i;
		row_figures_add(&running->now.sum[table], table, row, -1);
	}
	for (i = 0; i < of->nr_fresh; i++) {
		const void *row = row_at(&running->now, table, of->fresh[i]);
		const __u32 at = of->left.nr ? *row_index_find(&index, row) : NO_ROW;

		came_row(running, table, row, at == NO_ROW ? NULL : row_at(&left, table, at));
	}
	row_index_free(&index);
	running->now.rows[table].nr = of->at;
}

static void pass_free(struct series *running)
{
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++) {
		free(running->table[table].left.row);
		free(running->table[table].fresh);
	}
	memset(running->table, 0, sizeof(running->table));
	snapshot_free(&running->before);
	snapshot_free(&running->came);
}

void series_free(struct series *running)
{
	unsigned int table;

	pass_free(running);
	for (table = 0; table < TABLE_NR; table++)
		free(running->heads[table].row);
	snapshot_free(&running->now);
	self_free(&running->hidden);
	memset(running, 0, sizeof(*running));
}

void series_begin(struct series *running, __u64 elapsed_ns)
{
	struct snapshot *now = &running->now;
	unsigned int table;

	/* These processes are known so far. A later one is left out by own_leave_out(). */
	self_free(&running->hidden);
	if (running->hide_own)
		self_find(&running->hidden, now);
	running->elapsed_ns = elapsed_ns;
	running->decided = running->wider = false;
	running->before = *now;
	memset(now, 0, sizeof(*now));
	now->tables = running->tables;
	now->interval_ms = running->interval_ms;
	now->each = take_row;
	now->each_arg = running;
	for (table = 0; table < TABLE_NR; table++) {
		if (!is_followed(table))
			continue;
		/* Keep the rows. A table that was missing or is not asked for starts anew. */
		now->rows[table] = running->before.rows[table];
		now->sum[table] = running->before.sum[table];
		now->sum[table].rows = 0;
		memset(&running->before.rows[table], 0, sizeof(running->before.rows[table]));
		if (!snapshot_has(now, table))
			forget(running, table);
		running->wider |= running->begun && snapshot_has(now, table) &&
				 !snapshot_has(&running->before, table);
		running->table[table].followed = snapshot_has(now, table);
		running->table[table].had = now->rows[table].nr;
	}
}

void series_end(struct series *running, struct snapshot *came, enum delta_kind *since)
{
	static const struct snapshot nothing;
	const struct snapshot *before;
	unsigned int table;

	decide(running);
	before = running->since == SINCE_BEFORE ? &running->before : &nothing;
	for (table = 0; table < TABLE_NR; table++) {
		if (is_followed(table))
			match_rows(running, table);
		else if (snapshot_has(&running->now, table))
			delta_table(&running->came, before, &running->now, table);
	}
	*came = running->now;
	came->each = NULL;
	memcpy(came->rows, running->came.rows, sizeof(came->rows));
	memcpy(came->sum, running->came.sum, sizeof(came->sum));
	for (table = 0; table < TABLE_NR; table++)
		running->usual[table] = came->rows[table].nr;
	memset(running->came.rows, 0, sizeof(running->came.rows));
	if (running->since == SINCE_BEFORE)
		delta_totals(came, &running->before);
	delta_account(came);
	*since = running->since;
	running->begun = true;
	pass_free(running);
}

int series_read(struct series *running, int fd, __u64 elapsed_ns, struct snapshot *came,
		enum delta_kind *since)
{
	char error[sizeof(running->now.error)];
	int ret;

	series_begin(running, elapsed_ns);
	ret = snapshot_read(&running->now, fd);
	if (!ret) {
		series_end(running, came, since);
		return 0;
	}
	memcpy(error, running->now.error, sizeof(error));
	series_free(running);
	memcpy(running->now.error, error, sizeof(error));
	return ret;
}
