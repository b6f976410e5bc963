// SPDX-License-Identifier: GPL-2.0
/* A session in intervals: none is missing, few are kept, and views can show some of them. */
#include <errno.h>
#include <unistd.h>

#include "ctl_profile.h"
#include "ctl_view.h"

#include "profile/history.h"
#include "profile/intervals.h"
#include "profile/snapshot.h"
#include "profile/snapshot_rows.h"

#define SECOND	1000000000ULL

/* The sample, as the contents of one interval. Its first line has so many more loads. */
static struct snapshot came(__u64 more)
{
	struct snapshot snap;

	sample_snapshot(&snap);
	snap.head.status.duration_ns = SECOND;
	snap.lines[0].samples += more;
	snap.lines[0].cost += more * 1000;
	snap.head.status.samples += more;
	snap.head.status.loads += more;
	snap.head.status.records += more;
	snap.head.status.sites_evicted += more;
	snap.head.status.accesses_evicted += more;
	snap.threads[0].samples += more;
	snap.threads[0].cost += more * 100000000;
	snap.buckets.count[7][MEMLAT_SRC_RHITM] += more;
	snap.raw.count[0x0d] += more;
	snap.cores[0].loads += more;
	snap.sources[1].samples += more;
	merge_sums(&snap);
	return snap;
}

static void add(struct intervals *intervals, size_t second, __u64 more)
{
	struct snapshot snap = came(more);

	intervals_add(intervals, second * SECOND, (second + 1) * SECOND, &snap);
	assert_int_equal(snap.nr_lines, 0);
}

TEST(a_part_of_the_time)
{
	struct intervals *intervals = intervals_new(SECOND);
	__u64 from = SECOND / 2, to = 2 * SECOND;
	struct snapshot sum;
	size_t i;

	for (i = 0; i < 4; i++)
		add(intervals, i, i);
	assert_int_equal(intervals_between(intervals, &from, &to, &sum), 2);
	assert_int_equal(from, 0);
	assert_int_equal(to, 2 * SECOND);
	assert_int_equal(sum.head.status.samples, 2 * 1100 + 1);
	assert_int_equal(sum.head.status.duration_ns, 2 * SECOND);
	assert_int_equal(sum.nr_lines, 3);
	assert_null(account_snapshot_broken(&sum));
	snapshot_free(&sum);
	/* An interval that only touches the end has no part. */
	from = 3 * SECOND;
	to = 4 * SECOND;
	assert_int_equal(intervals_between(intervals, &from, &to, &sum), 1);
	assert_int_equal(sum.head.status.samples, 1103);
	snapshot_free(&sum);
	from = 4 * SECOND;
	to = 9 * SECOND;
	assert_int_equal(intervals_between(intervals, &from, &to, &sum), 0);
	intervals_free(intervals);
}

/*
 * Intervals end a little late. The times that views print of one give this one, and its neighbours
 * only if a time is more exact.
 */
TEST(times_as_they_are_printed)
{
	static const struct {
		__u64 from, to, begin, end;
	} asked[] = {
		{ 1000000000, 2000000000, 1000300000, 2000700000 },
		{ 1000000001, 2000000000, 0, 2000700000 },
		{ 1000000000, 2000800000, 1000300000, 3000900000 },
		{ 0, 1000000000, 0, 1000300000 },
		{ 2000000000, ~0ULL, 2000700000, 3040000000 },
		/* The last one, which is shorter than what is printed. */
		{ 3000000000, ~0ULL, 3000900000, 3040000000 },
	};
	struct intervals *intervals = intervals_new(SECOND);
	static const __u64 ends[] = { 0, 1000300000, 2000700000, 3000900000, 3040000000 };
	struct snapshot sum;
	size_t i;

	for (i = 0; i < 4; i++) {
		struct snapshot snap = came(i);

		intervals_add(intervals, ends[i], ends[i + 1], &snap);
	}
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		__u64 from = asked[i].from, to = asked[i].to;

		assert_true(intervals_between(intervals, &from, &to, &sum));
		assert_int_equal(from, asked[i].begin);
		assert_int_equal(to, asked[i].end);
		snapshot_free(&sum);
	}
	intervals_free(intervals);
}

