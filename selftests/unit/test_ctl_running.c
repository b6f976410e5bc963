// SPDX-License-Identifier: GPL-2.0
/*
 * A running session, snapshot after snapshot, with one pass over each. What came in between is the
 * same as the difference of two whole snapshots, whatever happened to the rows.
 */
#define _GNU_SOURCE
#include "ctl_test.h"

#include "profile/series.h"
#include "profile/snapshot_rows.h"
#include "util/xalloc.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_SITE | \
		 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_CORE)
#define ROUNDS	200
#define SECOND	1000000000ULL
#define OWN	77	/* the process of memlat-ctl itself */

static unsigned int seed;

static unsigned int chance(unsigned int of)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % of;
}

/* As the module sends it: only the requested tables. */
struct asked {
	__u32 tables;
	__u64 records;
	struct snapshot *to;
};

static int feed_asked(void *arg, const void *bytes, size_t size)
{
	struct asked *asked = arg;
	struct memlat_rec_header header;
	struct memlat_rec_end end;
	unsigned int table;

	memcpy(&header, bytes, sizeof(header));
	if (header.type == MEMLAT_REC_END) {
		memcpy(&end, bytes, sizeof(end));
		end.records = asked->records + 1;
		for (table = 0; table < TABLE_NR; table++)
			if (row_kinds[table].end_rows && !(asked->tables >> row_kinds[table].type & 1))
				memset((char *)&end + row_kinds[table].end_rows, 0, sizeof(__u64));
		return snapshot_feed(asked->to, &end, sizeof(end));
	}
	header.type &= MEMLAT_REC_TYPE_MASK;
	if (header.type != MEMLAT_REC_STATUS && !(asked->tables >> header.type & 1))
		return 0;
	asked->records++;
	return snapshot_feed(asked->to, bytes, size);
}

static enum delta_kind pass(struct series *running, __u32 tables, const struct snapshot *now,
		       struct snapshot *came)
{
	struct asked asked = { .tables = tables, .to = &running->now };
	enum delta_kind since;

	running->tables = tables;
	series_begin(running, 0);
	if (snapshot_emit(now, feed_asked, &asked) || snapshot_finish(&running->now))
		fail_msg("%s", running->now.error);
	series_end(running, came, &since);
	return since;
}

static void copy(struct snapshot *to, const struct snapshot *from, __u32 tables)
{
	struct asked asked = { .tables = tables, .to = to };

	snapshot_init(to);
	to->tables = tables;
	if (snapshot_emit(from, feed_asked, &asked))
		fail_msg("%s", to->error);
}

static int by_bytes(const void *a, const void *b, void *size)
{
	return memcmp(a, b, *(size_t *)size);
}

/* Sort the rows, because those that moved come last. */
static void same_rows(struct snapshot *is, struct snapshot *was)
{
	unsigned int table;
	size_t i;

	for (table = 0; table < TABLE_NR; table++) {
		size_t size = row_kinds[table].size;

		assert_int_equal(is->rows[table].nr, was->rows[table].nr);
		if (is->rows[table].nr) {
			qsort_r(is->rows[table].row, is->rows[table].nr, size, by_bytes, &size);
			qsort_r(was->rows[table].row, was->rows[table].nr, size, by_bytes, &size);
		}
		for (i = 0; i < is->rows[table].nr; i++)
			assert_memory_equal(row_at(is, table, i), row_at(was, table, i), size);
		assert_memory_equal(&is->sum[table], &was->sum[table], sizeof(is->sum[table]));
	}
}

/* Its own rows have to stay where they are. */
static void has_rows(const struct series *running, struct snapshot *was)
{
	struct snapshot rows = running->now;
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++) {
		const size_t bytes = rows.rows[table].nr * row_kinds[table].size;

		rows.rows[table].row = xmalloc(bytes + 1);
		if (bytes)
			memcpy(rows.rows[table].row, running->now.rows[table].row, bytes);
	}
	same_rows(&rows, was);
	snapshot_free(&rows);
}

static void same(struct snapshot *is, struct snapshot *was)
{
	same_rows(is, was);
	assert_memory_equal(&is->head, &was->head, sizeof(is->head));
	assert_memory_equal(&is->buckets, &was->buckets, sizeof(is->buckets));
}

static void more(struct snapshot *snap, enum snapshot_table table, void *row, __u64 samples)
{
	const struct row_kind *kind = &row_kinds[table];
	__u64 figure = row_figure(row, kind->samples) + samples;

	memcpy((char *)row + kind->samples, &figure, sizeof(figure));
	figure = row_figure(row, kind->cost) + 300 * samples;
	memcpy((char *)row + kind->cost, &figure, sizeof(figure));
}

