// SPDX-License-Identifier: GPL-2.0
/* The result on one screen. */
#include "ctl_c2c.h"

#include "profile/imported.h"
#include "profile/known.h"
#include "util/command.h"
#include "views/summary.h"

static char *text_of(const struct profile *profile, struct namer *namer, size_t width)
{
	const struct rows_view view = {
		.profile = profile, .namer = namer, .width = width,
	};

	return PRINTED(summary_print(out, &view));
}

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static bool takes(const char *name, const char *option)
{
	return strcmp(name, "record") || !option;
}

static struct memlat_rec_site sites[3];
static struct view v;

/* Two lines that are fought over, one of them by 3000 cycles at most, and code that waits for memory. */
static int begin(void **state)
{
	struct snapshot *snap = &v.s.snap;

	command_typed(0, NULL, takes);
	command_reads("input", "a file");
	view_init(&v);
	USE(&v.s, .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 60, .ip = 0x1000);
	USE(&v.s, .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 90, .stores = 60, .ip = 0x2000);
	USE(&v.s, .addr = LINE + 0x4000, .tid = 3, .loads = 40, .ip = 0x3000);
	memset(sites, 0, sizeof(sites));
	for (unsigned int i = 0; i < 3; i++) {
		sites[i].ip = 0x1000 * (i + 1);
		sites[i].space = PID;
		sites[i].gen = snap->accesses[i].gen;
		sites[i].samples = snap->accesses[i].samples;
		sites[i].stores = snap->accesses[i].stores;
		sites[i].cost = snap->accesses[i].cost;
		sites[i].source[MEMLAT_SRC_DRAM] = 40;
		sites[i].latency[MEMLAT_SRC_DRAM] = 40 * 50;
	}
	snap->sites = sites;
	snap->nr_sites = 3;
	view_take(&v);
	return 0;
}

static int end(void **state)
{
	view_done(&v);
	return 0;
}

/* What is part of a fight is shown only with the fight. */
TEST_WITH(worst_things_are_told_once, begin, end)
{
	struct rows_view view = { .width = 80 };
	struct summary summary;

	view.profile = &v.profile;
	view.namer = v.namer;
	summary_find(&summary, &view);
	assert_int_equal(summary.nr_worst, 2);
	assert_true(summary.worst[0].fight);
	assert_int_equal(summary.worst[0].verdict, VERDICT_FALSE_SHARING);
	assert_int_equal(summary.worst[0].addr, LINE);
	assert_int_equal(summary.worst[0].index, 1);
	assert_int_equal(summary.worst[0].cost, v.s.lines[0].cost);
	assert_false(summary.worst[1].fight);
	assert_int_equal(summary.worst[1].who[0].ip, 0x3000);
	assert_int_equal(summary.worst[1].cost, sites[2].cost);
	assert_string_equal(summary.worst[1].source, "local memory");
	/* All cost is shown, once. */
	assert_int_equal(summary.worst[0].cost + summary.worst[1].cost, summary.cost);
	summary_free(&summary);
}

/* The ends of a queue in one line: that each needs a line of its own is said here, too, not only by c2c. */
TEST_WITH(two_words_are_told_of, begin, end)
{
	USE(&v.s, .addr = LINE + 0x8000, .tid = 1, .ip = 0x1000, .loads = 10, .stores = 50);
	USE(&v.s, .addr = LINE + 0x8000, .tid = 2, .ip = 0x2000, .loads = 100, .hitm = 90);
	USE(&v.s, .addr = LINE + 0x8008, .tid = 1, .ip = 0x1000, .loads = 100, .hitm = 90);
	USE(&v.s, .addr = LINE + 0x8008, .tid = 2, .ip = 0x2000, .loads = 10, .stores = 40);
	view_take(&v);
	SAYS(text_of(&v.profile, v.namer, 400), "true sharing of ",
	     " Another word is in its line, too, and written by another thread: give each a line of its own, and",
	     "memlat-ctl advise", NOT "Write it less often, or give");
	v.profile.live = true;
	SAYS(text_of(&v.profile, v.namer, 400), "memlat-ctl c2c", NOT "memlat-ctl advise");
}

