// SPDX-License-Identifier: GPL-2.0
/* Verdicts in words, of a program whose names are known. */
#include <stdbool.h>

#include "ctl_judge.h"
#include "ctl_named.h"
#include "ctl_view.h"

#include "views/c2c.h"
#include "views/c2c_pareto.h"
#include "views/c2c_story.h"

static struct named c;
static struct snapshot threads;	/* what the namer found in the process */
static struct session s;
static __u64 hits;	/* stats.per_cpu[3].hits; .misses is 8 bytes on, in one line with it */
static __u64 outer, hidden, deepest;

static int begin(void **state)
{
	named_start(&c, named_file("sample"), NULL);
	threads = c.profile.snap;
	hits = named_place(&c, "hits")->address;
	outer = named_place(&c, "outer")->address;
	hidden = named_place(&c, "hidden")->address;
	deepest = named_place(&c, "deepest")->address;
	return 0;
}

static int end(void **state)
{
	c.profile.snap = threads;
	named_end(&c);
	return 0;
}

static int fresh(void **state)
{
	session_init(&s);
	return 0;
}

static struct story story_of(struct verdicts *verdicts, __u64 addr)
{
	return (struct story){
		.profile = &c.profile, .namer = c.namer, .verdicts = verdicts,
		.line = session_line(&s, addr, (__u32)c.pid, 0), .number = 7,
		.cost = s.snap.sum[TABLE_LINES].cost, .width = 1000,
	};
}

/* The text on one line, so that words are found wherever lines would be wrapped. */
static char *told(__u64 addr, bool utf8)
{
	struct verdicts *verdicts;
	struct story story;
	char *text;

	c.profile.snap = s.snap;
	verdicts = verdicts_begin(&s.snap);
	story = story_of(verdicts, addr);
	story.utf8 = utf8;
	text = PRINTED(story_write(out, &story));
	verdicts_end(verdicts);
	/* The terminal's has line ends where it is filled. */
	for (char *at = text; *at; at++)
		if (*at == '\n' && at[1])
			*at = ' ';
	return text;
}

static void tells(__u64 addr, const char *words)
{
	char *text = told(addr, false);

	says(text, words);
	free(text);
}

static void tells_not(__u64 addr, const char *words)
{
	char *text = told(addr, false);

	is_silent(text, words);
	free(text);
}

static char *data_of(__u64 addr)
{
	struct verdicts *verdicts = verdicts_begin(&s.snap);
	struct story story = story_of(verdicts, addr);
	char *text;

	text = story_data(&story, false);
	verdicts_end(verdicts);
	return text;
}

#define P	(__u32)c.pid

TEST_WITH(fields_apart, fresh, NULL)
{
	char *text;

	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90,
	    .stores = 50);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 2, .ip = outer, .loads = 90, .hitm = 80);
	s.accesses[0].hitm_local = 0;
	tells(hits, "Line 7, 0x");
	tells(hits, ": false sharing, 100.0% of sampled latency. hidden() (sample.c:");
	tells(hits, "in thread 1 reads and writes stats.per_cpu[3].hits at +0x");
	tells(hits, " on CPU 1 of node 1 while outer() (sample.c:");
	tells(hits, "in thread 2 reads stats.per_cpu[3].misses at +0x");
	tells(hits, " on CPU 2 of node 0. Different bytes, one line: pad or split them");
	tells(hits, "Sure: 9");
	tells_not(hits, "concluded");
	says_just(data_of(hits), "stats.per_cpu[3].hits, stats.per_cpu[3].misses");
	/* JSON's is the same, in one line and without its end. */
	text = told(hits, true);
	says(text, "hidden() (sample.c:");
	assert_null(strchr(text, '\n'));
	free(text);
}

/* An imported file without CPUs. */
TEST_WITH(cpus_not_known, fresh, NULL)
{
	size_t i;

	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90,
	    .stores = 50);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 2, .ip = outer, .loads = 90, .hitm = 80);
	for (i = 0; i < 2; i++)
		s.accesses[i].cpus = s.accesses[i].nodes = 0;
	s.lines[0].cpus = s.lines[0].nodes = 0;
	tells(hits, "in thread 1 reads and writes stats.per_cpu[3].hits at +0x");
	tells_not(hits, "on CPU");
}

