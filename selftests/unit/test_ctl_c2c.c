// SPDX-License-Identifier: GPL-2.0
/* c2c's figures and ranks, compared with sums made by hand. */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "ctl_c2c.h"
#include "ctl_profile.h"

#include "views/c2c.h"

VIEW_BEGIN_END(view)

static __u64 fact(const struct c2c *c2c, bool shared, const char *key)
{
	struct c2c_fact facts[C2C_FACTS_MAX];
	size_t nr = shared ? c2c_shared_facts(c2c, facts) : c2c_trace_facts(c2c, facts), i;

	assert_true(nr < C2C_FACTS_MAX);
	for (i = 0; i < nr; i++)
		if (!strcmp(facts[i].key, key)) {
			assert_true(facts[i].value.kind != CELL_NONE);
			return facts[i].value.part;
		}
	fail_msg("no %s", key);
	return 0;
}

/* Check all of these figures: FACTS(c2c, false, "samples 198", "loads 136"). */
#define FACTS(c2c, shared, ...) \
	facts_are(c2c, shared, (const char *const[]){ __VA_ARGS__, NULL })

static void facts_are(const struct c2c *c2c, bool shared, const char *const *facts)
{
	for (; *facts; facts++) {
		const char *blank = strchr(*facts, ' ');
		char key[32];

		snprintf(key, sizeof(key), "%.*s", (int)(blank - *facts), *facts);
		if (fact(c2c, shared, key) != strtoull(blank + 1, NULL, 10))
			fail_msg("%s is %llu, not%s", key, fact(c2c, shared, key), blank);
	}
}

static bool fact_is_none(const struct c2c *c2c, const char *key)
{
	struct c2c_fact facts[C2C_FACTS_MAX];
	size_t nr = c2c_trace_facts(c2c, facts), i;

	for (i = 0; i < nr; i++)
		if (!strcmp(facts[i].key, key))
			return facts[i].value.kind == CELL_NONE;
	fail_msg("no %s", key);
	return false;
}

/* Loads of every source, each a different number: 136 in all. */
static void take_sources(void)
{
	struct memlat_rec_line *line;
	unsigned int i;

	USE(&view.s, .addr = LINE, .tid = 1, .loads = 136, .stores = 50, .store_misses = 20);
	USE(&view.s, .addr = LINE + 8, .tid = 2, .stores = 7);
	line = &view.s.lines[0];
	memset(view.s.snap.buckets.count, 0, sizeof(view.s.snap.buckets.count));
	for (i = 0; i < MEMLAT_SRC_NR; i++) {
		line->source[i] = i + 1;
		view.s.snap.buckets.count[i % MEMLAT_BUCKETS][i] = i + 1;
	}
	line->locked = 9;
	line->blocked_data = 3;
	line->blocked_addr = 4;
}

