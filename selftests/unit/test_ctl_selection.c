// SPDX-License-Identifier: GPL-2.0
/* Selected rows: what is shown and what is left out add up to everything. */
#include <unistd.h>

#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "analysis/selection.h"
#include "profile/history.h"
#include "profile/snapshot_rows.h"
#include "util/text.h"
#include "views/top.h"

#define GOLDEN	"golden"
#define KERNEL	0xffffffff81000000ULL

static struct session s;
static struct profile profile;
static struct namer *namer;
static struct memlat_rec_site sites[6];
static struct memlat_rec_thread threads[4];
static struct memlat_rec_stride strides[4];

/* Two processes with two threads each, on two nodes, with code and data of user and kernel. */
static int begin(void **state)
{
	static const struct {
		__u32 tgid, tid;
		const char *comm;
	} who[4] = { { 4, 4, "server" }, { 4, 5, "worker" }, { 8, 8, "client" }, { 8, 9, "worker" } };
	size_t i;

	session_init(&s);
	for (i = 0; i < 4; i++) {
		USE(&s, .addr = LINE + 8 * i, .pid = who[i].tgid, .tid = who[i].tid, .loads = 50 + i,
		    .stores = 9, .ip = 0x401000 + 16 * i);
		USE(&s, .addr = KERNEL + 0x100, .pid = who[i].tgid, .tid = who[i].tid, .loads = 30 + i,
		    .ip = KERNEL + 16 * i);
		USE(&s, .addr = LINE + 0x1000 * (i + 1), .pid = who[i].tgid, .tid = who[i].tid,
		    .loads = 20 + i, .ip = 0x401000);
		memset(&threads[i], 0, sizeof(threads[i]));
		threads[i].tgid = who[i].tgid;
		threads[i].tid = who[i].tid;
		threads[i].nodes = i == 3 ? 3 : 1 + i % 2;
		threads[i].samples = 100 + i;
		threads[i].weight = 1000 + i;
		threads[i].cost = 5000 + i;
		strcpy(threads[i].comm, who[i].comm);
		strides[i] = (struct memlat_rec_stride){
			.ip = i == 3 ? KERNEL : 0x401000, .space = i == 3 ? 0 : who[i].tgid,
			.pairs = 11 + i,
		};
	}
	for (i = 0; i < 6; i++)
		sites[i] = (struct memlat_rec_site){
			.ip = i < 4 ? 0x401000 + 16 * i : KERNEL + i, .space = i < 4 ? who[i].tgid : 0,
			.samples = 70 + i, .weight = 700 + i, .cost = 7000 + i, .nodes = 1 + i % 3,
		};
	/* One line has more samples than its remaining accesses. */
	s.lines[0].samples += 5;
	s.snap.sites = sites;
	s.snap.nr_sites = 6;
	s.snap.threads = threads;
	s.snap.nr_threads = 4;
	s.snap.strides = strides;
	s.snap.nr_strides = 4;
	profile_init(&profile);
	profile.snap = s.snap;
	profile.history = history_new();
	for (i = 0; i < 4; i++)
		history_fork(profile.history, 0, who[i].tgid, who[i].tid, 1, 1);
	history_settle(profile.history, &profile.snap);
	cgroups_set(&profile.cgroups, 4, "/a.slice/b");
	namer = namer_new(&profile, NULL);
	return 0;
}

static int end(void **state)
{
	namer_free(namer);
	memset(&profile.snap, 0, sizeof(profile.snap));
	profile_free(&profile);
	return 0;
}

static struct selection ask(enum selection_key key)
{
	static const char *const text[SELECT_KEYS] = {
		[SELECT_COMM] = "serv*", [SELECT_PID] = "4", [SELECT_TID] = "5",
		[SELECT_CGROUP] = "/a.slice", [SELECT_FUNCTION] = "main", [SELECT_MODULE] = "*",
		[SELECT_DATA] = "[*", [SELECT_NODE] = "1", [SELECT_PROGRAM] = "",
	};
	struct selection selection = { 0 };

	selection.text[key] = text[key];
	selection.number[key] = (__u32)strtoul(text[key], NULL, 10);
	return selection;
}