/*
 * The party that is named beside the writer uses another part of the line, even if another one
 * costs more.
 */
TEST_WITH(the_other_party, fresh, NULL)
{
	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 10, .stores = 500);
	USE(&s, .addr = hits, .pid = P, .tid = 2, .ip = outer, .loads = 6);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 3, .ip = outer, .loads = 90, .hitm = 90,
	    .stores = 100);
	tells(hits, "false sharing");
	tells(hits, "hidden() (sample.c:");
	tells(hits, "in thread 3 reads and writes stats.per_cpu[3].misses");
}

/* As the two ends of a queue: each is read by the other end's thread. */
TEST_WITH(two_words_of_two_writers, fresh, NULL)
{
	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 10, .stores = 50);
	USE(&s, .addr = hits, .pid = P, .tid = 2, .ip = outer, .loads = 100, .hitm = 90);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 2, .ip = outer, .loads = 10, .stores = 40);
	tells(hits, "true sharing");
	tells(hits, "They share stats.per_cpu[3].misses at +0x");
	tells(hits, "too, which another thread writes: give each a line of its own");
}

/* Too few stores to tell that each word has a writer of its own. */
TEST_WITH(two_words_of_unknown_writers, fresh, NULL)
{
	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 10, .stores = 5);
	USE(&s, .addr = hits, .pid = P, .tid = 2, .ip = outer, .loads = 100, .hitm = 90);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 2, .ip = outer, .loads = 10, .stores = 2);
	tells_not(hits, "They share");
}

/* The fields of a token have one writer at a time, so padding would cost more lines. */
TEST_WITH(two_words_of_one_owner, fresh, NULL)
{
	unsigned int tid;

	for (tid = 1; tid <= 2; tid++) {
		USE(&s, .addr = hits, .pid = P, .tid = tid, .ip = hidden, .loads = 50, .hitm = 45, .stores = 50);
		USE(&s, .addr = hits + 8, .pid = P, .tid = tid, .ip = outer, .loads = 50, .hitm = 45, .stores = 50);
	}
	tells(hits, "The same bytes: padding does not help.");
}

TEST_WITH(inlined_code, fresh, NULL)
{
	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = deepest, .loads = 100, .hitm = 90,
	    .stores = 50);
	USE(&s, .addr = hits, .pid = P, .tid = 2, .ip = hidden, .loads = 100, .hitm = 90,
	    .stores = 40);
	tells(hits, "deepest(), inlined in outer (sample.c:");
	tells(hits, "The same bytes: padding does not help.");
}

TEST_WITH(doubts, fresh, NULL)
{
	/* Four bytes further: the widths of the accesses are not known. */
	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90,
	    .stores = 50);
	USE(&s, .addr = hits + 4, .pid = P, .tid = 2, .ip = outer, .loads = 90, .hitm = 80,
	    .stores = 50);
	tells(hits, ": not decided yet, 100.0% of sampled latency: false sharing is the likeliest answer, of ");
	tells(hits, "%, as accesses begin within the same 8 bytes, and how wide they are is not known; sample for longer");

	/* No store was sampled. */
	session_init(&s);
	s.snap.head.status.flags &= ~MEMLAT_F_STORES;
	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 2, .ip = outer, .loads = 90, .hitm = 80);
	USE(&s, .addr = hits + 8, .pid = P, .tid = 3, .ip = outer, .loads = 90, .hitm = 80);
	tells(hits, ": writer not seen, ");
	tells(hits, "in thread 1 reads stats.per_cpu[3].hits");
	tells(hits, "no store was sampled: who writes is not known (--type load,store samples both)");
	tells_not(hits, "false sharing");
	tells_not(hits, "writes stats");
	tells(hits, "and 1 more thread uses the line.");
	s.snap.head.status.flags |= MEMLAT_F_STORES;
	tells(hits, "none of the stores that were sampled is of this line: who writes is not known");

	/* Accesses that were evicted. */
	s.snap.nr_accesses = 0;
	tells(hits, ": not decided yet, 100.0% of sampled latency: most of its accesses were evicted from the table; raise --max-memory.");
	tells_not(hits, "Sure");
}