/*
 * A bound counts from the beginning of the session, so that the last one holds for all intervals
 * before. Those of another session come on top.
 */
TEST(bounds_of_a_sum)
{
	struct intervals *intervals = intervals_new(SECOND);
	__u64 from = 0, to = ~0ULL;
	struct snapshot sum;
	size_t i;

	for (i = 0; i < 5; i++) {
		struct snapshot snap = came(i);

		snap.head.status.started_ns += i < 3 ? 0 : 9 * SECOND;
		snap.head.status.lines_error = i < 3 ? 4 + i : i - 2;
		snap.lines[0].error = i == 1 ? 5 : 0;
		/* This line is in the first interval only. */
		snap.lines[1].addr += i * 4096;
		intervals_add(intervals, i * SECOND, (i + 1) * SECOND, &snap);
	}
	assert_int_equal(intervals_between(intervals, &from, &to, &sum), 5);
	assert_int_equal(sum.head.status.lines_error, 6 + 2);
	assert_int_equal(sum.lines[0].error, 5);
	assert_int_equal(sum.lines[1].error, 6 + 2);
	assert_int_equal(sum.head.status.samples, 5 * 1100 + 10);
	snapshot_free(&sum);
	from = 0;
	to = 3 * SECOND;
	assert_int_equal(intervals_between(intervals, &from, &to, &sum), 3);
	assert_int_equal(sum.head.status.lines_error, 6);
	assert_int_equal(sum.lines[1].error, 6);
	snapshot_free(&sum);
	intervals_free(intervals);
}

/* While nothing runs that is sampled, no cycles are counted. They are known to be none. */
TEST(an_idle_interval)
{
	struct intervals *intervals = intervals_new(SECOND);
	__u64 from = 0, to = 3 * SECOND;
	struct snapshot sum;
	size_t i;

	for (i = 0; i < 3; i++)
		add(intervals, i, 0);
	intervals->at[1].came.head.status.busy_cycles = 0;
	intervals->at[1].came.head.status.own_cycles = 0;
	assert_int_equal(intervals_between(intervals, &from, &to, &sum), 3);
	assert_int_equal(sum.head.status.busy_cycles, 2000000000);
	assert_int_equal(sum.head.status.own_cycles, 2 * 9300000);
	snapshot_free(&sum);
	/* With fixed periods they are not known. */
	intervals->at[1].came.head.status.max_overhead = 0;
	assert_int_equal(intervals_between(intervals, &from, &to, &sum), 3);
	assert_int_equal(sum.head.status.busy_cycles, 0);
	assert_int_equal(sum.head.status.own_cycles, 0);
	snapshot_free(&sum);
	intervals_free(intervals);
}

TEST(neighbours_are_joined)
{
	struct intervals *intervals = intervals_new(SECOND);
	__u64 from = 0, to = ~0ULL, samples = 0;
	struct snapshot sum;
	size_t i;

	for (i = 0; i <= INTERVALS_MOST; i++) {
		add(intervals, i, i);
		samples += 1100 + i;
	}
	assert_int_equal(intervals->joins, 1);
	assert_int_equal(intervals->nr, INTERVALS_MOST / 2 + 1);
	for (i = 1; i < intervals->nr; i++)
		assert_int_equal(intervals->at[i].from_ns, intervals->at[i - 1].to_ns);
	assert_int_equal(intervals->at[1].came.head.status.samples, 2 * 1100 + 2 + 3);
	assert_int_equal(intervals_between(intervals, &from, &to, &sum), intervals->nr);
	assert_int_equal(to, (INTERVALS_MOST + 1) * SECOND);
	assert_int_equal(sum.head.status.samples, samples);
	assert_null(account_snapshot_broken(&sum));
	snapshot_free(&sum);
	intervals_free(intervals);
}