/* What an access over a line's end has in the next line costs nothing there: its own row has all of it. */
TEST_WITH(rest_of_an_access_is_no_row, begin, end)
{
	struct rows_view view = { .width = 80 };
	struct summary summary;

	USE(&v.s, .addr = LINE - 4, .tid = 1, .loads = 10, .ip = 0x4000);
	v.profile.known = known_new();
	known_add_width(v.profile.known, PID, v.s.accesses[3].gen, 0x4000, 8);
	view_take(&v);
	view.profile = &v.profile;
	view.namer = v.namer;
	summary_find(&summary, &view);
	assert_true(summary.worst[0].fight);
	assert_int_equal(summary.worst[0].addr, LINE);
	assert_int_equal(summary.worst[0].loads, 200);
	assert_int_equal(summary.worst[0].cost, v.s.lines[0].cost);
	summary_free(&summary);
}

/* Code that also waits for a line that is fought over is shown with what else it waits for. */
TEST_WITH(data_of_code_is_not_that_of_its_fight, begin, end)
{
	struct rows_view view = { .width = 80 };
	const struct memlat_rec_access *accesses = v.s.accesses;
	struct summary summary;

	USE(&v.s, .addr = 0xffff9c3f8112c040, .tid = 3, .loads = 100, .ip = 0x3000);
	USE(&v.s, .addr = LINE, .tid = 3, .loads = 100, .hitm = 90, .ip = 0x3000);
	sites[2].samples += 200;
	sites[2].cost += accesses[3].cost + accesses[4].cost;
	view_take(&v);
	view.profile = &v.profile;
	view.namer = v.namer;
	summary_find(&summary, &view);
	assert_int_equal(summary.nr_worst, 2);
	assert_true(summary.worst[0].fight);
	assert_int_equal(summary.worst[1].who[0].ip, 0x3000);
	assert_int_equal(summary.worst[1].cost, accesses[2].cost + accesses[3].cost);
	assert_non_null(summary.worst[1].data);
	assert_string_equal(summary.worst[1].data, "[kernel]");
	summary_free(&summary);
}

/* The data of code is what takes most of its cost, not what its costliest access reads. */
TEST_WITH(data_of_code_costs_most, begin, end)
{
	unsigned int i;

	USE(&v.s, .addr = LINE + 0x8000, .tid = 3, .loads = 100, .ip = 0x3000);
	for (i = 0; i < 3; i++)
		USE(&v.s, .addr = 0xffff9c3f8112c040 + i * 0x1000, .tid = 3, .loads = 60,
		    .ip = 0x3000);
	sites[2].samples += 280;
	for (i = 3; i < 7; i++)
		sites[2].cost += v.s.accesses[i].cost;
	view_take(&v);
	v.profile.snap.head.status.busy_cycles = 0;
	SAYS(text_of(&v.profile, v.namer, 200), ", most of it [kernel].");
	/* Accesses that were evicted may have been to anything. */
	sites[2].cost += 3 * v.s.accesses[4].cost;
	SAYS(text_of(&v.profile, v.namer, 200), ", 36% of it [kernel].", NOT "most of it");
}

/* As after a start-up phase in which memlat sampled more often: each access is an instruction's. */
static void sites_of_accesses(void)
{
	struct snapshot *snap = &v.s.snap;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		sites[i] = (struct memlat_rec_site){ .ip = snap->accesses[i].ip, .space = PID,
						     .gen = snap->accesses[i].gen };
		sites[i].samples = snap->accesses[i].samples;
		sites[i].cost = snap->accesses[i].cost;
		sites[i].source[MEMLAT_SRC_DRAM] = snap->accesses[i].samples;
		sites[i].latency[MEMLAT_SRC_DRAM] = snap->accesses[i].latency_sum;
	}
	snap->sites = sites;
	snap->nr_sites = 3;
	view_take(&v);
}