/* Five threads fetch a word that all of them write, and beside it counters of their own. */
TEST_WITH(both_kinds, fresh, NULL)
{
	unsigned int i;

	for (i = 1; i <= 5; i++) {
		USE(&s, .addr = hits, .pid = P, .tid = i, .ip = hidden, .loads = 90, .hitm = 68,
		    .lfb = 22, .stores = 5, .store_misses = 5);
		USE(&s, .addr = hits + 8 * i, .pid = P, .tid = i, .ip = outer, .loads = 10,
		    .hitm = 8, .lfb = 2, .stores = 7, .store_misses = 7);
	}
	tells(hits, "Different bytes of one line, and partly the same bytes: move what threads do not share");
	tells(hits, "% is over the same bytes, ");
	tells(hits, "% is over different bytes. Sure: ");
}

TEST_WITH(other_verdicts, fresh, NULL)
{
	__u64 partner = hits ^ 64;

	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90,
	    .stores = 50);
	tells(hits, ": not decided yet, 100.0% of sampled latency: no store of another thread was sampled, and its loads do not tell whether one took it; sample for longer");
	/* It seldom finds it there. */
	USES(&s, { .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 12, .stores = 50 });
	s.accesses[0].cpus = 3;
	s.lines[0].latency[MEMLAT_SRC_L3] += 100000;
	s.lines[0].latency_sum += 100000;
	tells(hits, "one thread");
	tells(hits, "No other thread was seen to use it; most of its latency is of loads from L3.");
	tells(hits, "The thread moved between CPUs");
	USE(&s, .addr = partner, .pid = P, .tid = 2, .ip = outer, .stores = 100);
	tells(hits, ": adjacent line,");
	tells(hits, "align what the two threads use to 128 bytes.");

	USES(&s, { .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .dram = 100 },
	     { .addr = hits, .pid = P, .tid = 2, .ip = hidden, .loads = 100, .dram = 100 });
	tells(hits, "nobody was seen to write");
	USE(&s, .addr = hits, .pid = P, .tid = 3, .ip = hidden, .stores = 100);
	tells(hits, "there is no fight to end");

	USES(&s, { .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90 },
	     { .addr = hits, .pid = P, .tid = 2, .ip = hidden, .loads = 100, .hitm = 90 },
	     { .addr = hits, .pid = P, .tid = 3, .ip = outer, .stores = 100 });
	tells(hits, "outer() (sample.c:");
	tells(hits, "One thread writes what the others only read");

	USES(&s, { .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 9 });
	tells(hits, "9 samples say nothing; sample 3 times as long, or with a lower --period");
	tells_not(hits, "Sure");
}

/* There are enough samples, but something else is missing: the text says that. */
TEST_WITH(too_few_of_what, fresh, NULL)
{
	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .stores = 60);
	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 3);
	tells(hits, ": not decided yet, 100.0% of sampled latency: 3 of its loads were sampled, and only loads show that nobody waits for it; sample 4 times as long, or with a lower --period.");
	tells_not(hits, "say nothing");
	tells_not(hits, "Sure");

	/* Half of it, whichever way it is looked at. */
	USES(&s, { .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 10, .stores = 500 },
	     { .addr = hits, .pid = P, .tid = 2, .ip = outer, .loads = 300 },
	     { .addr = hits + 8, .pid = P, .tid = 3, .ip = outer, .loads = 60, .hitm = 50,
	       .stores = 10 });
	tells(hits, " is the likeliest answer, of ");
	tells_not(hits, "Sure");
}

/* Beside a share of latency, the share of time, if it is known. */
TEST_WITH(busy_cycles, fresh, NULL)
{
	static struct memlat_rec_count counts[] = {
		{ .event = MEMLAT_EVENT_INSTRUCTIONS, .value = 1 },
		{ .event = MEMLAT_EVENT_LOAD_STALLS, .value = 52000000 },
	};

	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 100, .hitm = 90,
	    .stores = 50);
	USE(&s, .addr = hits, .pid = P, .tid = 2, .ip = outer, .loads = 90, .hitm = 80);
	tells_not(hits, "busy");
	/* How many loads a sample stands for is not known. */
	s.snap.head.status.busy_cycles = 520000000;
	tells_not(hits, "busy");
	s.snap.counts = counts;
	s.snap.nr_counts = 2;
	s.snap.head.status.flags |= MEMLAT_F_COUNT;
	tells(hits, "100.0% of sampled latency, at most 10.0% of busy cycles. ");
}

