// SPDX-License-Identifier: GPL-2.0
/*
 * What holds for every snapshot, whatever is in it. Samples are drawn by chance, and module/core
 * itself puts them into tables, so what they add up to is known. Then a file holds what was written;
 * profiles that are merged are what one session of both would be, in any order; what came between
 * two snapshots and the earlier one are the later one; what a selection keeps, leaves out and cannot
 * tell is all; and rows have one order, however they came.
 */
#include "ctl_drawn.h"

#include <xxhash.h>

#include "analysis/line.h"
#include "analysis/selection.h"
#include "profile/history.h"
#include "profile/series.h"
#include "profile/snapshot_rows.h"
#include "util/text.h"

/* ------------------------------------------------------------------------------------------- equality */

static size_t row_bytes;

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, row_bytes);
}

/*
 * Rows in an order of their own. Numbers of call chains differ from snapshot to snapshot, so each
 * gets a number that follows from its frames.
 */
static void in_order(struct snapshot *snap)
{
	u64 key[ROW_KEY_MAX];
	unsigned int table;
	size_t i, j;

	for (i = 0; i < snap->nr_accesses; i++)
		for (j = 0; j < snap->nr_stacks; j++)
			if (snap->stacks[j].id && snap->accesses[i].stack == snap->stacks[j].id) {
				const unsigned int length = row_key(TABLE_STACKS, &snap->stacks[j], key);

				snap->accesses[i].stack = XXH3_64bits(key, length * sizeof(*key));
				break;
			}
	for (j = 0; j < snap->nr_stacks; j++)
		snap->stacks[j].id = 0;
	for (table = 0; table < TABLE_NR; table++) {
		row_bytes = row_kinds[table].size;
		if (snap->rows[table].nr)
			qsort(snap->rows[table].row, snap->rows[table].nr, row_bytes, by_bytes);
	}
}

/* Both are the same in each figure of each row and of all. Rows change their order. */
static void same(struct snapshot *a, struct snapshot *b)
{
	unsigned int table;
	size_t row, at;

	in_order(a);
	in_order(b);
	for (table = 0; table < TABLE_NR; table++) {
		const struct row_kind *kind = &row_kinds[table];

		if (a->rows[table].nr != b->rows[table].nr)
			fail_msg("%zu and %zu %s", a->rows[table].nr, b->rows[table].nr, kind->names);
		for (row = 0; row < a->rows[table].nr; row++)
			for (at = 0; at < kind->size; at += 8)
				if (row_figure(row_at(a, table, row), at) != row_figure(row_at(b, table, row), at))
					fail_msg("%s %zu differs at byte %zu", kind->name, row, at);
	}
	assert_memory_equal(a->sum, b->sum, sizeof(a->sum));
	assert_memory_equal(&a->buckets, &b->buckets, sizeof(a->buckets));
	assert_memory_equal(&a->parts, &b->parts, sizeof(a->parts));
	assert_memory_equal(&a->stores, &b->stores, sizeof(a->stores));
	assert_memory_equal(&a->raw, &b->raw, sizeof(a->raw));
}

static void same_status(const struct snapshot *a, const struct snapshot *b)
{
	size_t at;

	for (at = 0; at < sizeof(a->head); at += 8)
		if (memcmp((char *)&a->head + at, (char *)&b->head + at, 8))
			fail_msg("the status differs at byte %zu", at);
}

/* Samples of a session, twice, with and without strides, with few lines and with too many. */
static const struct {
	u64 bytes, lines;
	bool strides;
} kinds[] = {
	{ 8 * STORE, 12, false }, { 8 * STORE, 12, true },
	{ STORE / 4, 9000, false }, { STORE / 4, 9000, true },
};

#define EACH_KIND(kind)	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)

static void draw(struct drawn *d, unsigned int kind, u64 started_ns)
{
	drawn_init(d, kinds[kind].bytes, kinds[kind].lines, kinds[kind].strides, started_ns);
}

static unsigned int samples_of(unsigned int kind)
{
	return kinds[kind].lines > 100 ? 4000 : 300;
}

/* ----------------------------------------------------------------------------------------- the claims */