TEST(bytes_that_hold_together)
{
	struct intervals *intervals = intervals_new(SECOND), *again;
	unsigned char *bytes;
	const char *why;
	void *encoded, *twice;
	size_t size, size_twice, i;

	add(intervals, 0, 1);
	add(intervals, 1, 2);
	intervals->joins = 3;
	intervals_encode(intervals, &encoded, &size);
	assert_int_equal(intervals_decode(&again, encoded, size, 0, &why), 0);
	assert_int_equal(again->nr, 2);
	assert_int_equal(again->joins, 3);
	assert_int_equal(again->at[1].came.head.status.samples, 1102);
	intervals_encode(again, &twice, &size_twice);
	assert_int_equal(size_twice, size);
	assert_memory_equal(twice, encoded, size);
	free(twice);
	intervals_free(again);
	/* Added up on its own. */
	assert_int_equal(intervals_decode(&again, encoded, size, 1U << MEMLAT_REC_CORE, &why), 0);
	assert_int_equal(again->at[0].came.nr_lines, 0);
	assert_true(snapshot_cost(&again->at[0].came) > 0);
	intervals_free(again);
	/* Cut off anywhere, or with a wrong byte: refused or read. */
	bytes = encoded;
	for (i = 0; i < size; i += 7)
		assert_int_not_equal(intervals_decode(&again, bytes, i, 0, &why), 0);
	for (i = 0; i < size; i += 5) {
		bytes[i] ^= 0x81;
		if (!intervals_decode(&again, bytes, size, 0, &why))
			intervals_free(again);
		bytes[i] ^= 0x81;
	}
	free(encoded);
	/* Intervals longer than a number can say. */
	for (i = 63; i <= 65; i++) {
		intervals->joins = i;
		intervals_encode(intervals, &encoded, &size);
		assert_int_equal(intervals_decode(&again, encoded, size, 0, &why), -EBADMSG);
		free(encoded);
	}
	intervals_free(intervals);
}

/* The last interval begins where the one before ended. What was thrown away is in none. */
TEST(the_last_interval)
{
	struct interval_run run = { .kept = intervals_new(SECOND) };
	struct snapshot end = came(9), early = came(2);

	run.started_ns = end.head.status.started_ns;
	run.last = early;
	run.begun = true;
	end.head.status.duration_ns = 3 * SECOND;
	interval_finish(&run, &end);
	assert_int_equal(run.kept->nr, 1);
	assert_int_equal(run.kept->at[0].from_ns, SECOND);
	assert_int_equal(run.kept->at[0].to_ns, 3 * SECOND);
	assert_int_equal(run.kept->at[0].came.head.status.samples, 7);
	assert_null(account_snapshot_broken(&run.kept->at[0].came));
	/* The tables were emptied in between. */
	end.head.status.records = 5;
	interval_finish(&run, &end);
	assert_int_equal(run.kept->nr, 1);
	assert_int_equal(run.kept->at[0].from_ns, 0);
	snapshot_free(&end);
	interval_free(&run);
}

static void store(void)
{
	struct profile profile;

	sample_profile(&profile);
	profile.intervals = intervals_new(SECOND);
	add(profile.intervals, 0, 1);
	add(profile.intervals, 1, 20);
	add(profile.intervals, 2, 3);
	profile_put(&profile, in("a"));
	profile_free(&profile);
}

