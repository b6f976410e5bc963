// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl advise: the objects, the gains that it reports, and when it reports none. */
#include <math.h>

#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"
#include "views/advise.h"

static struct session session;
static struct snapshot counted;
static struct memlat_rec_count counts[16];
static struct memlat_rec_count beside;
static struct shown shown;
static struct advise advise;
static __u64 fought_over = LINE;
static bool only_program;	/* --program */

#define KERNEL_LINE	0xffff888000000080ULL

static void count(__u16 event, __u64 value)
{
	counts[counted.nr_counts++] = (struct memlat_rec_count) {
		.event = event, .value = value, .enabled = 1000, .running = 1000,
	};
}

/* One miss at a time and almost nothing else: 900 of 1,000 cycles are stalls. */
static int one_at_a_time(void **state)
{
	snapshot_init(&counted);
	counted.counts = counts;
	fought_over = LINE;
	count(MEMLAT_EVENT_CYCLES, 1000000);
	count(MEMLAT_EVENT_INSTRUCTIONS, 500000);
	count(MEMLAT_EVENT_LOAD_STALLS, 850000);
	count(MEMLAT_EVENT_STORE_STALLS, 0);
	count(MEMLAT_EVENT_L1D_PENDING, 900000);
	count(MEMLAT_EVENT_DEMAND_OUTSTANDING, 900000);
	count(MEMLAT_EVENT_DEMAND_CYCLES, 900000);
	count(MEMLAT_EVENT_WALK_PENDING, 0);
	return 0;
}

/*
 * Take advice for two threads that use two words of a line, of which one also loads from memory.
 * with: what was counted, or NULL.
 */
static void two_threads(unsigned int apart, __u64 others, struct snapshot *with)
{
	unsigned int i;

	session_init(&session);
	for (i = 1; i <= 2; i++)
		USE(&session, .addr = fought_over + (i - 1) * apart, .tid = i, .loads = 400, .rhitm = 400,
		    .stores = 400, .store_misses = 100);
	if (others)
		USE(&session, .addr = LINE + 0x10000, .tid = 1, .loads = others);
	beside = (struct memlat_rec_count) {
		.event = MEMLAT_EVENT_INSTRUCTIONS, .value = 505000,
		.enabled = 505000, .running = 505000,
	};
	session.snap.counts = &beside;
	session.snap.nr_counts = 1;
	shown_open(&shown, &session.snap);
	shown.profile.counts = with;
	advise_take(&advise, &shown.profile, shown.namer, only_program);
}

static int close_it(void **state)
{
	advise_free(&advise);
	shown.profile.counts = NULL;
	shown_close(&shown);
	return 0;
}

static char *printed(bool all)
{
	const struct advise_shown how = { .all = all, .width = 200 };

	return PRINTED(advise_print(out, &advise, &how));
}

TEST_WITH(all_of_it, one_at_a_time, close_it)
{
	two_threads(8, 0, &counted);
	assert_int_equal(advise.nr_items, 1);
	assert_int_equal(advise.items[0].lines, 1);
	assert_int_equal(advise.items[0].threads, 2);
	/* Remote HITM takes 500 cycles, of which 5 stay. There are no other stalls. */
	assert_true(fabs(advise.items[0].gain.hi - 0.85) < 0.01);
	assert_true(fabs(advise.items[0].gain.lo - 0.85 * 0.99) < 0.02);
	SAYS(printed(false), "1. saves 83 to 85 % of the CPU cycles, predicted: what lies at",
	     "Loads wait for memory in 85.0% of busy cycles, counted: memory is what the CPUs wait for.\n", "A full store buffer keeps the CPUs waiting 0.0%.",
	     "   False sharing by 2 threads, 1 line from 0x404080, ",
	     "Measure it: memlat-ctl try -- OLD ::: NEW", NOT "nan");
	TELLS(advise_json(&advise), FITS "advise", "/view advise", "/gains good",
	      "/items/0/worth_it true", "/items/0/threads 2");
}

/* In a virtual machine, say, instructions are counted and cycles are not. */
TEST_WITH(no_cycles, one_at_a_time, close_it)
{
	counts[0].value = 0;
	two_threads(8, 0, &counted);
	SAYS(printed(true), "2 runs, ", NOT "nan", NOT "inf ");
	TELLS(advise_json(&advise), FITS "advise", "/view advise");
}

/* An object of a slab cache gets its alignment from the cache, and not from malloc(). */
TEST_WITH(of_the_kernel, one_at_a_time, close_it)
{
	fought_over = KERNEL_LINE;
	two_threads(8, 0, &counted);
	assert_int_equal(advise.nr_items, 1);
	assert_int_equal(advise.items[0].kind, ADVISE_FALSE_SHARING);
	advise.items[0].layout = (struct advise_layout){
		.type = "struct fought", .excerpt = "struct fought {\n}", .allocated = true,
	};
	SAYS(printed(false), "an alignment of 64 (kmem_cache_create()).", NOT "malloc()");
}

