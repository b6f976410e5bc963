// SPDX-License-Identifier: GPL-2.0
/* diff --fail-if: what is refused, how it judges, and how often it fails by chance. */
#include <math.h>

#include "ctl_profile.h"
#include "ctl_view.h"
#include "views/diff.h"

#define SETS	4000
#define SECOND	1000000000ULL

static struct profile sides[DIFF_SIDES];
static const struct profile *const profiles[DIFF_SIDES] = { &sides[0], &sides[1] };
static struct diff_row row[2];
static struct diff_rows rows;
static struct memlat_rec_count counts[DIFF_SIDES];
static uint64_t seed = 88172645463325252ULL;

static void begin(void)
{
	enum diff_side side;

	memset(row, 0, sizeof(row));
	memset(&rows, 0, sizeof(rows));
	row[0].name = "stats";
	row[0].field = ".hits";
	row[1].name = "stats";
	row[1].field = ".misses";
	rows.rows = row;
	rows.nr = 2;
	for (side = DIFF_BEFORE; side <= DIFF_AFTER; side++) {
		memset(&sides[side], 0, sizeof(sides[side]));
		sides[side].snap.head.status.duration_ns = SECOND;
	}
}

static void fill(enum diff_side side, __u64 samples, __u64 cost, __u64 hitm)
{
	rows.all.sum[side] = (struct sums){ .samples = samples, .cost = cost, .hitm = hitm };
	row[0].sum[side] = rows.all.sum[side];
}

static struct diff_judged judge(const char *text)
{
	struct diff_condition condition;
	struct diff_judged judged;

	assert_true(diff_condition_take(&condition, text));
	diff_relate(&rows, profiles);
	diff_condition_judge(&judged, &condition, &rows, profiles);
	free(condition.name);
	return judged;
}

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

TEST(what_it_says)
{
	struct diff_judged judged;

	begin();
	fill(DIFF_BEFORE, 1000, 100000, 500);
	fill(DIFF_AFTER, 1500, 150000, 500);
	judged = judge("cycles > 10%");
	assert_int_equal(judged.outcome, DIFF_FAILS);
	assert_true(fabs(judged.more - 0.5) < 1e-9);
	assert_true(judged.least > 0.3 && judged.least < 0.5);
	assert_int_equal(judge("cycles>60%").outcome, DIFF_HOLDS);
	/* More, but not more than sampling explains. */
	assert_int_equal(judge("cycles > 45%").outcome, DIFF_HOLDS);
	assert_int_equal(judge("hitm > 0%").outcome, DIFF_HOLDS);
	/* Rows by name, with the field or without. */
	assert_int_equal(judge("cycles of stats > 10%").outcome, DIFF_FAILS);
	assert_int_equal(judge("cycles of stats.hits > 10%").outcome, DIFF_FAILS);
	/* Elements of an array are one row. */
	row[0].field = "[].hits";
	assert_int_equal(judge("cycles of stats[3].hits > 10%").outcome, DIFF_FAILS);
	row[0].field = ".hits";
	assert_int_equal(judge("cycles of stats.misses > 10%").outcome, DIFF_UNDECIDED);
	assert_true(judge("cycles of stats.misses > 10%").named);
	assert_int_equal(judge("cycles of stat > 10%").outcome, DIFF_UNDECIDED);
	assert_false(judge("cycles of stat > 10%").named);
	/* A decrease is no failure. */
	fill(DIFF_AFTER, 100, 10000, 50);
	assert_int_equal(judge("cycles > 0%").outcome, DIFF_HOLDS);
	fill(DIFF_AFTER, 0, 0, 0);
	assert_int_equal(judge("cycles > 0%").outcome, DIFF_HOLDS);
	/* An increase from nothing. */
	fill(DIFF_BEFORE, 0, 0, 0);
	fill(DIFF_AFTER, 100, 10000, 50);
	judged = judge("hitm > 50%");
	assert_int_equal(judged.outcome, DIFF_FAILS);
	assert_false(judged.known);
	fill(DIFF_AFTER, 10, 1000, 10);
	assert_int_equal(judge("cycles > 50%").outcome, DIFF_UNDECIDED);
}

static char *printed(const char *text)
{
	struct diff_condition condition;
	struct diff_judged judged;
	char *line;

	assert_true(diff_condition_take(&condition, text));
	diff_relate(&rows, profiles);
	diff_condition_judge(&judged, &condition, &rows, profiles);
	line = PRINTED(diff_condition_print(out, &condition, &judged));
	free(condition.name);
	return line;
}