TEST_WITH(accounting, begin, end)
{
	/* Each load is counted in one of these. */
	static const char *const parts[] = {
		"sources_unc", "sources_io", "sources_unknown", "sources_lfb", "sources_l1",
		"sources_l2", "load_llc_hit", "load_llc_misses",
	};
	struct memlat_rec_source words[] = {
		{ .source = MEMLAT_SRC_DRAM, .snoop = MEMLAT_SNOOP_HIT, .samples = 4 },
		{ .source = MEMLAT_SRC_RDRAM, .snoop = MEMLAT_SNOOP_FWD, .samples = 2 },
		{ .source = MEMLAT_SRC_RDRAM, .snoop = MEMLAT_SNOOP_MISS, .samples = 9 },
		{ .source = MEMLAT_SRC_RCACHE, .snoop = MEMLAT_SNOOP_HIT, .samples = 8,
		  .flags = MEMLAT_WORD_BLOCKED_DATA | MEMLAT_WORD_BLOCKED_ADDR },
		{ .source = MEMLAT_SRC_L1, .samples = 2, .flags = MEMLAT_WORD_BLOCKED_ADDR },
	};
	struct c2c *c2c;
	__u64 sum = 0;
	size_t i;

	take_sources();
	view.s.snap.sources = words;
	view.s.snap.nr_sources = 5;
	/* The lines of 5 stores were evicted. */
	view.s.snap.head.status.stores += 5;
	view.s.snap.head.status.samples += 5;
	assert_int_equal(view_take(&view), 0);
	c2c = &view.c2c;

	FACTS(c2c, false, "samples 198", "loads 136");
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += fact(c2c, false, parts[i]);
	assert_int_equal(sum, 136);
	/* L3 5, with a snoop 6, HITM 7. */
	FACTS(c2c, false, "load_llc_hit 18",
	      /* Remote cache 8, remote HITM 9, DRAM 10, remote 11, PMEM 12, remote 13, L4 14. */
	      "load_llc_misses 77", "load_other_memory 39", "hitm_local 7",
	      "hitm_remote 9", "sources_rcache 8", "sources_dram 10",
	      "sources_rdram 11", "load_local_peer 6", "load_remote_peer 8", "sources_io 15",
	      "sources_unc 16", "sources_unknown 1",
	      /* Transfers from a remote cache are no loads from memory. */
	      "load_shared 6", "load_exclusive 15");
	sum = fact(c2c, false, "llc_miss_local_dram") +
	      fact(c2c, false, "llc_miss_remote_dram") +
	      fact(c2c, false, "llc_miss_remote_hit") +
	      fact(c2c, false, "llc_miss_hitm_remote") +
	      fact(c2c, false, "llc_miss_other");
	assert_int_equal(sum, 77);
	FACTS(c2c, false, "locked 9", "blocked_data 8", "blocked_addr 10", "stores 62",
	      "store_l1_hit 37", "store_l1_miss 20", "store_no_level 5", "not_parsed 0");

	FACTS(c2c, true, "lines 1", "loads 136", "stores 57", "load_llc_hit 18",
	      "load_peer_hit 14", "blocked 7");
	assert_int_equal(fact(c2c, true, "merged"), 7 + 9 + 57);
	view.s.snap.sources = NULL;
}

/* Each load of a row is in one of its columns, and each store, too. */
TEST_WITH(line_columns, begin, end)
{
	static const char *const loads[] = {
		"sources/lfb", "sources/l1", "sources/l2", "load_llc_clean_hit", "hitm_local",
		"sources/rcache", "hitm_remote", "sources/dram", "sources/rdram",
		"load_other",
	};
	struct json_object *document;
	char path[64];
	__u64 sum = 0;
	size_t i;

	take_sources();
	view.s.lines[0].home = 1;
	document = view_json(&view);
	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		snprintf(path, sizeof(path), "/lines/0/%s", loads[i]);
		sum += json_object_get_uint64(at(document, path));
	}
	assert_int_equal(sum, 136);
	HOLDS(document, "/lines/0/loads 136", "/lines/0/samples 193", "/lines/0/stores 57",
	      "/lines/0/store_l1_hit 37", "/lines/0/store_l1_miss 20", "/lines/0/hitm 16",
	      "/lines/0/load_llc_clean_hit 11");
	is_count(document, "/lines/0/load_other", 1 + 12 + 13 + 14 + 15 + 16);
	HOLDS(document, "/lines/0/home 1", "/lines/0/addr 0x404080", "/lines/0/hitm_share 1.0",
	      "/lines/0/cost 1.0", "/view c2c", "/quality/samples 193", "/trace/loads 136");
	json_object_put(document);
}

/* Three lines: much cost and few HITM, many remote HITM, many local ones. */
static void take_three(void)
{
	struct session *s = &view.s;

	USE(s, .addr = 0x1000, .tid = 1, .loads = 4000, .lfb = 3000, .hitm = 10, .stores = 900);
	USE(s, .addr = 0x1008, .tid = 2, .loads = 4000, .lfb = 3000, .stores = 900);
	USE(s, .addr = 0x2000, .tid = 1, .loads = 200, .rhitm = 200, .stores = 10);
	USE(s, .addr = 0x2000, .tid = 2, .loads = 20, .stores = 10);
	USE(s, .addr = 0x3000, .tid = 1, .loads = 300, .hitm = 300, .stores = 10);
	USE(s, .addr = 0x3000, .tid = 2, .loads = 20, .stores = 10);
	/* Another thread wrote, but was not sampled. */
	USE(s, .addr = 0x8000, .tid = 1, .loads = 100, .hitm = 50);
	/* Not shared: one thread only, or no writer. */
	USE(s, .addr = 0x4000, .tid = 1, .loads = 5000, .stores = 900);
	USE(s, .addr = 0x5000, .tid = 1, .loads = 5000);
	USE(s, .addr = 0x5000, .tid = 2, .loads = 5000);
	/* Shared, but with almost no samples. */
	USE(s, .addr = 0x6000, .tid = 1, .loads = 1, .stores = 1);
	USE(s, .addr = 0x6008, .tid = 2, .loads = 1, .stores = 1);
}