TEST_WITH(what_is_read_is_what_was_written, own_folder_make, own_folder_remove)
{
	struct profile profile, again;
	unsigned int kind;
	struct bytes file;
	struct drawn d;

	/* The last one is of a session without a sample. */
	for (seed = 1, kind = 0; kind <= ARRAY_SIZE(kinds); kind++) {
		draw(&d, kind % ARRAY_SIZE(kinds), 1000);
		take(&d, kind < ARRAY_SIZE(kinds) ? samples_of(kind) : 0);
		profile_of(&profile, &d);
		drawn_free(&d);
		profile_put(&profile, in("a"));
		profile_get(&again, in("a"), 0);
		/* A file that is written from it says the same, in all that a profile has. */
		profile_put(&again, in("b"));
		file = file_bytes(in("a"));
		file_is(in("b"), &file);
		free(file.at);
		same_status(&again.snap, &profile.snap);
		same(&again.snap, &profile.snap);
		profile_free(&again);
		profile_free(&profile);
	}
}

static void merged(struct profile *into, const struct profile *other)
{
	char why[PROFILE_ERROR_MAX];
	const char *broken;

	if (profile_merge(into, other, why))
		fail_msg("does not merge: %s", why);
	broken = account_snapshot_broken(&into->snap);
	if (broken)
		fail_msg("%s", broken);
}

/* Three sessions, one after the other, and all of their samples in one. */
static void sessions(unsigned int kind, u64 from, struct profile part[3], struct profile *all)
{
	struct drawn one, whole;
	unsigned int i;
	u64 now, then;

	draw(&whole, kind, 1000);
	for (seed = from, moment = 0, i = 0; i < 3; i++) {
		draw(&one, kind, 1000 * (i + 1));
		now = seed, then = moment;
		take(&one, samples_of(kind));
		seed = now, moment = then;
		take(&whole, samples_of(kind));
		profile_of(&part[i], &one);
		drawn_free(&one);
	}
	profile_of(all, &whole);
	drawn_free(&whole);
}

#define SUMS	(TABLE_NR * 64)

/* Each figure of all rows, by its place; of tables with more than 64 two may be one. */
static void add_up(const struct snapshot *snap, u64 sum[SUMS])
{
	unsigned int table, range;
	size_t row, at, n;

	memset(sum, 0, SUMS * sizeof(*sum));
	for (table = 0; table < TABLE_NR; table++)
		for (row = 0; row < snap->rows[table].nr; row++)
			for (range = 0, n = 0; range < ROW_RANGES; range++)
				for (at = row_kinds[table].sums[range].from; at < row_kinds[table].sums[range].to;
				     at += 8)
					sum[table * 64 + n++ % 64] += row_figure(row_at(snap, table, row), at);
}

TEST(merged_is_as_if_it_were_one_session)
{
	static u64 before[SUMS], more[SUMS], after[SUMS];
	struct profile a[3], b[3], c[3], all;
	unsigned int kind, i, j, round;

	EACH_KIND(kind)
		for (round = 1; round <= 2; round++) {
			sessions(kind, round, a, &all);
			profile_free(&all);
			sessions(kind, round, b, &all);
			profile_free(&all);
			sessions(kind, round, c, &all);
			add_up(&a[0].snap, before);
			for (i = 1; i < 3; i++) {
				add_up(&a[i].snap, more);
				for (j = 0; j < SUMS; j++)
					before[j] += more[j];
			}
			/* (a + b) + c, a + (b + c), (c + b) + a */
			merged(&a[0], &a[1]);
			merged(&a[0], &a[2]);
			merged(&b[1], &b[2]);
			merged(&b[0], &b[1]);
			merged(&c[2], &c[1]);
			merged(&c[2], &c[0]);
			add_up(&a[0].snap, after);
			for (j = 0; j < SUMS; j++)
				assert_int_equal(before[j], after[j]);
			same_status(&a[0].snap, &b[0].snap);
			same_status(&a[0].snap, &c[2].snap);
			/* Accesses whose call chains were evicted may be two rows. */
			if (kinds[kind].strides || kinds[kind].lines < 100) {
				same(&a[0].snap, &b[0].snap);
				same(&a[0].snap, &c[2].snap);
			}
			if (kinds[kind].lines < 100)
				same(&a[0].snap, &all.snap);
			for (i = 0; i < 3; i++) {
				profile_free(&a[i]);
				profile_free(&b[i]);
				profile_free(&c[i]);
			}
			profile_free(&all);
		}
}