/* --program leaves such lines out, and nothing else. */
TEST_WITH(not_of_the_kernel, one_at_a_time, close_it)
{
	only_program = true;
	two_threads(8, 0, &counted);
	assert_int_equal(advise.nr_items, 1);
	close_it(state);
	fought_over = KERNEL_LINE;
	two_threads(8, 0, &counted);
	assert_int_equal(advise.nr_items, 0);
	only_program = false;
}

/* Most stalls are due to something else. */
TEST_WITH(a_part, one_at_a_time, close_it)
{
	/* 800 loads of 500 cycles, and 24,000 of 50. */
	two_threads(8, 24000, &counted);
	assert_int_equal(advise.nr_items, 1);
	assert_true(advise.items[0].gain.hi < 0.35);
	assert_true(advise.items[0].gain.lo > 0.1);
}

/* Its misses overlap with others, four at a time: that is reported, and there is no lower bound. */
TEST_WITH(not_to_be_told, one_at_a_time, close_it)
{
	counts[4].value = counts[5].value = 3600000;
	two_threads(8, 8000, &counted);
	assert_true(advise.items[0].gain.lo < 0.01);
	assert_true(advise.items[0].gain.hi > 0.8);
	SAYS(printed(false), "saves up to 85 % of the CPU cycles; there is no lower bound");
}

/* Most of the latency, and almost none of the time. */
TEST_WITH(not_worth_it, one_at_a_time, close_it)
{
	counts[2].value = 4000;
	two_threads(8, 0, &counted);
	SAYS(printed(false), "Not worth it: 1 object, each less than 1 %", NOT "1. ");
	SAYS(printed(true), "1. saves up to 0 % of the CPU cycles");
	TELLS(advise_json(&advise), FITS "advise", "/items/0/worth_it false");
}

/* The same bytes, or no writer: no layout helps. */
TEST_WITH(nothing_to_part, one_at_a_time, close_it)
{
	two_threads(0, 0, &counted);
	assert_int_equal(advise.nr_items, 0);
	SAYS(printed(true), "No false sharing was found", NOT "saves");
}

TEST_WITH(no_counts, NULL, close_it)
{
	two_threads(8, 0, NULL);
	SAYS(printed(false),
	     "A gain needs more counts than this profile has:\n  memlat-ctl record --counts -- COMMAND      records them",
	     "1. what it saves is not known:", NOT "%.");
	TELLS(advise_json(&advise), FITS "advise", "/gains not_counted", "/items/0/gain_low null");
}

TEST_WITH(other_work, one_at_a_time, close_it)
{
	counts[1].value = 400000;
	two_threads(8, 0, &counted);
	SAYS(printed(false),
	     "The counted run and the sampled one differ by 26 % of their instructions",
	     NOT "saves 8");
	TELLS(advise_json(&advise), FITS "advise", "/gains runs_differ");
}

/* A profile keeps both runs. After a merge with another one, it has counts of neither. */
TEST_WITH(in_a_file, own_folder_make, own_folder_remove)
{
	struct memlat_rec_count record = {
		.event = MEMLAT_EVENT_CYCLES, .value = 7, .enabled = 10, .running = 5,
	};
	struct stream stream;
	struct snapshot *part = calloc(1, sizeof(*part));
	struct profile profile, read, other;
	char why[PROFILE_ERROR_MAX];

	stream_begin(&stream);
	stream_add_buckets(&stream);
	stream_add_raw(&stream);
	stream_add(&stream, MEMLAT_REC_COUNT, &record, sizeof(record));
	stream_add_end(&stream);
	snapshot_init(part);
	stream_read(&stream, part);
	sample_profile(&profile);
	profile.counts = part;
	profile_put(&profile, in("counts"));
	profile_get(&read, in("counts"), 0);
	assert_non_null(read.counts);
	assert_int_equal(read.counts->nr_counts, 1);
	assert_int_equal(read.counts->counts[0].value, 7);
	profile.snap.head.status.started_ns += 1000;
	profile_put(&profile, in("other"));
	profile_get(&other, in("other"), 0);
	assert_int_equal(profile_merge(&read, &other, why), 0);
	assert_null(read.counts);
	profile_free(&profile);
	profile_free(&read);
	profile_free(&other);
}

TEST(nonsense_is_refused)
{
	program_refuses("advise", 2, "advise: give a command to run, -p PID or -a; or -i and a profile with counts");
	program_refuses("advise -i x -- true", 2, "-i and what is to be sampled: a profile was sampled already");
	program_refuses("advise -a -p 1", 2, "memlat-ctl advise --help");
	program_refuses("advise --heap -p 1", 2, "memlat-ctl advise --help");
	program_refuses("advise -i /nonexistent/x", 1, "/nonexistent/x");
	program_refuses("advise --frob", 2, "--frob: no such option");
	program_refuses("record --counts -a", 2, "--counts: half of the time is counted");
	program_refuses("record --counts -p 1", 2, "--counts: half of the time is counted");
	program_refuses("record --engine perf --stride -K -- true", 2, "only the module has --stride");
	program_refuses("try --engine perf prefetch=off -- true", 2, "only the module turns prefetchers off");
	program_refuses("record --engine pebs -- true", 2, "no such engine; give module or perf");
}
