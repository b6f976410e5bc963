// SPDX-License-Identifier: GPL-2.0
/* What came between two snapshots of a session: exact, and never negative. */
#include "ctl_test.h"

#include "profile/account.h"
#include "profile/merge_rows.h"
#include "profile/since.h"
#include "profile/snapshot_rows.h"

#define SECOND	1000000000ULL

static struct snapshot before, now, came;

/* The sample a moment later, when nothing has happened. */
static int begin(void **state)
{
	sample_snapshot(&before);
	sample_snapshot(&now);
	now.head.status.duration_ns += 2 * SECOND;
	return 0;
}

static int end(void **state)
{
	snapshot_free(&before);
	snapshot_free(&now);
	snapshot_free(&came);
	return 0;
}

static void begin_again(void)
{
	end(NULL);
	begin(NULL);
}

/* So many more loads of a line, in all figures that count them except buckets by source. */
static void more_loads(struct snapshot *snap, size_t line, __u64 loads)
{
	struct memlat_status *status = &snap->head.status;

	snap->lines[line].samples += loads;
	snap->lines[line].source[MEMLAT_SRC_RHITM] += loads;
	snap->lines[line].slot[0] += loads;
	snap->lines[line].cost += loads * 500;
	status->samples += loads;
	status->loads += loads;
	status->records += loads;
	status->sites_evicted += loads;
	status->accesses_evicted += loads;
	snap->threads[0].samples += loads;
	snap->buckets.count[7][MEMLAT_SRC_RHITM] += loads;
	snap->raw.count[0x0d] += loads;
	snap->cores[0].loads += loads;
	snap->sources[1].samples += loads;
	merge_sums(snap);
}

static void holds(const struct snapshot *snap)
{
	const char *broken = account_snapshot_broken(snap);

	if (broken)
		fail_msg("%s", broken);
}

/* What came between the two, whose figures hold. */
static void since(void)
{
	merge_sums(&now);
	holds(&now);
	snapshot_since(&came, &before, &now, 0);
	holds(&came);
}

TEST_WITH(nothing_came, begin, end)
{
	assert_int_equal(snapshot_since(&came, &before, &now, 2 * SECOND - 5), SINCE_BEFORE);
	holds(&came);
	assert_int_equal(came.head.status.samples, 0);
	assert_int_equal(came.head.status.duration_ns, 2 * SECOND);
	assert_int_equal(came.nr_lines + came.nr_sites + came.nr_accesses + came.nr_threads, 0);
	assert_int_equal(came.nr_stacks + came.nr_strides + came.nr_sources, 0);
	assert_int_equal(came.nr_cores, 1);
	assert_int_equal(came.cores[0].loads, 0);
	assert_int_equal(came.buckets.edge[0], 32);
	assert_int_equal(came.buckets.latency[MEMLAT_SRC_RHITM], 0);
}

TEST_WITH(some_came, begin, end)
{
	more_loads(&now, 1, 7);
	assert_int_equal(snapshot_since(&came, &before, &now, 2 * SECOND - 5), SINCE_BEFORE);
	holds(&came);
	assert_int_equal(came.nr_lines, 1);
	assert_int_equal(came.lines[0].addr, now.lines[1].addr);
	assert_int_equal(came.lines[0].samples, 7);
	assert_int_equal(came.lines[0].source[MEMLAT_SRC_RHITM], 7);
	assert_int_equal(came.lines[0].cost, 3500);
	assert_int_equal(came.lines[0].error, 0);
	assert_int_equal(came.head.status.samples, 7);
	assert_int_equal(came.head.status.lines_evicted, 0);
	assert_int_equal(came.head.status.sites_evicted, 7);
	assert_int_equal(came.buckets.count[7][MEMLAT_SRC_RHITM], 7);
	assert_int_equal(snapshot_cost(&came), 3500);
}