TEST_WITH(few_samples_are_never_dropped, NULL, end)
{
	struct rows_view view = { .width = 200 };
	struct summary summary;

	view_init(&v);
	USE(&v.s, .addr = LINE, .tid = 1, .loads = 389, .period = 1000, .ip = 0x1000);
	USE(&v.s, .addr = LINE + 0x4000, .tid = 1, .loads = 8, .period = 200000, .ip = 0x2000);
	USE(&v.s, .addr = LINE + 0x8000, .tid = 1, .loads = 1, .period = 211000, .ip = 0x3000);
	sites_of_accesses();
	view.profile = &v.profile;
	view.namer = v.namer;
	summary_find(&summary, &view);
	assert_int_equal(summary.nr_worst, 3);
	assert_int_equal(summary.worst[0].who[0].ip, 0x2000);
	assert_int_equal(summary.worst[0].loads, 8);
	assert_true(summary.worst[0].share.low > 0.4 && summary.worst[0].share.low < 0.6);
	assert_true(summary.worst[0].share.high > 0.8 && summary.worst[0].share.high < 0.95);
	assert_int_equal(summary.worst[1].who[0].ip, 0x1000);
	/* A sample that is a tenth of all latency may be so by chance. */
	assert_int_equal(summary.worst[2].who[0].ip, 0x3000);
	assert_true(summary.worst[2].share.low < 0.02 && summary.worst[2].share.high > 0.3);
	assert_true(summary.effective > 12 && summary.effective < 14);
	summary_free(&summary);
	SAYS(text_of(&v.profile, v.namer, 200),
	     "1. loads from local memory: 72.7% +- ", " of sampled latency (8 samples). 0x2000",
	     "2. loads from local memory: 17.7% +- ", " of sampled latency. 0x1000",
	     "(the loads are as exact\n   as 13 equally heavy ones: shares are rough)");
	TELLS(summary_json(&view), FITS "report", "/worst/0/loads 8", "/worst/0/ip 0x2000");
}

/* What costs most is listed, even if it is one sample. */
/* What the kernel does for a program is summed apart. */
TEST_WITH(kernel_is_summed_apart, NULL, end)
{
	view_init(&v);
	USE(&v.s, .addr = LINE, .tid = 1, .loads = 300, .ip = 0x1000);
	USE(&v.s, .addr = LINE + 0x4000, .tid = 1, .loads = 100, .ip = 0xffffffff81000000ULL);
	USE(&v.s, .addr = LINE + 0x8000, .tid = 1, .loads = 100, .ip = 0x3000);
	sites_of_accesses();
	SAYS(text_of(&v.profile, v.namer, 200), "\nNot the program's own: 20.0% of sampled latency is the kernel's; --program leaves it out.\n");
	sites[1].ip = 0x2000;
	SAYS(text_of(&v.profile, v.namer, 200), NOT "Not the program's own");
}

TEST_WITH(one_sample_is_listed, NULL, end)
{
	view_init(&v);
	USE(&v.s, .addr = LINE, .tid = 1, .loads = 1, .ip = 0x1000);
	USE(&v.s, .addr = LINE + 0x4000, .tid = 1, .stores = 300, .ip = 0x2000);
	USE(&v.s, .addr = LINE + 0x8000, .tid = 1, .stores = 200, .ip = 0x3000);
	sites_of_accesses();
	SAYS(text_of(&v.profile, v.namer, 200), "1. loads from local memory: 100.0% +- 79 of sampled latency (1 sample). 0x1000",
	     NOT "2. ", NOT "No line is fought over");
}