/* A condition says of what there is too little. */
TEST(why_it_is_undecided)
{
	begin();
	fill(DIFF_BEFORE, 1000, 100000, 5);
	fill(DIFF_AFTER, 1000, 100000, 5);
	says_just(printed("hitm > 5%"), "not decided: hitm > 5% (fewer than 20 HITM samples)\n");
	fill(DIFF_BEFORE, 5, 1000, 0);
	fill(DIFF_AFTER, 5, 1000, 0);
	says_just(printed("cycles > 5%"), "not decided: cycles > 5% (fewer than 20 sampled loads)\n");
	fill(DIFF_AFTER, 1000, 100000, 500);
	sides[DIFF_AFTER].snap.head.status.duration_ns = 0;
	says_just(printed("cycles > 5%"), "not decided: cycles > 5% (a profile does not say how long it took)\n");
}

/* Relative to the work that was done, if known: half of the work in the same time is no gain. */
TEST(per_instruction)
{
	struct diff_judged judged;
	enum diff_side side;

	begin();
	fill(DIFF_BEFORE, 1000, 100000, 500);
	fill(DIFF_AFTER, 1000, 100000, 500);
	for (side = DIFF_BEFORE; side <= DIFF_AFTER; side++) {
		counts[side] = (struct memlat_rec_count) {
			.event = MEMLAT_EVENT_INSTRUCTIONS, .value = side ? 500000 : 1000000,
		};
		sides[side].snap.counts = &counts[side];
		sides[side].snap.nr_counts = 1;
	}
	judged = judge("cycles > 50%");
	assert_true(judged.per_instruction);
	assert_true(fabs(judged.more - 1) < 1e-9);
	assert_int_equal(judged.outcome, DIFF_FAILS);
	sides[DIFF_AFTER].snap.nr_counts = 0;
	judged = judge("cycles > 50%");
	assert_false(judged.per_instruction);
	assert_int_equal(judged.outcome, DIFF_HOLDS);
}

/* So many samples on average, each with a latency of its own. */
static void draw(enum diff_side side, double samples)
{
	double left = samples, cost = 0;
	__u64 n = 0;

	for (left += log(uniform()); left > 0; left += log(uniform())) {
		n++;
		cost -= 100 * log(uniform());
	}
	fill(side, n, (__u64)cost, n);
}

/* With a budget, a sample stands for more loads if there are more: the number of samples stays. */
TEST(periods_differ)
{
	struct diff_judged judged;

	begin();
	fill(DIFF_BEFORE, 1000, 1000000, 500);
	fill(DIFF_AFTER, 1000, 2000000, 500);
	sides[DIFF_BEFORE].snap.buckets.count[7][MEMLAT_SRC_RHITM] = 500;
	sides[DIFF_BEFORE].snap.buckets.weight[7][MEMLAT_SRC_RHITM] = 500000;
	sides[DIFF_AFTER].snap.buckets.count[6][MEMLAT_SRC_L3_HITM] = 500;
	sides[DIFF_AFTER].snap.buckets.weight[6][MEMLAT_SRC_L3_HITM] = 1000000;
	judged = judge("hitm > 10%");
	assert_true(fabs(judged.more - 1) < 1e-9);
	assert_int_equal(judged.outcome, DIFF_FAILS);
	judged = judge("hitm of stats.hits > 10%");
	assert_true(fabs(judged.more - 1) < 1e-9);
	assert_int_equal(judged.outcome, DIFF_FAILS);
	/* Twice the samples at half the period are as many loads. */
	fill(DIFF_BEFORE, 2000, 2000000, 1000);
	sides[DIFF_BEFORE].snap.buckets.count[7][MEMLAT_SRC_RHITM] = 1000;
	sides[DIFF_BEFORE].snap.buckets.weight[7][MEMLAT_SRC_RHITM] = 1000000;
	assert_int_equal(judge("hitm > 10%").outcome, DIFF_HOLDS);
	assert_true(fabs(judge("hitm > 10%").more) < 1e-9);
}

/* If nothing has changed, chance makes it fail 5 times in 100. A real change is noticed. */
TEST(by_chance)
{
	unsigned int i, cycles = 0, hitm = 0, seen = 0;

	begin();
	for (i = 0; i < SETS; i++) {
		draw(DIFF_BEFORE, 200);
		draw(DIFF_AFTER, 200);
		cycles += judge("cycles > 0%").outcome == DIFF_FAILS;
		hitm += judge("hitm > 0%").outcome == DIFF_FAILS;
		draw(DIFF_AFTER, 400);
		seen += judge("cycles > 20%").outcome == DIFF_FAILS;
	}
	assert_in_range(cycles, SETS * 35 / 1000, SETS * 65 / 1000);
	assert_in_range(hitm, SETS * 35 / 1000, SETS * 65 / 1000);
	assert_true(seen > SETS * 95 / 100);
}