/* A row was evicted with all that it had, and came back with five samples: these are all new. */
TEST_WITH(a_row_that_came_back, begin, end)
{
	const __u64 had = now.lines[1].samples;

	more_loads(&now, 1, 5);
	now.lines[1].samples = now.lines[1].slot[0] = now.lines[1].source[MEMLAT_SRC_RHITM] = 5;
	now.lines[1].error = had;
	now.head.status.lines_evicted += had;
	since();
	assert_int_equal(came.nr_lines, 1);
	assert_int_equal(came.lines[0].samples, 5);
	assert_int_equal(came.lines[0].error, had);
	assert_int_equal(came.head.status.lines_evicted, 0);

	/* With more than it had before: still not their difference. */
	begin_again();
	more_loads(&now, 1, had + 3);
	now.lines[1].samples = had + 3;
	now.lines[1].error = had;
	now.head.status.lines_evicted += had;
	since();
	assert_int_equal(came.lines[0].samples, had + 3);
}

/* A row had four samples, got five more, and was evicted: these five are in no row. */
TEST_WITH(a_row_that_left, begin, end)
{
	const __u64 had = now.lines[2].samples;

	more_loads(&now, 2, 5);
	now.nr_lines--;
	now.head.status.lines_evicted += had + 5;
	since();
	assert_int_equal(came.nr_lines, 0);
	assert_int_equal(came.head.status.lines_evicted, 5);
}

/* By its physical address, a line is the same whoever used it last. */
TEST_WITH(lines_in_memory, begin, end)
{
	before.lines[1].phys = now.lines[1].phys = 0x1240;
	more_loads(&now, 1, 3);
	now.lines[1].addr += 0x10000;
	now.lines[1].space++;
	snapshot_since(&came, &before, &now, 0);
	holds(&came);
	assert_int_equal(came.nr_lines, 1);
	assert_int_equal(came.lines[0].samples, 3);
}

/* A row that is not where it was, as after an eviction, is the same row. */
TEST_WITH(rows_elsewhere, begin, end)
{
	struct memlat_rec_line line;

	more_loads(&now, 1, 7);
	line = now.lines[0];
	now.lines[0] = now.lines[1];
	now.lines[1] = line;
	since();
	assert_int_equal(came.nr_lines, 1);
	assert_int_equal(came.lines[0].addr, now.lines[0].addr);
	assert_int_equal(came.lines[0].samples, 7);
}

/* A largest latency that did not rise is older, unless all that came could have had it. */
TEST_WITH(largest_latency, begin, end)
{
	static const struct {
		__u64 now, sum, came;
	} cases[] = { { 5000, 700, 700 }, { 5000, 9000, 5000 }, { 6000, 9000, 6000 } };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin_again();
		more_loads(&now, 1, 7);
		before.lines[1].latency_max = 5000;
		now.lines[1].latency_max = cases[i].now;
		now.lines[1].latency_sum += cases[i].sum;
		/* Its error is of samples before the interval. */
		before.lines[1].error = now.lines[1].error = 9;
		assert_int_equal(snapshot_since(&came, &before, &now, 0), SINCE_BEFORE);
		assert_int_equal(came.nr_lines, 1);
		assert_int_equal(came.lines[0].latency_sum, cases[i].sum);
		assert_int_equal(came.lines[0].latency_max, cases[i].came);
		assert_int_equal(came.lines[0].error, 0);
	}
}

/* Cycles are of the interval, too. */
TEST_WITH(cycles, begin, end)
{
	now.head.status.busy_cycles += 1000;
	now.head.status.own_cycles += 10;
	now.head.status.sampled_cycles += 400;
	snapshot_since(&came, &before, &now, 0);
	assert_int_equal(came.head.status.busy_cycles, 1000);
	assert_int_equal(came.head.status.own_cycles, 10);
	assert_int_equal(snapshot_busy(&came.head.status), 400);
}