/* Add a row with a number that no row has. */
static void add(struct snapshot *snap, enum snapshot_table table, __u64 number)
{
	struct snapshot_rows *rows = &snap->rows[table];
	unsigned char row[MEMLAT_REC_MAX] = { 0 };

	switch (table) {
	case TABLE_LINES:
		((struct memlat_rec_line *)row)->addr = number * 64;
		((struct memlat_rec_line *)row)->space = number % 3 ? 1 : OWN;
		((struct memlat_rec_line *)row)->shared = !(number % 4);
		break;
	case TABLE_SITES:
		((struct memlat_rec_site *)row)->ip = number;
		((struct memlat_rec_site *)row)->space = number % 3 ? 1 : OWN;
		break;
	case TABLE_ACCESSES:
		((struct memlat_rec_access *)row)->addr = number % 4 ? number : number | 1ULL << 63;
		((struct memlat_rec_access *)row)->tgid = number % 3 ? 1 : OWN;
		break;
	default:
		((struct memlat_rec_thread *)row)->tid = (__u32)number;
	}
	more(snap, table, row, 1 + chance(5));
	rows->row = xgrow(rows->row, rows->nr + 1, &rows->room, row_kinds[table].size);
	memcpy(row_at(snap, table, rows->nr++), row, row_kinds[table].size);
}

static void swap(struct snapshot *snap, enum snapshot_table table, size_t a, size_t b)
{
	unsigned char row[MEMLAT_REC_MAX];
	const size_t size = row_kinds[table].size;

	memcpy(row, row_at(snap, table, a), size);
	memcpy(row_at(snap, table, a), row_at(snap, table, b), size);
	memcpy(row_at(snap, table, b), row, size);
}

/* Rows grow, appear, disappear, move, and come back with less than they had. */
static void change(struct snapshot *snap, enum snapshot_table table, __u64 *number)
{
	struct snapshot_rows *rows = &snap->rows[table];
	const struct row_kind *kind = &row_kinds[table];
	unsigned int i, changes = chance(6);
	__u64 figure;
	void *row;

	for (i = 0; i < changes; i++) {
		size_t at = rows->nr ? chance((unsigned int)rows->nr) : 0;

		switch (chance(rows->nr ? 6 : 1)) {
		case 0:
			add(snap, table, ++*number);
			break;
		case 1:
			rows->nr--;
			swap(snap, table, at, rows->nr);
			break;
		case 2:
			swap(snap, table, at, chance((unsigned int)rows->nr));
			break;
		case 3:
			row = row_at(snap, table, at);
			figure = row_figure(row, kind->samples) + row_figure(row, kind->error);
			memset((char *)row + kind->error, 0, kind->size - kind->error);
			memcpy((char *)row + kind->error, &figure, sizeof(figure));
			figure = 0;
			memcpy((char *)row + kind->samples, &figure, sizeof(figure));
			more(snap, table, row, 1 + chance(3));
			break;
		default:
			more(snap, table, row_at(snap, table, at), 1 + chance(9));
		}
	}
}

static void begin(struct snapshot *snap)
{
	sample_snapshot(snap);
	snap->head.status.flags &= ~MEMLAT_F_PHYS;
}

static void next(struct snapshot *snap, __u64 *number)
{
	static const enum snapshot_table changing[] = {
		TABLE_LINES, TABLE_SITES, TABLE_ACCESSES, TABLE_THREADS,
	};
	size_t i;

	for (i = 0; i < sizeof(changing) / sizeof(changing[0]); i++)
		change(snap, changing[i], number);
	merge_sums(snap);
	snap->head.status.duration_ns += SECOND;
	snap->head.status.samples += 50;
	snap->head.status.records += 50;
	snap->head.status.loads += 50;
	snap->buckets.count[7][MEMLAT_SRC_RHITM] += 50;
}

/* A session, pass after pass, compared with differences of its whole snapshots. */
struct rounds {
	struct series running;
	struct snapshot snap, before, now;
	struct snapshot came, since;	/* the same, by the pass and by two snapshots */
	__u64 number;
	unsigned int round;
};

static void rounds_begin(struct rounds *all)
{
	all->number = 1000000;
	all->round = 0;
	begin(&all->snap);
}

static void round_pass(struct rounds *all)
{
	static const struct snapshot nothing;
	const enum delta_kind expected = all->round ? SINCE_BEFORE : SINCE_START;

	copy(&all->now, &all->snap, TABLES);
	assert_int_equal(pass(&all->running, TABLES, &all->snap, &all->came), expected);
	assert_int_equal(snapshot_delta(&all->since, all->round ? &all->before : &nothing, &all->now,
					0), expected);
}

static void round_end(struct rounds *all)
{
	has_rows(&all->running, &all->now);
	snapshot_free(&all->came);
	snapshot_free(&all->since);
	if (all->round++)
		snapshot_free(&all->before);
	all->before = all->now;
	next(&all->snap, &all->number);
}

static void rounds_end(struct rounds *all)
{
	snapshot_free(&all->before);
	snapshot_free(&all->snap);
	series_free(&all->running);
}