/* Nothing is denied that so few samples cannot deny. */
TEST_WITH(nothing_is_denied_without_reason, NULL, end)
{
	struct memlat_status *status = &v.profile.snap.head.status;

	view_init(&v);
	USE(&v.s, .addr = LINE, .tid = 1, .stores = 300, .ip = 0x1000);
	USE(&v.s, .addr = LINE + 0x4000, .tid = 2, .stores = 300, .ip = 0x2000);
	USE(&v.s, .addr = LINE + 0x8000, .tid = 3, .stores = 200, .ip = 0x3000);
	sites_of_accesses();
	SAYS(text_of(&v.profile, v.namer, 200), "Nothing is known of latency: no load was sampled.",
	     "\nNo line was seen to be fought over.\n", NOT "no source line");
	/* Loads whose instructions were evicted. */
	USE(&v.s, .addr = LINE, .tid = 1, .loads = 30, .ip = 0x4000);
	view_take(&v);
	assert_int_equal(status->loads, 30);
	SAYS(text_of(&v.profile, v.namer, 200),
	     "\nNo source line has 1% of what was sampled, but 30 loads, as exact as 30 equally heavy ones, cannot rule out\n   that one has: sample 10 times as long.\n");
	USE(&v.s, .addr = LINE, .tid = 1, .loads = 970, .ip = 0x5000);
	view_take(&v);
	SAYS(text_of(&v.profile, v.namer, 200),
	     "\nNo line is fought over, and no source line has 1% of sampled latency.\n");
}

/* A row's cost is not that of its largest source. */
TEST_WITH(sources_of_code_are_told_apart, begin, end)
{
	/* beside 40 loads from memory, of 50 cycles each; those of the line are from L3 */
	static const struct { __u64 lfb, cycles, remote; const char *text; } cases[] = {
		{ 60, 50, 0, "2. loads, 60% of their latency from fill buffers, behind earlier misses, mostly from L3: " },
		{ 4, 50, 0, "2. loads from local memory: " },
		/* Most loads are not most of the latency. */
		{ 120, 10, 0, "2. loads, 62% of their latency from local memory: " },
		/* The largest of three has less than half. */
		{ 30, 50, 25, "2. loads, 42% of their latency from local memory: " },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sites[2].source[MEMLAT_SRC_LFB] = cases[i].lfb;
		sites[2].latency[MEMLAT_SRC_LFB] = cases[i].lfb * cases[i].cycles;
		sites[2].source[MEMLAT_SRC_RDRAM] = cases[i].remote;
		sites[2].latency[MEMLAT_SRC_RDRAM] = cases[i].remote * 50;
		view_take(&v);
		SAYS(text_of(&v.profile, v.namer, 200), cases[i].text);
	}
}

static struct memlat_rec_count misses[2];

/* As many misses as the samples stand for. */
static void counts_of_misses(struct snapshot *snap)
{
	memset(misses, 0, sizeof(misses));
	snap->buckets.weight[MEMLAT_BUCKETS - 1][MEMLAT_SRC_DRAM] = 1000;
	misses[0].event = MEMLAT_EVENT_INSTRUCTIONS;
	misses[0].value = 1;
	misses[1].event = MEMLAT_EVENT_L2_MISSES;
	misses[1].value = 1000;
	snap->counts = misses;
	snap->nr_counts = 2;
	snap->head.status.flags |= MEMLAT_F_COUNT;
}