/*
 * Stores that report their line: two threads that only write, and one that rarely reads what
 * another one writes.
 */
TEST_WITH(written_only, begin, end)
{
	USE(&view.s, .addr = 0x1000, .tid = 1, .stores = 100, .store_misses = 40, .store_hitm = 40);
	USE(&view.s, .addr = 0x1008, .tid = 2, .stores = 100, .store_misses = 40, .store_hitm = 40);
	USE(&view.s, .addr = 0x2000, .tid = 1, .stores = 100, .store_misses = 40, .store_fwd = 40);
	USE(&view.s, .addr = 0x2008, .tid = 2, .stores = 100, .store_misses = 40, .store_fwd = 40);
	USE(&view.s, .addr = 0x3000, .tid = 1, .stores = 100, .store_misses = 40, .store_fwd = 40);
	USE(&view.s, .addr = 0x3008, .tid = 2, .loads = 10);
	USE(&view.s, .addr = 0x4000, .tid = 1, .loads = 50000, .rhitm = 40000, .stores = 1000);
	USE(&view.s, .addr = 0x4008, .tid = 2, .loads = 50000, .rhitm = 40000, .stores = 1000);
	assert_int_equal(view_take(&view), 0);
	assert_int_equal(view.c2c.nr_shown, 3);
	assert_int_equal(view.c2c.lines[0].line->start, 0x4000);
	assert_int_equal(view.c2c.lines[1].line->start, 0x1000);
	assert_int_equal(view.c2c.lines[2].line->start, 0x2000);
	SAYS(view_text(&view), "3 false sharing");
	FACTS(&view.c2c, false, "store_hitm 80", "store_xsnp_fwd 120");
	/* On Ice Lake, loads may be forwarded, and stores do not report their line. */
	view.s.snap.head.status.traits &= ~MEMLAT_TRAIT_STORE_SOURCE;
	assert_int_equal(view_take(&view), 0);
	assert_true(fact_is_none(&view.c2c, "store_hitm"));
	assert_true(fact_is_none(&view.c2c, "store_xsnp_fwd"));
	assert_false(fact_is_none(&view.c2c, "xsnp_fwd"));
}

/*
 * On Ice Lake, with so short a program that none of its loads was tagged: stores of two threads
 * that missed L1 get a row. Stores that hit it, or that are of one thread, get none.
 */
TEST_WITH(no_load_sampled, begin, end)
{
	view.s.snap.head.status.traits &= ~MEMLAT_TRAIT_STORE_SOURCE;
	USE(&view.s, .addr = 0x1000, .tid = 1, .stores = 100, .store_misses = 40);
	USE(&view.s, .addr = 0x1008, .tid = 2, .stores = 100, .store_misses = 40);
	USE(&view.s, .addr = 0x2000, .tid = 1, .stores = 100, .store_misses = 2);
	USE(&view.s, .addr = 0x2008, .tid = 2, .stores = 100, .store_misses = 2);
	USE(&view.s, .addr = 0x3000, .tid = 1, .stores = 100, .store_misses = 90);
	assert_int_equal(view_take(&view), 0);
	assert_int_equal(view.c2c.nr_shown, 1);
	assert_int_equal(view.c2c.lines[0].line->start, 0x1000);
	SAYS(view_text(&view), "1 false sharing");
}

static void ranked(enum c2c_display display, const char *starts)
{
	char found[256] = "";
	size_t i, used = 0;

	view.options.display = display;
	assert_int_equal(view_take(&view), 0);
	for (i = view.c2c.first; i < view.c2c.first + view.c2c.nr_shown; i++)
		used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%llx",
					 used ? " " : "", view.c2c.lines[i].line->start);
	assert_string_equal(found, starts);
}

