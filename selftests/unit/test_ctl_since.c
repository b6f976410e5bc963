// SPDX-License-Identifier: GPL-2.0
/* What came between two snapshots of a session: exact, and never negative. */
#include "ctl_test.h"

#include "profile/series.h"
#include "profile/snapshot.h"
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
	snapshot_delta(&came, &before, &now, 0);
	holds(&came);
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

/* By its physical address, a line is the same whoever used it last. */
TEST_WITH(lines_in_memory, begin, end)
{
	before.lines[1].phys = now.lines[1].phys = 0x1240;
	more_loads(&now, 1, 3);
	now.lines[1].addr += 0x10000;
	now.lines[1].space++;
	snapshot_delta(&came, &before, &now, 0);
	holds(&came);
	assert_int_equal(came.nr_lines, 1);
	assert_int_equal(came.lines[0].samples, 3);
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
		assert_int_equal(snapshot_delta(&came, &before, &now, 0), SINCE_BEFORE);
		assert_int_equal(came.nr_lines, 1);
		assert_int_equal(came.lines[0].latency_sum, cases[i].sum);
		assert_int_equal(came.lines[0].latency_max, cases[i].came);
		assert_int_equal(came.lines[0].error, 0);
	}
}

TEST_WITH(begun_anew, begin, end)
{
	/* Emptied, and less in it than before. */
	more_loads(&before, 1, 5);
	assert_int_equal(snapshot_delta(&came, &before, &now, 0), SINCE_RESET);
	holds(&came);
	assert_int_equal(came.head.status.samples, 1100);
	assert_int_equal(came.lines[1].samples, now.lines[1].samples);
	/* And more than before already, but in too short a time. */
	begin_again();
	more_loads(&now, 1, 5);
	assert_int_equal(snapshot_delta(&came, &before, &now, 3 * SECOND), SINCE_RESET);
	assert_int_equal(came.head.status.samples, 1105);
	/* One that ended meanwhile is no such one. */
	begin_again();
	now.head.status.state = MEMLAT_STATE_IDLE;
	assert_int_equal(snapshot_delta(&came, &before, &now, 3 * SECOND), SINCE_BEFORE);
	begin_again();
	now.head.status.started_ns++;
	assert_int_equal(snapshot_delta(&came, &before, &now, 0), SINCE_START);
	assert_int_equal(came.head.status.samples, 1100);
}

/* Only the requested tables. */
TEST_WITH(some_tables, begin, end)
{
	more_loads(&now, 1, 5);
	before.tables = now.tables = 1U << MEMLAT_REC_LINE;
	snapshot_delta(&came, &before, &now, 0);
	assert_int_equal(came.nr_lines, 1);
	assert_int_equal(came.nr_threads, 0);
	assert_int_equal(came.head.status.lines_evicted, 0);
}