TEST_WITH(summary_is_short_and_says_how_much, begin, end)
{
	static const size_t widths[] = { 72, 80, 132, 200 };
	char *text;
	size_t i;

	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		const char *line, *end;

		text = text_of(&v.profile, v.namer, widths[i]);
		assert_true(lines_of(text) <= SUMMARY_LINES);
		for (line = text; *line; line = end + 1) {
			end = strchr(line, '\n');
			assert_non_null(end);
			assert_true((size_t)(end - line) <= widths[i]);
		}
		SAYS(text, "1. false sharing of the line at 0x404080: ",
		     "2. loads from local memory: ", "next: memlat-ctl c2c -i 'a file'",
		     "memlat-ctl dcache -i 'a file'");
	}
	v.profile.snap.head.status.busy_cycles = 0;
	SAYS(text_of(&v.profile, v.namer, 200), "How much of the time loads wait is not known");
	v.profile.snap.head.status.busy_cycles = 2 * snapshot_cost(&v.profile.snap);
	/* Each load that was sampled may stand for many. */
	SAYS(text_of(&v.profile, v.namer, 200),
	     "How much of the time loads wait is not known: no misses were counted. 'memlat-ctl record --counts -- COMMAND'\n   counts it.\n");
	counts_of_misses(&v.profile.snap);
	v.profile.snap.head.status.busy_cycles = 4 * snapshot_cost(&v.profile.snap);
	SAYS(text_of(&v.profile, v.namer, 200), "Loads wait for memory in 0 to ",
	     "% of busy cycles, by estimate. 'memlat-ctl record --counts -- COMMAND'\n   counts it.\n");
	v.profile.snap.head.status.busy_cycles = 1000 * snapshot_cost(&v.profile.snap);
	SAYS(text_of(&v.profile, v.namer, 200), "Loads wait for memory in 0 to 0.",
	     "% of busy cycles, by estimate: memory is hardly the problem.");
	v.profile.snap.head.status.busy_cycles = snapshot_cost(&v.profile.snap) / 2;
	SAYS(text_of(&v.profile, v.namer, 200), "Loads wait for memory in 0 to 100% of busy cycles");
	v.profile.snap.head.status.busy_cycles = 1000;
	misses[1].event = MEMLAT_EVENT_LOAD_STALLS;
	misses[1].value = 600;
	SAYS(text_of(&v.profile, v.namer, 200),
	     "Loads wait for memory in 60.0% of busy cycles, counted: memory is what the CPUs wait for.\n");
	/* The event leaves locked instructions out, so it bounds nothing if these wait. */
	for (i = 0; i < v.profile.snap.nr_lines; i++)
		v.profile.snap.lines[i].locked = v.profile.snap.lines[i].samples;
	misses[1].value = 6;
	SAYS(text_of(&v.profile, v.namer, 200),
	     "in 0.6% of busy cycles, counted without locked instructions, which have 100% of sampled\n   latency.\n",
	     NOT "hardly", NOT "at most");
	misses[1].value = 0;
	SAYS(text_of(&v.profile, v.namer, 200),
	     "is not known: the counter of stalls counts nothing on this CPU.\n", NOT "record --counts");
}

/* Nobody gave memlat-ctl a period for what perf recorded, which need not tell latencies. */
TEST_WITH(summary_of_what_perf_recorded, begin, end)
{
	struct snapshot *snap = &v.profile.snap;
	size_t i;

	snap->head.status.busy_cycles = 0;
	SAYS(text_of(&v.profile, v.namer, 200), "not counted (--period was given).");
	snap->head.status.flags |= IMPORTED;
	SAYS(text_of(&v.profile, v.namer, 200), "not known: perf did not count busy cycles.", NOT "--period");
	for (i = 0; i < TABLE_STACKS; i++)
		snap->sum[i].cost = 0;
	assert_int_equal(snapshot_cost(snap), 0);
	assert_true(snap->head.status.loads);
	SAYS(text_of(&v.profile, v.namer, 200), "Nothing is known of latency: it is not recorded of these loads.",
	     NOT "no load was sampled");
}

/* With the longest possible names, it still fits on one screen. */
TEST_WITH(summary_of_long_names_is_short, begin, end)
{
	static char longest[300];
	static const struct code_name code = {
		.function = longest, .file = longest, .line = 100000, .module = longest,
	};
	struct summary summary;
	struct rows_view view = { .width = 72 };
	char *text;
	size_t i;

	memset(longest, 'n', sizeof(longest) - 1);
	view.profile = &v.profile;
	view.namer = v.namer;
	v.profile.snap.head.status.busy_cycles = snapshot_cost(&v.profile.snap) / 2;
	summary_find(&summary, &view);
	for (i = 0; i < SUMMARY_WORST; i++) {
		summary.worst[i] = summary.worst[0];
		summary.worst[i].verdict = VERDICT_READ_MOSTLY;
		summary.worst[i].label = longest;
		summary.worst[i].who[0].code = summary.worst[i].who[1].code = &code;
	}
	summary.nr_worst = SUMMARY_WORST;
	text = PRINTED(summary_tell(out, &summary));
	assert_true(lines_of(text) <= SUMMARY_LINES);
	free(text);
	for (i = 0; i < SUMMARY_WORST; i++)
		summary.worst[i].label = NULL;
	summary.nr_worst = 1;
	summary_free(&summary);
}