TEST_WITH(begun_anew, begin, end)
{
	/* Emptied, and less in it than before. */
	more_loads(&before, 1, 5);
	assert_int_equal(snapshot_since(&came, &before, &now, 0), SINCE_RESET);
	holds(&came);
	assert_int_equal(came.head.status.samples, 1100);
	assert_int_equal(came.lines[1].samples, now.lines[1].samples);
	/* And more than before already, but in too short a time. */
	begin_again();
	more_loads(&now, 1, 5);
	assert_int_equal(snapshot_since(&came, &before, &now, 3 * SECOND), SINCE_RESET);
	assert_int_equal(came.head.status.samples, 1105);
	/* One that ended meanwhile is no such one. */
	begin_again();
	now.head.status.state = MEMLAT_STATE_IDLE;
	assert_int_equal(snapshot_since(&came, &before, &now, 3 * SECOND), SINCE_BEFORE);
	begin_again();
	now.head.status.started_ns++;
	assert_int_equal(snapshot_since(&came, &before, &now, 0), SINCE_START);
	assert_int_equal(came.head.status.samples, 1100);
}

/*
 * Rows with arbitrary figures, each member with another one. The difference plus the old ones are
 * the new ones.
 */
static void grow(struct snapshot *snap, unsigned int seed)
{
	unsigned int table;
	size_t row, at;

	for (table = 0; table < TABLE_NR; table++)
		for (row = 0; row < snap->rows[table].nr; row++) {
			const struct row_kind *kind = &row_kinds[table];
			char *bytes = row_at(snap, table, row);
			char was[sizeof(struct memlat_rec_core) + sizeof(struct memlat_rec_site)];

			assert_true(kind->size <= sizeof(was));
			memcpy(was, bytes, kind->size);
			for (at = sizeof(struct memlat_rec_header); at + 8 <= kind->size; at += 8) {
				__u64 figure;

				memcpy(&figure, bytes + at, 8);
				/*
				 * Masks get more bits too, but what identifies the row does not
				 * change.
				 */
				figure += (at * 7 + row + seed) % 1000;
				memcpy(bytes + at, &figure, 8);
			}
			/* Members that are no sums. */
#define BACK(of_table, record, member) \
	do { \
		if (table == (of_table)) \
			memcpy(bytes + offsetof(struct record, member), \
			       was + offsetof(struct record, member), \
			       sizeof(((struct record *)0)->member)); \
	} while (0)
			BACK(TABLE_LINES, memlat_rec_line, addr);
			BACK(TABLE_LINES, memlat_rec_line, space);
			BACK(TABLE_LINES, memlat_rec_line, gen);
			BACK(TABLE_LINES, memlat_rec_line, phys);
			BACK(TABLE_LINES, memlat_rec_line, cpus);
			BACK(TABLE_LINES, memlat_rec_line, nodes);
			BACK(TABLE_LINES, memlat_rec_line, hitm_nodes);
			BACK(TABLE_LINES, memlat_rec_line, bytes_loaded);
			BACK(TABLE_LINES, memlat_rec_line, bytes_stored);
			BACK(TABLE_LINES, memlat_rec_line, store_cpus);
			BACK(TABLE_LINES, memlat_rec_line, store_nodes);
			BACK(TABLE_LINES, memlat_rec_line, home);
			BACK(TABLE_LINES, memlat_rec_line, shared);
			BACK(TABLE_LINES, memlat_rec_line, reserved2);
			BACK(TABLE_SITES, memlat_rec_site, ip);
			BACK(TABLE_SITES, memlat_rec_site, space);
			BACK(TABLE_SITES, memlat_rec_site, gen);
			BACK(TABLE_SITES, memlat_rec_site, addr_min);
			BACK(TABLE_SITES, memlat_rec_site, cpus);
			BACK(TABLE_SITES, memlat_rec_site, nodes);
			BACK(TABLE_ACCESSES, memlat_rec_access, addr);
			BACK(TABLE_ACCESSES, memlat_rec_access, ip);
			BACK(TABLE_ACCESSES, memlat_rec_access, tgid);
			BACK(TABLE_ACCESSES, memlat_rec_access, tid);
			BACK(TABLE_ACCESSES, memlat_rec_access, gen);
			BACK(TABLE_ACCESSES, memlat_rec_access, stack);
			BACK(TABLE_ACCESSES, memlat_rec_access, phys);
			BACK(TABLE_ACCESSES, memlat_rec_access, cpus);
			BACK(TABLE_ACCESSES, memlat_rec_access, nodes);
			BACK(TABLE_THREADS, memlat_rec_thread, tid);
			BACK(TABLE_THREADS, memlat_rec_thread, tgid);
			BACK(TABLE_THREADS, memlat_rec_thread, gen);
			BACK(TABLE_THREADS, memlat_rec_thread, reserved);
			BACK(TABLE_THREADS, memlat_rec_thread, first_ns);
			BACK(TABLE_THREADS, memlat_rec_thread, tls_base);
			BACK(TABLE_THREADS, memlat_rec_thread, named_ns);
			BACK(TABLE_THREADS, memlat_rec_thread, comm);
			BACK(TABLE_THREADS, memlat_rec_thread, cpus);
			BACK(TABLE_THREADS, memlat_rec_thread, nodes);
			BACK(TABLE_STRIDES, memlat_rec_stride, ip);
			BACK(TABLE_STRIDES, memlat_rec_stride, step);
			BACK(TABLE_STRIDES, memlat_rec_stride, space);
			BACK(TABLE_STRIDES, memlat_rec_stride, gen);
			/* Names, and rows whose members do not all have eight bytes. */
			if (kind->error)
				memcpy(bytes + kind->error, was + kind->error, 8);
			if (table == TABLE_STACKS || table == TABLE_CORES ||
			    table == TABLE_SOURCES || table == TABLE_COUNTS)
				memcpy(bytes, was, kind->size);
		}
	merge_sums(snap);
}