TEST_WITH(lock_names, fresh, NULL)
{
	struct verdict_lock lock;

	assert_true(locks_by_names(".m.{__data.__owner|__size[8]}", NULL, 0x1008, &lock));
	assert_int_equal(lock.start, 0x1000);
	assert_int_equal(lock.bytes, 40);
	assert_true(locks_by_names("._M_mutex.{__data.__nusers|__size[12]}", NULL, 0x100c, &lock));
	assert_int_equal(lock.start, 0x1000);
	assert_true(locks_by_names(".{__data.__readers|__size[0]|__align}", NULL, 0x2000, &lock));
	assert_int_equal(lock.bytes, 56);
	assert_true(locks_by_names(NULL, "___pthread_mutex_lock", 0x30, &lock));
	assert_int_equal(lock.start, 0x30);
	assert_true(locks_by_names(".count", "rwsem_down_write_slowpath", 0x30, &lock));
	assert_true(locks_by_names(NULL, "native_queued_spin_lock_slowpath", 0x30, &lock));
	assert_int_equal(lock.bytes, 4);
	/* A field that only has a similar name. A waiter reads the owner's task, too. */
	assert_false(locks_by_names(".{__data.__owners|x}", "work", 0, &lock));
	assert_false(locks_by_names(".owner", "worker_mutex_lock", 0, &lock));
	assert_false(locks_by_names(NULL, "mutex_spin_on_owner", 0, &lock));
	assert_false(locks_by_names(NULL, NULL, 0, &lock));
}

/* What has no name is shown with its address, and lines are wrapped at the width. */
TEST_WITH(nameless_and_narrow, fresh, NULL)
{
	struct verdicts *verdicts;
	struct story story;
	char *text, *line, *rest;

	USE(&s, .addr = 0x1000, .pid = 1, .tid = 1, .ip = 0x2000, .loads = 100, .hitm = 90,
	    .stores = 50);
	USE(&s, .addr = 0x1008, .pid = 1, .tid = 2, .ip = 0x2010, .loads = 90, .hitm = 80);
	c.profile.snap = s.snap;
	verdicts = verdicts_begin(&s.snap);
	story = story_of(verdicts, 0x1000);
	story.line = &s.lines[0];
	story.width = 40;
	text = rest = PRINTED(story_write(out, &story));
	says(text, "0x2000");
	says(text, "the bytes at");
	while ((line = strsep(&rest, "\n")))
		assert_true(strlen(line) <= 40);
	free(text);
	assert_null(story_data(&story, false));
	/* There is no share of nothing. */
	story.cost = 0;
	story.width = 200;
	SAYS(PRINTED(story_write(out, &story)), NOT "sampled latency");
	verdicts_end(verdicts);
}

/* An address in the code of the C library. */
static __u64 library_code(void)
{
	const struct history_image *image = history_find(c.profile.history, P, 0);
	size_t i;

	assert_non_null(image);
	for (i = 0; i < image->nr_maps; i++)
		if (strstr(image->maps[i].path, "libc.so") && image->maps[i].prot & 4)
			return image->maps[i].start + 64;
	fail_msg("no libc in the sample");
	return 0;
}

static size_t rows_by(unsigned int coalesce)
{
	const struct c2c_options options = { .coalesce = coalesce };
	struct c2c_rows rows;
	struct c2c c2c;
	size_t nr;

	c.profile.snap = s.snap;
	assert_int_equal(c2c_take(&c2c, &c.profile, c.namer, &options), 0);
	c2c_rows_take(&rows, &c2c, 0);
	nr = rows.nr_rows;
	c2c_rows_free(&rows);
	c2c_free(&c2c);
	return nr;
}