TEST(what_came_is_the_difference)
{
	struct rounds all = { 0 };

	for (seed = 1; seed < 4; seed++) {
		rounds_begin(&all);
		while (all.round < ROUNDS) {
			round_pass(&all);
			same(&all.came, &all.since);
			round_end(&all);
		}
		rounds_end(&all);
	}
}

/* memlat-ctl's own thread, which always does something. */
static void own_thread(struct snapshot *snap, unsigned int round)
{
	size_t i;

	for (i = 0; i < snap->nr_threads && snap->threads[i].tid != OWN; i++)
		continue;
	if (i == snap->nr_threads)
		add(snap, TABLE_THREADS, OWN);
	snap->threads[i].tgid = OWN;
	strcpy(snap->threads[i].comm, "memlat-ctl");
	more(snap, TABLE_THREADS, &snap->threads[i], 1000 + round);
	merge_sums(snap);
}

/* memlat-ctl's own rows are left out once its process is known. Everything else is the same. */
TEST(own_rows_are_in_the_sums_alone)
{
	struct rounds all = { .running = { .hide_own = true } };
	struct own_left_out own, left_out;
	size_t came_lines = 0, all_lines = 0;

	seed = 5;
	rounds_begin(&all);
	while (all.round < ROUNDS) {
		own_thread(&all.snap, all.round);
		round_pass(&all);
		if (all.round) {
			came_lines += all.came.nr_lines;
			all_lines += all.since.nr_lines;
		}
		self_leave_out(&all.came, &own);
		self_leave_out(&all.since, &left_out);
		assert_memory_equal(&own, &left_out, sizeof(own));
		assert_int_not_equal(own.samples, 0);
		same_rows(&all.came, &all.since);
		assert_int_equal(all.came.head.status.lines_evicted,
				 all.since.head.status.lines_evicted);
		round_end(&all);
	}
	assert_true(came_lines < all_lines);
	rounds_end(&all);
}

/* A table that was not read before has no earlier rows, so everything is of the whole session. */
TEST(a_table_more)
{
	const __u32 few = TABLES & ~(1U << MEMLAT_REC_SITE);
	struct series running = { 0 };
	struct snapshot snap, came;
	__u64 number = 1000000, samples;

	seed = 7;
	begin(&snap);
	assert_int_equal(pass(&running, few, &snap, &came), SINCE_START);
	assert_int_equal(came.nr_sites, 0);
	snapshot_free(&came);
	next(&snap, &number);
	samples = snap.head.status.samples;
	assert_int_equal(pass(&running, TABLES, &snap, &came), SINCE_WIDER);
	assert_int_equal(came.head.status.samples, samples);
	assert_int_equal(came.nr_sites, snap.nr_sites);
	assert_int_equal(came.nr_lines, snap.nr_lines);
	snapshot_free(&came);
	/* One table less is no reason to start again. */
	next(&snap, &number);
	assert_int_equal(pass(&running, few, &snap, &came), SINCE_BEFORE);
	assert_int_equal(came.head.status.samples, 50);
	assert_int_equal(running.now.nr_sites + came.nr_sites, 0);
	assert_null(running.now.sites);
	snapshot_free(&came);
	/* Another session: all of its samples. */
	next(&snap, &number);
	snap.head.status.started_ns++;
	assert_int_equal(pass(&running, few, &snap, &came), SINCE_START);
	assert_int_equal(came.nr_lines, snap.nr_lines);
	assert_memory_equal(&running.now.sum[TABLE_LINES], &snap.sum[TABLE_LINES],
			    sizeof(struct table_sum));
	snapshot_free(&came);
	snapshot_free(&snap);
	series_free(&running);
}

/* With physical addresses, these identify a line, and its linear address may change. */
TEST(lines_known_by_their_place_in_memory)
{
	struct series running = { 0 };
	struct snapshot snap, before, now, came, since;
	__u64 number = 1000000;
	unsigned int round;
	size_t i;

	seed = 3;
	begin(&snap);
	snap.head.status.flags |= MEMLAT_F_PHYS;
	for (i = 0; i < snap.nr_lines; i++)
		snap.lines[i].phys = 64 * (i + 1);
	copy(&before, &snap, TABLES);
	pass(&running, TABLES, &snap, &came);
	for (round = 0; round < ROUNDS; round++) {
		snapshot_free(&came);
		next(&snap, &number);
		for (i = 0; i < snap.nr_lines; i++)
			if (snap.lines[i].phys && !chance(4))
				snap.lines[i].addr += 4096;
		copy(&now, &snap, TABLES);
		assert_int_equal(pass(&running, TABLES, &snap, &came), SINCE_BEFORE);
		snapshot_delta(&since, &before, &now, 0);
		same(&came, &since);
		has_rows(&running, &now);
		snapshot_free(&since);
		snapshot_free(&before);
		before = now;
	}
	snapshot_free(&came);
	snapshot_free(&before);
	snapshot_free(&snap);
	series_free(&running);
}