TEST_WITH(before_and_came_are_now, begin, end)
{
	unsigned int table;
	size_t row;

	memset(&before.head.status.lines_error, 0, 8);
	before.head.status.sites_error = before.head.status.accesses_error = 0;
	before.head.status.threads_error = before.head.status.strides_error = 0;
	grow(&now, 3);
	now.head.status.lines_error = now.head.status.sites_error = 0;
	now.head.status.accesses_error = now.head.status.threads_error = 0;
	now.head.status.strides_error = 0;
	for (table = 0; table < TABLE_NR; table++)
		for (row = 0; row < before.rows[table].nr && row_kinds[table].error; row++) {
			memset((char *)row_at(&before, table, row) + row_kinds[table].error, 0, 8);
			memset((char *)row_at(&now, table, row) + row_kinds[table].error, 0, 8);
		}
	snapshot_since(&came, &before, &now, 0);
	merge_rows(&before, &came, true);
	for (table = 0; table < TABLE_NR; table++) {
		assert_int_equal(before.rows[table].nr, now.rows[table].nr);
		for (row = 0; row < now.rows[table].nr; row++)
			/* The latest names in lines are no sums either. */
			if (memcmp(row_at(&before, table, row), row_at(&now, table, row),
				   row_kinds[table].size)) {
				size_t at;

				for (at = 0; at < row_kinds[table].size; at += 8)
					if (memcmp((char *)row_at(&before, table, row) + at,
						   (char *)row_at(&now, table, row) + at, 8))
						fail_msg("%s: the figure at byte %zu", row_kinds[table].name, at);
			}
	}
}

/* Only the requested tables. */
TEST_WITH(some_tables, begin, end)
{
	more_loads(&now, 1, 5);
	before.tables = now.tables = 1U << MEMLAT_REC_LINE;
	snapshot_since(&came, &before, &now, 0);
	assert_int_equal(came.nr_lines, 1);
	assert_int_equal(came.nr_threads, 0);
	assert_int_equal(came.head.status.lines_evicted, 0);
}