/* Rows of named code: two functions of one file, and one of another. */
TEST_WITH(coalesced_code, fresh, NULL)
{
	const struct c2c_options options = { .coalesce = C2C_IADDR };
	struct c2c c2c;

	USE(&s, .addr = hits, .pid = P, .tid = 1, .ip = hidden, .loads = 300, .hitm = 90,
	    .stores = 50);
	USE(&s, .addr = hits, .pid = P, .tid = 2, .ip = deepest, .loads = 90, .hitm = 80);
	USE(&s, .addr = hits, .pid = P, .tid = 3, .ip = library_code(), .loads = 90, .hitm = 70);
	assert_int_equal(rows_by(C2C_DSO), 2);
	assert_int_equal(rows_by(C2C_IADDR), 3);
	assert_int_equal(rows_by(C2C_PID), 1);

	c.profile.snap = s.snap;
	assert_int_equal(c2c_take(&c2c, &c.profile, c.namer, &options), 0);
	TELLS(c2c_json(&c2c), "/lines/0/data stats.per_cpu[3].hits",
	      "/lines/0/rows/0/symbol hidden", "/lines/0/rows/0/module sample",
	      "/lines/0/rows/0/data stats.per_cpu[3].hits", "/lines/0/rows/0/inlined null",
	      /* The symbol is what perf shows, too; what was inlined is told beside it. */
	      "/lines/0/rows/1/symbol outer", "/lines/0/rows/1/inlined deepest",
	      "/lines/0/parties/0/store_symbol hidden");
	c2c_free(&c2c);
}

TEST_GROUP(begin, end)

/*
 * Objects that are known by their type only are several if they begin at different addresses. All
 * that the threads use are counted, and not just the first two.
 */
TEST(several_objects_of_one_type)
{
#define STATS(at)	DATA_BY_OPERAND, "worker_stats", 0x1000 + (at)
	static const struct {
		const char *words;
		struct {
			__u32 tid;
			enum data_how how;
			const char *type;
			__u64 start;
		} uses[6];
	} cases[] = {
		{ NULL, { { 1, STATS(0) }, { 2, STATS(0) } } },
		{ NULL, { { 1, STATS(0) } } },
		{ "two worker_stats objects, of threads 1 and 2, 24 bytes apart",
		  { { 1, STATS(0) }, { 2, STATS(24) } } },
		{ "two worker_stats objects, of threads 1 and 2, 24 bytes apart",
		  { { 1, STATS(24) }, { 2, DATA_JOINED, "worker_stats", 0x1000 } } },
		{ "three worker_stats objects, of threads 7, 8 and 9, 24 bytes apart",
		  { { 7, STATS(48) }, { 8, STATS(0) }, { 9, STATS(24) } } },
		{ "three worker_stats objects, of threads 7, 8 and 9, 8 to 24 bytes apart",
		  { { 7, STATS(0) }, { 8, STATS(24) }, { 9, STATS(32) } } },
		/* Two threads have one object in common. */
		{ "two worker_stats objects, of threads 1, 2 and 3, 24 bytes apart",
		  { { 1, STATS(0) }, { 2, STATS(24) }, { 3, STATS(0) } } },
		{ "5 worker_stats objects, of 5 threads, 8 to 16 bytes apart",
		  { { 1, STATS(0) }, { 2, STATS(8) }, { 3, STATS(24) }, { 4, STATS(32) },
		    { 5, STATS(40) } } },
		/* What a third thread uses has no name, which says nothing against the two. */
		{ "two worker_stats objects, of threads 1 and 2, 24 bytes apart",
		  { { 1, STATS(0) }, { 2, STATS(24) }, { 3, DATA_NO_NAME, NULL, 0 } } },
		/* It has another type, or is a variable with a name of its own. */
		{ NULL, { { 1, STATS(0) }, { 2, STATS(24) }, { 3, DATA_BY_OPERAND, "other_stats", 0x1018 } } },
		{ NULL, { { 1, STATS(0) }, { 2, DATA_SYMBOL, "worker_stats", 0x1018 } } },
		{ NULL, { { 1, DATA_SYMBOL, "worker_stats", 0x1000 }, { 2, STATS(24) } } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct data_name data[6] = { 0 };
		struct story_use uses[6];
		size_t nr = 0;
		char *words;

		for (; nr < 6 && cases[i].uses[nr].tid; nr++) {
			data[nr] = (struct data_name){
				.how = cases[i].uses[nr].how, .type = cases[i].uses[nr].type,
				.start = cases[i].uses[nr].start, .size = 24,
				.text = cases[i].uses[nr].type,
			};
			uses[nr] = (struct story_use){ &data[nr], cases[i].uses[nr].tid };
		}
		words = story_objects(uses, nr);
		if (cases[i].words)
			says_just(words, cases[i].words);
		else
			assert_null(words);
	}
}