static struct selection_left apply(const struct selection *selection, enum snapshot_table table)
{
	struct selection_left left;

	selection_apply(selection, &profile, namer, table, &left);
	return left;
}

/* Begin anew, and apply only this selection. */
static void leaves(const struct selection *selection, enum snapshot_table table, size_t kept,
		   size_t left_out, size_t untold)
{
	struct selection_left left;

	end(NULL);
	begin(NULL);
	left = apply(selection, table);
	assert_int_equal(left.kept.rows, kept);
	assert_int_equal(left.left_out.rows, left_out);
	assert_int_equal(left.untold.rows, untold);
}

TEST_WITH(accesses_by_whom, begin, end)
{
	struct selection selection = ask(SELECT_PID);
	struct selection_left left;
	size_t i;

	leaves(&selection, TABLE_ACCESSES, 6, 6, 0);
	for (i = 0; i < profile.snap.nr_accesses; i++)
		assert_int_equal(profile.snap.accesses[i].tgid, 4);
	/* The name is that of the process, whatever its threads are called. */
	selection = ask(SELECT_COMM);
	left = apply(&selection, TABLE_ACCESSES);
	assert_int_equal(left.kept.rows, 6);
	selection = ask(SELECT_CGROUP);
	left = apply(&selection, TABLE_ACCESSES);
	assert_int_equal(left.kept.rows, 6);
	selection = ask(SELECT_TID);
	left = apply(&selection, TABLE_ACCESSES);
	assert_int_equal(left.kept.rows, 3);
	assert_int_equal(profile.snap.accesses[0].tid, 5);
}

TEST_WITH(cgroup_that_is_not_known, begin, end)
{
	struct selection selection = ask(SELECT_CGROUP);
	struct selection_left left;

	leaves(&selection, TABLE_THREADS, 2, 0, 2);
	/* A cgroup whose name only begins in the same way is not below it. */
	selection.text[SELECT_CGROUP] = "/a.sli";
	left = apply(&selection, TABLE_THREADS);
	assert_int_equal(left.kept.rows, 0);
}

/* It is not known whose the kernel's code was, and how much each node has of rows of both. */
TEST_WITH(what_rows_do_not_tell, begin, end)
{
	struct selection selection = ask(SELECT_PID);

	leaves(&selection, TABLE_SITES, 2, 2, 2);
	selection = ask(SELECT_NODE);
	leaves(&selection, TABLE_SITES, 2, 2, 2);
	leaves(&selection, TABLE_THREADS, 1, 2, 1);
}

/* Of three accesses of each thread two are of the program; of the kernel's line none is. */
TEST_WITH(without_the_kernel, begin, end)
{
	struct selection selection = ask(SELECT_PROGRAM);

	leaves(&selection, TABLE_ACCESSES, 8, 4, 0);
	leaves(&selection, TABLE_SITES, 4, 2, 0);
	leaves(&selection, TABLE_STRIDES, 3, 1, 0);
	leaves(&selection, TABLE_LINES, 6, 1, 0);
}

/* A line passes as a whole if one of its accesses does. */
TEST_WITH(lines_are_whole, begin, end)
{
	struct selection selection = ask(SELECT_TID);
	size_t i;

	/* The line of both threads of the process, the kernel's, and one of its own. */
	leaves(&selection, TABLE_LINES, 3, 4, 0);
	for (i = 0; i < profile.snap.nr_lines; i++)
		assert_true(!profile.snap.lines[i].space || profile.snap.lines[i].space == 4);
	/* If a line's accesses were evicted, they may have been of any thread of its process. */
	selection.number[SELECT_TID] = 99;
	leaves(&selection, TABLE_LINES, 0, 6, 1);
	selection = ask(SELECT_PID);
	selection.number[SELECT_PID] = 99;
	leaves(&selection, TABLE_LINES, 0, 7, 0);
}

static __u64 rows_samples(struct json_object *document, const char *list, const char *key)
{
	struct json_object *rows = at(document, list), *value;
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < json_object_array_length(rows); i++) {
		assert_true(json_object_object_get_ex(json_object_array_get_idx(rows, i), key, &value));
		sum += json_object_get_uint64(value);
	}
	return sum;
}