TEST_WITH(one_line, begin, end)
{
	take_three();
	view.options.index = 2;
	ranked(C2C_COST, "2000");
	SAYS(view_text(&view), "Line 2, 0x2000:", NOT "worst:", NOT "Trace Event Information");
	/* Those below the limit have an index too. */
	view.options.index = 5;
	ranked(C2C_COST, "6000");
	SAYS(view_text(&view), "too few samples");
	view.options.index = 6;
	assert_int_equal(view_take(&view), -ENOENT);
	view.options.index = 0;
	view.options.addr = 0x3007;
	ranked(C2C_COST, "3000");
	SAYS(view_text(&view), "Line 3, 0x3000:");
	/* One that is not shared has its story as well. */
	view.options.addr = 0x4000;
	ranked(C2C_COST, "4000");
	SAYS(view_text(&view), "one thread");
	view.options.addr = 0x7000;
	assert_int_equal(view_take(&view), -ENOENT);
}

TEST_WITH(empty_session, begin, end)
{
	SAYS(view_text(&view), "No samples", NOT "Pareto");
	TELLS(view_json(&view), "/trace/samples 0", "/trace/llc_miss_local_dram null",
	      "/shared/cost null", "/lines_shown 0");
	SAYS(PRINTED(c2c_csv(out, &view.c2c)), "trace,samples,0", NOT "nan");

	/* There are samples, but none of a shared line. */
	USE(&view.s, .addr = LINE, .tid = 1, .loads = 100);
	SAYS(view_text(&view), "0 shared lines", "(none)", NOT "nan");
	/* HITM of nothing. */
	view.options.display = C2C_RMT;
	SAYS(view_text(&view), "(none)");
}

/* Two processes share a file whose name would clear the screen. */
TEST_WITH(shared_and_hostile, begin, end)
{
	const struct history_map map = {
		.start = 0x700000000000, .end = 0x700000010000, .offset = 0, .minor = 1,
		.inode = 5, .prot = PROT_READ | PROT_WRITE, .flags = MAP_SHARED,
		.path = "/dev/shm/\033[2J\xff",
	};
	struct json_object *document;

	history_fork(view.profile.history, 0, PID, PID, 1, 1);
	history_fork(view.profile.history, 0, 72, 72, 1, 1);
	history_map(view.profile.history, PID, 0, &map);
	history_map(view.profile.history, 72, 0, &map);
	USE(&view.s, .addr = 0x700000000080, .tid = 1, .loads = 100, .hitm = 90, .stores = 50);
	USE(&view.s, .addr = 0x700000000088, .pid = 72, .tid = 2, .loads = 100, .hitm = 90,
	    .stores = 50);
	view.options.coalesce = C2C_PID;
	assert_int_equal(view_take(&view), 0);
	assert_int_equal(view.c2c.nr_shown, 1);
	SAYS(view_text(&view),
	     NOT "\033", "\\033[2J", "false sharing", "Several processes share it.");
	document = view_json(&view);
	HOLDS(document, "/lines/0/process_lines 2", "/lines/0/shared true",
	      "/lines/0/verdict false_sharing", "/lines/0/parties/1/pid 72");
	is_count(document, "/lines/0/rows/0/pid", PID);
	is_count(document, "/lines/0/rows/1/pid", 72);
	json_object_put(document);
}

static void refuses(int status, const char *words)
{
	char *text = program_ends(status, "c2c %s", words);

	if (strncmp(text, "memlat-ctl: ", 12))
		fail_msg("%s", text);
	free(text);
}

TEST(command_line)
{
	static const char *const wrong[] = {
		"-d hitm", "-d ''", "-c tid,,pid", "-c symbol", "-c iaddrs", "-c iadd", "--line 0",
		"--line -1", "--line 0x", "--line 0x0", "--line 0x12345678901234567",
		"--line 0x12g", "--json --csv", "--stats=1", "extra",
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuses(2, wrong[i]);
	refuses(1, "-i /nowhere/at/all");
}