TEST(before_and_since_are_now)
{
	struct snapshot before, now, came;
	unsigned int kind, round, table;
	struct drawn d;

	EACH_KIND(kind)
		for (seed = 7, round = 0; round < 4; round++) {
			draw(&d, kind, 1000);
			take(&d, round ? samples_of(kind) : 0);
			snapshot_of(&before, &d);
			take(&d, round == 3 ? 0 : samples_of(kind));
			snapshot_of(&now, &d);
			drawn_free(&d);
			assert_int_equal(snapshot_delta(&came, &before, &now, 0), SINCE_BEFORE);
			assert_null(account_snapshot_broken(&came));
			assert_int_equal(came.head.status.samples,
					 now.head.status.samples - before.head.status.samples);
			assert_int_equal(came.head.status.busy_cycles,
					 now.head.status.busy_cycles - before.head.status.busy_cycles);
			/* Nothing is there that did not happen. */
			for (table = TABLE_LINES; table <= TABLE_THREADS; table++) {
				assert_true(came.sum[table].samples <= came.head.status.samples);
				assert_true(round < 3 || !came.rows[table].nr);
			}
			/* What was evicted in between cannot be added to what it was. */
			if (kinds[kind].lines < 100) {
				merge_snapshots(&before, &came, true);
				assert_null(account_snapshot_broken(&before));
				assert_int_equal(before.head.status.records, now.head.status.records);
				assert_int_equal(before.head.status.duration_ns, now.head.status.duration_ns);
				same(&before, &now);
			}
			snapshot_free(&before);
			snapshot_free(&now);
			snapshot_free(&came);
		}
}

static struct table_sum sum_of(const struct snapshot *snap, enum snapshot_table table)
{
	struct table_sum sum = { 0 };
	size_t i;

	for (i = 0; i < snap->rows[table].nr; i++)
		row_sum(&sum, table, row_at(snap, table, i));
	return sum;
}

/* Texts and numbers of which some rows have one and others have none. */
static void any_selection(struct selection *selection, unsigned int keys)
{
	static const char *const texts[SELECT_KEYS][2] = {
		[SELECT_COMM] = { "t*", "one*" }, [SELECT_PID] = { "1", "2" }, [SELECT_TID] = { "1", "2" },
		[SELECT_CGROUP] = { "/a", "/b" }, [SELECT_FUNCTION] = { "walk", "*" },
		[SELECT_MODULE] = { "chase", "*" }, [SELECT_DATA] = { "[*", "heap*" },
		[SELECT_NODE] = { "0", "1" }, [SELECT_PROGRAM] = { "", "" },
	};
	unsigned int key;

	memset(selection, 0, sizeof(*selection));
	for (key = 0; key < SELECT_KEYS; key++) {
		if (!(keys >> key & 1) || any_of(3))
			continue;
		selection->text[key] = texts[key][any_of(2)];
		selection->number[key] = key == SELECT_NODE ? any_of(3) : SAMPLE_GONE_PID - 8 * any_of(3) +
					 (key == SELECT_TID ? any_of(3) : 0);
	}
}