static __u64 member(struct json_object *document, const char *part, const char *key)
{
	char path[64];

	snprintf(path, sizeof(path), "/selection/%s/%s", part, key);
	return json_object_get_uint64(at(document, path));
}

static const struct of_view {
	const char *view, *file;
	unsigned int keys;
} views[] = {
	{ "lines", "before", SELECT_OF_LINES }, { "c2c -d all", "before", SELECT_OF_LINES },
	{ "dcache --by data", "before", SELECT_OF_ACCESSES }, { "dcache --by site", "before", SELECT_OF_SITES },
	{ "dcache", "before", SELECT_OF_SITES }, { "dcache --by thread", "before", SELECT_OF_THREADS },
	{ "stride", "stride", SELECT_OF_STRIDES }, { "buckets", "before", 0 }, { "status", "before", 0 },
};

/* What rows of a view do not tell is refused. golden/ has what views show by the other keys. */
TEST(keys_that_rows_do_not_have)
{
	static char said[4096];
	unsigned int view, key;

	for (view = 0; view < sizeof(views) / sizeof(views[0]); view++)
		for (key = 0; key < SELECT_KEYS; key++) {
			if (views[view].keys >> key & 1)
				continue;
			assert_int_equal(program(said, sizeof(said), "%s -i " GOLDEN "/%s.memlat --%s %s",
						 views[view].view, views[view].file, selection_name(key),
						 key == SELECT_PROGRAM ? "" : "1"), 2);
			if (strcmp(views[view].view, "stride") ||
			    !((1U << SELECT_PID | 1U << SELECT_TID | 1U << SELECT_CGROUP) >> key & 1))
				says(said, "cannot select by ");
		}
}

/* What report leaves out is what it sums up apart: the kernel's rows, and the loader's. */
TEST(report_of_programs)
{
	static char said[1 << 20];
	static const char *const files[] = { GOLDEN "/before.memlat", GOLDEN "/counted.memlat" };
	size_t i, j, kernel = 0;

	for (i = 0; i < 2; i++) {
		struct json_object *all, *own, *things;

		assert_int_equal(program(said, sizeof(said), "report --json -i %s", files[i]), 0);
		all = json_tokener_parse(said);
		assert_int_equal(program(said, sizeof(said), "report --program --json -i %s", files[i]), 0);
		own = json_tokener_parse(said);
		fits_schema(own, "report");
		assert_int_equal(member(own, "left_out", "cost_cycles"),
				 json_object_get_uint64(at(all, "/kernel_cost_cycles")) +
				 json_object_get_uint64(at(all, "/loader_cost_cycles")));
		kernel += member(own, "left_out", "samples");
		assert_int_equal(json_object_get_uint64(at(own, "/cost_cycles")),
				 json_object_get_uint64(at(all, "/cost_cycles")));
		things = at(own, "/worst");
		for (j = 0; j < json_object_array_length(things); j++)
			assert_null(strstr(json_object_to_json_string(json_object_array_get_idx(things, j)), "0xffffffff"));
		json_object_put(all);
		json_object_put(own);
		SAYS(program_ends(0, "report --program -i %s", files[i]), "left out by --program: ");
		SAYS(program_ends(0, "report --html --program -i %s", files[i]), "left out by --program: ");
	}
	assert_int_not_equal(kernel, 0);
	SAYS(program_ends(2, "report --tid 5 -i " GOLDEN "/before.memlat"), "cannot select by ");
}

/* Figures of all that was sampled are no answer about rows that there are not. */
TEST(no_row_matches)
{
	unsigned int view;

	for (view = 0; view < sizeof(views) / sizeof(views[0]); view++)
		if (views[view].keys >> SELECT_COMM & 1)
			SAYS(program_ends(0, "%s --comm NOBODY -i " GOLDEN "/%s.memlat", views[view].view,
					  views[view].file), "No row matches --comm NOBODY.\n",
			     "(left out by --comm NOBODY: ", NOT "cost", NOT "miss rate");
}