TEST_WITH(views_of_a_part, own_folder_make, own_folder_remove)
{
	struct profile profile;
	char *text;

	store();
	profile_get(&profile, in("a"), 1U << MEMLAT_REC_LINE);
	assert_int_equal(profile.intervals->nr, 3);
	assert_int_equal(profile.intervals->at[1].came.nr_lines, 0);
	profile_free(&profile);
	SAYS(program_ends(0, "lines -i %s --time 1,2", in("a")), "(1.0 to 2.0 s: 1 interval)",
	     "1.0 s", "1,120 samples");
	SAYS(program_ends(0, "dcache --by thread -i %s --time ,2 --json 2>/dev/null", in("a")),
	     "\"samples\": 2221");
	/* The beginning as views print it. */
	SAYS(program_ends(0, "lines -i %s --time 0.0,2.0", in("a")), "(0.0 to 2.0 s: 2 intervals)");
	SAYS(program_ends(2, "lines -i %s --time 0.,2", in("a")),
	     "--time 0.: not a number of seconds");
	/* perf prints times with six or nine decimals. */
	SAYS(program_ends(0, "lines -i %s --time 0.999999999,1.000001", in("a")),
	     "(0.0 to 2.0 s: 2 intervals)");
	SAYS(program_ends(0, "lines -i %s --time 1.000000000,1.000000001", in("a")),
	     "(1.0 to 2.0 s: 1 interval)");
	SAYS(program_ends(2, "lines -i %s --time 1.0000000000,2", in("a")),
	     "--time 1.0000000000: not a number of seconds");
	SAYS(program_ends(0, "report -i %s", in("a")), "Over time, 1.0 s each: ", "1.0 to 2.0 s",
	     NOT "--time 1");
	/* The highest of the part that is shown, although another interval was higher. */
	SAYS(program_ends(0, "report -i %s --time 0,1", in("a")), "Over time, ", " 0.0 to 1.0 s;",
	     NOT "1.0 to 2.0 s");
	/* The line on standard error comes first. */
	text = program_ends(0, "report -i %s --json --time 1,2", in("a"));
	TELLS(json_tokener_parse(strchr(text, '{')), FITS "report", "/intervals #1", "/intervals/0/samples 1120",
	      "/intervals/0/from_s 1.0");
	free(text);
	/* What it suggests to type next shows the same part. */
	SAYS(program_ends(0, "report -i %s --time 1,2", in("a")), "next: memlat-ctl ", "/a --time 1,2");
	SAYS(program_ends(1, "report -i %s --time 7,9", in("a")),
	     "nothing was recorded then; give a time from 0 to 3.0");
	SAYS(program_ends(2, "lines -i %s --time 2,1", in("a")), "ends before it begins");
	SAYS(program_ends(2, "lines -i %s --time x", in("a")), "give two, in seconds");
	program_refuses("lines --time 1,2", 1, "--time needs a profile");
	program_refuses("buckets --time 1,2", 1, "--time needs a profile");
}

TEST_WITH(none_were_kept, own_folder_make, own_folder_remove)
{
	struct profile profile;

	sample_profile(&profile);
	profile_put(&profile, in("a"));
	profile_free(&profile);
	SAYS(program_ends(1, "lines -i %s --time 1,2", in("a")), "record --interval 1");
}

/* The intervals of one session after those of another. A session without intervals is one. */
TEST_WITH(of_merged_sessions, own_folder_make, own_folder_remove)
{
	struct profile profile, merged;
	struct snapshot sum;
	__u64 from = 0, to = ~0ULL;

	store();
	sample_profile(&profile);
	profile.snap.head.status.started_ns += 1000 * SECOND;
	profile.snap.head.status.duration_ns = 5 * SECOND;
	profile_put(&profile, in("b"));
	profile_free(&profile);
	free(program_ends(0, "fleet %s %s -o %s", in("b"), in("a"), in("c")));
	profile_get(&merged, in("c"), 0);
	assert_non_null(merged.intervals);
	assert_int_equal(merged.intervals->nr, 4);
	assert_int_equal(merged.intervals->at[2].came.lines[0].samples,
			 merged.intervals->at[3].came.lines[0].samples + 3);
	assert_int_equal(merged.intervals->at[3].to_ns - merged.intervals->at[3].from_ns, 5 * SECOND);
	assert_true(merged.intervals->at[3].from_ns >= merged.intervals->at[2].to_ns);
	assert_false(intervals_are_even(merged.intervals));
	assert_int_equal(intervals_between(merged.intervals, &from, &to, &sum), 4);
	assert_null(account_snapshot_broken(&sum));
	snapshot_free(&sum);
	profile_free(&merged);
	SAYS(program_ends(0, "report -i %s", in("c")), "Over time, 4 intervals, some longer: ");
	SAYS(program_ends(0, "status -i %s --time 0,1", in("c")), "1,101 samples");
	free(program_ends(1, "status --time 0,1"));
	SAYS(program_ends(2, "advise -i %s --time 0,1", in("c")), "counted for the whole run");
}