TEST(selections_leave_nothing_out)
{
	static const struct {
		enum snapshot_table table;
		unsigned int keys;
	} of[] = {
		{ TABLE_LINES, SELECT_OF_LINES }, { TABLE_ACCESSES, SELECT_OF_ACCESSES },
		{ TABLE_SITES, SELECT_OF_SITES }, { TABLE_THREADS, SELECT_OF_THREADS },
		{ TABLE_STRIDES, SELECT_OF_STRIDES },
	};
	unsigned int round, kept_some = 0, left_some = 0;
	struct selection selection;
	struct profile profile;
	struct namer *namer;
	struct drawn d;

	for (seed = 11, round = 0; round < 150; round++) {
		const enum snapshot_table table = of[round % ARRAY_SIZE(of)].table;
		struct selection_left left, twice;
		struct table_sum before, kept;

		draw(&d, table == TABLE_STRIDES, 1000);
		take(&d, 300);
		profile_of(&profile, &d);
		drawn_free(&d);
		cgroups_set(&profile.cgroups, SAMPLE_GONE_PID, "/a/b");
		namer = namer_new(&profile, NULL);
		any_selection(&selection, of[round % ARRAY_SIZE(of)].keys);
		before = sum_of(&profile.snap, table);
		selection_apply(&selection, &profile, namer, table, &left);
		kept = sum_of(&profile.snap, table);
		assert_memory_equal(&kept, &left.kept, sizeof(kept));
		assert_int_equal(left.kept.rows + left.left_out.rows + left.untold.rows, before.rows);
		assert_int_equal(left.kept.samples + left.left_out.samples + left.untold.samples, before.samples);
		assert_int_equal(left.kept.weight + left.left_out.weight + left.untold.weight, before.weight);
		assert_int_equal(left.kept.cost + left.left_out.cost + left.untold.cost, before.cost);
		if (!selection_any(&selection))
			assert_int_equal(kept.rows, before.rows);
		/* What was kept is kept once more. */
		selection_apply(&selection, &profile, namer, table, &twice);
		assert_memory_equal(&twice.kept, &left.kept, sizeof(kept));
		assert_int_equal(twice.left_out.rows + twice.untold.rows, 0);
		kept_some += kept.rows && kept.rows < before.rows;
		left_some += left.untold.rows > 0;
		namer_free(namer);
		profile_free(&profile);
	}
	assert_true(kept_some > 20 && left_some > 5);
}

static void shuffle(void *rows, size_t nr, size_t size)
{
	char *at = rows, *other, one[MEMLAT_REC_MAX];

	for (; nr > 1; nr--, at += size) {
		other = at + any_of(nr) * size;
		memcpy(one, at, size);
		memmove(at, other, size);
		memcpy(other, one, size);
	}
}

static u64 line_figure(const struct memlat_rec_line *line, enum line_order order)
{
	return order == LINE_BY_HITM ? line_hitm(line) + line->store_hitm :
	       order == LINE_BY_LOADS ? line->samples - line->stores : line->stores;
}

static u64 site_figure(const struct memlat_rec_site *site, enum site_order order)
{
	return order == SITE_BY_HITM ? site_hitm(site) : order == SITE_BY_SAMPLES ? site->samples : site->stores;
}

/* Rows with equal figures are put in order by what they are, so the order is one, for any part of it. */
TEST(order_is_total)
{
	struct memlat_rec_line *lines;
	struct memlat_rec_site *sites;
	unsigned int kind, order, round;
	struct snapshot snap;
	struct drawn d;
	size_t i, some;

	seed = 13;
	EACH_KIND(kind) {
		draw(&d, kind, 1000);
		take(&d, samples_of(kind));
		snapshot_of(&snap, &d);
		drawn_free(&d);
		lines = calloc(snap.nr_lines, sizeof(*lines));
		sites = calloc(snap.nr_sites, sizeof(*sites));
		for (order = 0; order < LINE_ORDERS; order++)
			for (round = 0; round < 4; round++) {
				shuffle(snap.lines, snap.nr_lines, sizeof(*lines));
				some = round < 2 ? 0 : 1 + any_of(snap.nr_lines);
				line_sort(snap.lines, snap.nr_lines, order, some);
				if (!round)
					memcpy(lines, snap.lines, snap.nr_lines * sizeof(*lines));
				assert_memory_equal(lines, snap.lines, (some ?: snap.nr_lines) * sizeof(*lines));
				for (i = 1; order != LINE_BY_COST && i < snap.nr_lines; i++)
					assert_true(line_figure(&lines[i - 1], order) >=
						    line_figure(&lines[i], order));
			}
		for (order = 0; order < SITE_ORDERS; order++)
			for (round = 0; round < 3; round++) {
				shuffle(snap.sites, snap.nr_sites, sizeof(*sites));
				site_sort(snap.sites, snap.nr_sites, order);
				if (!round)
					memcpy(sites, snap.sites, snap.nr_sites * sizeof(*sites));
				assert_memory_equal(sites, snap.sites, snap.nr_sites * sizeof(*sites));
				for (i = 1; order != SITE_BY_COST && i < snap.nr_sites; i++)
					assert_true(site_figure(&sites[i - 1], order) >=
						    site_figure(&sites[i], order));
			}
		free(lines);
		free(sites);
		snapshot_free(&snap);
	}
}