/* With -g: accesses with and without chains are all accesses, in every view of instructions. */
TEST(chains_are_of_all_accesses)
{
	static const char *const of[] = { "lines", "dcache --by data", "dcache --by site", "dcache" };
	static char said[1 << 20];
	unsigned int i, only;
	__u64 whole[2] = { 0 };

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		for (only = 0; only < 2; only++) {
			struct json_object *document;
			__u64 sum;

			assert_int_equal(program(said, sizeof(said), "%s -g -i " GOLDEN "/before.memlat -n 0 --json --debug-path " GOLDEN "%s",
						 of[i], only ? " --function count_hit" : ""), 0);
			document = json_tokener_parse(said);
			assert_non_null(document);
			fits_schema(document, json_object_get_string(at(document, "/view")));
			sum = rows_samples(document, "/chains", "samples") +
			      json_object_get_uint64(at(document, "/without_chain/samples"));
			/* The same in all of these views. A view of one function has fewer. */
			if (!i)
				whole[only] = sum;
			assert_int_equal(sum, whole[only]);
			json_object_put(document);
		}
	assert_int_equal(whole[0], 341);
	assert_int_equal(whole[1], 339);
	SAYS(program_ends(0, "dcache --by data -g -i " GOLDEN "/stride.memlat"),
	     "No call chains were recorded.\n  memlat-ctl record --call-graph");
	free(program_ends(2, "dcache --by thread -g -i " GOLDEN "/before.memlat"));
}

/* Names are full of brackets, which stand for themselves. */
TEST(patterns)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} known[] = {
		{ "stats", "stats", true }, { "stat", "stats", false }, { "statss", "stats", false },
		{ "*", "", true }, { "", "a", false }, { "**", "abc", true }, { "?", "", false },
		{ "s*s", "stats", true }, { "s*ts", "statts", true }, { "*t?", "stats", true },
		{ "*t", "stats", false }, { "a*b*c", "a-b-b-c", true }, { "a*b*c", "a-c-b", false },
		{ "counts[3].*", "counts[3].hits", true }, { "counts[3].*", "counts3.hits", false },
		{ "[stack]*", "[stack] of chase:71", true }, { "[stack]*", "stats", false },
		{ "operator*", "operator[](int)", true }, { "a\\*b", "a*b", true }, { "a\\*b", "axb", false },
		{ "\\[x]", "[x]", true }, { "a\\", "a\\", true }, { "system\\x2da", "system\\x2da", true },
		{ "?b", "\xc3\xa4" "b", true }, { "*b", "\xff" "b", true }, { "??b", "\xc3\xa4" "b", false },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (pattern_matches(known[i].pattern, known[i].name) != known[i].matches)
			fail_msg("%s and %s", known[i].pattern, known[i].name);
}

TEST(patterns_as_typed)
{
	static char said[65536];

	assert_int_equal(program(said, sizeof(said), "dcache --by data -i " GOLDEN "/before.memlat --debug-path " GOLDEN
				 " --data 'stats.per_cpu[0].*'"), 0);
	says(said, "stats.per_cpu[0].hits ");
	assert_null(strstr(said, "stats.per_cpu[1].hits "));
	assert_int_equal(program(said, sizeof(said), "dcache --by data -i " GOLDEN "/before.memlat --debug-path " GOLDEN
				 " --data '[stack]*'"), 0);
	assert_null(strstr(said, "stats"));
}

/* A row of top leads to its lines, also if its name is too long for a pattern. */
TEST(rows_of_top)
{
	struct top_row row = { 0 };
	struct top_rows rows = { .by = TOP_BY_FUNCTION, .row = &row, .nr = 1 };
	struct selection selection;
	char pattern[256], name[600];
	size_t length;

	for (length = 1; length < sizeof(name); length++) {
		memset(name, length % 2 ? '*' : 'a', length);
		name[length] = '\0';
		row.name = name;
		assert_true(top_row_select(&rows, 0, &selection, pattern));
		assert_true(pattern_matches(selection.text[SELECT_FUNCTION], name));
	}
}

TEST(wrong_words)
{
	program_refuses("lines --pid x -i y", 2,
		"--pid x: not a whole decimal number; give the number of a process or thread");
	program_refuses("lines --node 64 -i y", 2, "--node 64: out of range; give the number of a node, 0 to 63");
	program_refuses("lines --comm '' -i y", 2, "--comm \"\": not a name");
}