/* Stores have no latency, so they make no sum of latencies more certain. */
TEST(stores_tell_nothing_of_cycles)
{
	begin();
	fill(DIFF_BEFORE, 1000, 1000, 0);
	rows.all.sum[DIFF_BEFORE].stores = 996;
	fill(DIFF_AFTER, 1000, 3000, 0);
	rows.all.sum[DIFF_AFTER].stores = 992;
	assert_int_equal(judge("cycles > 10%").outcome, DIFF_UNDECIDED);
	rows.all.sum[DIFF_AFTER].stores = 984;
	assert_int_equal(judge("cycles > 10%").outcome, DIFF_HOLDS);
	rows.all.sum[DIFF_BEFORE].stores = rows.all.sum[DIFF_AFTER].stores = 0;
	assert_int_equal(judge("cycles > 10%").outcome, DIFF_FAILS);
}

/* Rows know how many of their samples are loads. */
TEST(loads_are_counted)
{
	static const enum diff_by all[] = { DIFF_BY_VARIABLE, DIFF_BY_FUNCTION, DIFF_BY_LINE,
					       DIFF_BY_TYPE };
	struct namer *namers[DIFF_SIDES];
	struct profile profile;
	size_t i, k;

	sample_profile(&profile);
	namers[DIFF_BEFORE] = namers[DIFF_AFTER] = namer_new(&profile, NULL);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct profile *const same[DIFF_SIDES] = { &profile, &profile };
		struct diff_rows found;
		__u64 loads = 0, told = 0;

		diff_rows_find(&found, all[i], same, namers);
		assert_int_equal(sums_loads(&found.all.sum[DIFF_AFTER]), profile.snap.head.status.loads);
		for (k = 0; k < found.nr; k++)
			loads += sums_loads(&found.rows[k].sum[DIFF_BEFORE]);
		for (k = 0; (all[i] == DIFF_BY_VARIABLE || all[i] == DIFF_BY_TYPE) && k < profile.snap.nr_accesses; k++)
			told += profile.snap.accesses[k].samples - profile.snap.accesses[k].stores;
		for (k = 0; all[i] == DIFF_BY_FUNCTION && k < profile.snap.nr_sites; k++)
			told += profile.snap.sites[k].samples - profile.snap.sites[k].stores;
		for (k = 0; all[i] == DIFF_BY_LINE && k < profile.snap.nr_lines; k++)
			told += profile.snap.lines[k].samples - profile.snap.lines[k].stores;
		assert_int_equal(loads, told);
		assert_int_not_equal(loads, 0);
		diff_rows_free(&found);
	}
	namer_free(namers[DIFF_BEFORE]);
	profile_free(&profile);
}

TEST_WITH(as_a_command, own_folder_make, own_folder_remove)
{
	struct profile profile;
	char *text, *json;

	sample_profile(&profile);
	profile_put(&profile, in("a"));
	profile.snap.head.status.duration_ns /= 2;
	profile_put(&profile, in("b"));
	profile_free(&profile);
	text = program_ends(3, "diff %s %s --fail-if 'cycles > 50%%' --fail-if 'hitm > 300%%' --json",
			    in("a"), in("b"));
	json = strchr(text, '{');
	assert_non_null(json);
	TELLS(json_tokener_parse(json), FITS "diff", "/conditions/0/outcome fails",
	      "/conditions/1/outcome holds", "/conditions/0/more 1.0");
	SAYS(text, "FAILS: cycles > 50% (100.0 % more per second; at least ",
	     "ok: hitm > 300% (100.0 % more per second; at least ");
	SAYS(program_ends(0, "diff %s %s --fail-if 'cycles > 50%%'", in("b"), in("a")),
	     "ok: cycles > 50% (50.0 % less per second; at most ", " % less, 95 times in 100)");
	SAYS(program_ends(0, "diff %s %s --fail-if 'cycles of no_such_name > 5%%'", in("a"),
			  in("b")),
	     "not decided: cycles of no_such_name > 5% (neither profile has a sample of that name)");
}

TEST(nonsense_is_refused)
{
	static const char *const wrong[] = {
		"", "cycles", "cycles > ", "cycles > x%", "time > 5%", "cycles < 5%", "cycles of  > 5%",
		"cycles stats > 5%", "> 5%",
	};
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		SAYS(program_ends(2, "diff a b --fail-if '%s'", wrong[i]),
		     "give 'cycles > 10%', 'hitm > 10%'");
}
