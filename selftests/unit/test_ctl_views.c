// SPDX-License-Identifier: GPL-2.0
#include "ctl_view.h"

#include "util/source.h"
#include "views/quality.h"
#include "views/views.h"

SAMPLE_BEGIN_END(snap)

static int begin_hybrid(void **state)
{
	sample_hybrid(&snap);
	return 0;
}

TEST(folding)
{
	__u64 count[MEMLAT_SRC_NR], column[COLUMN_NR], part[MEMLAT_PART_NR] = { 0 }, sum = 0;
	unsigned int i;

	/* One bit per source: each must be in exactly one column. */
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		count[i] = 1ULL << i;
	source_fold(count, part, column);
	for (i = 0; i < COLUMN_NR; i++)
		sum += column[i];
	assert_int_equal(sum, source_total(count));
	assert_int_equal(column[COLUMN_OTHER],
			 1 << MEMLAT_SRC_UNKNOWN | 1 << MEMLAT_SRC_PMEM | 1 << MEMLAT_SRC_RPMEM |
			 1 << MEMLAT_SRC_L4 | 1 << MEMLAT_SRC_IO | 1 << MEMLAT_SRC_UNC);
	/* Parts have a column of their own, and are only in that. */
	part[MEMLAT_PART_XSNP_FWD] = 5;
	source_fold(count, part, column);
	assert_int_equal(column[COLUMN_L3_FWD], 5);
	assert_int_equal(column[COLUMN_L3], (1 << MEMLAT_SRC_L3 | 1 << MEMLAT_SRC_L3_SNOOP) - 5);
	/* No more than there are. */
	part[MEMLAT_PART_NOT_MEMORY] = 1000;
	source_fold(count, part, column);
	assert_int_equal(column[COLUMN_NOT_MEMORY], 1 << MEMLAT_SRC_L1);
	assert_int_equal(column[COLUMN_L1], 0);
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		assert_non_null(source_name(i));
}

static char *buckets_page(void)
{
	return PRINTED(buckets_print(out, &snap, false));
}

/* Memory's latency of loads on cores that report it, and turns. */
TEST_WITH(buckets_told, begin_hybrid, end)
{
	struct json_object *document;

	/* Of cores that do not tell: no loads of the average. */
	snap.sources[2].source = MEMLAT_SRC_L3_HITM;
	SAYS(buckets_page(),
	     "\n# latency        L1   not mem       LFB        L2        L3   L3 HITM ",
	     "\n>4096             0 ",
	     "      1000\n"
	     "# average use latency, including waits for other things than memory, in cycles\n"
	     "# use             -         -         -         -         -        60          -       400         -         -         -       324\n",
	     NOT "turn",
	     "  edges skx  blocked_data 200  blocked_addr 200\n"
	     "# core 0  model big  cpus 0,2\n"
	     "# core 1  model small  cpus 4-5,7-8,10-11,",
	     ",58-59,61-62,130\n# latency ");
	document = reread(buckets_json(&snap));
	HOLDS(document, "/total/cache_latency_sum 235700", "/total/cache_latency/rhitm 224700",
	      "/total/cache_latency_avg/rhitm 321.0", "/total/cache_latency_avg/l3_hitm 55.0",
	      "/total/cache_latency_avg/l1 null");
	assert_int_equal(json_object_object_length(at(document,
			 "/total/cache_latency_avg")), MEMLAT_SRC_NR);
	HOLDS(document, "/total/use_latency_sum 292000", "/total/use_latency/rhitm 280000",
	      "/total/use_latency_avg/rhitm 400.0", "/total/use_latency_avg/l3_hitm 60.0",
	      "/total/not_memory 0");
	json_object_put(document);
	snapshot_free(&snap);

	/* It is not known, so nothing is said about it. */
	sample_snapshot(&snap);
	snap.head.status.load_turn = 493;
	snap.head.status.store_turn = 507;
	SAYS(buckets_page(), NOT "# use", NOT "not mem", NOT "# core",
	     "  edges skx  load_turn 49%  store_turn 51%\n# latency ",
	     "      1000\n# loads had 49.3%, stores 50.7% of the time; weights cover only that time\n");
	TELLS(buckets_json(&snap), "/total/cache_latency_avg/rhitm null",
	      "/quality/turns/loads 0.493");
}

/* A module with the use latency in all tables separated nothing. */
TEST_WITH(before_the_parts, begin_hybrid, end)
{
	snap.have_parts = false;
	memset(&snap.parts, 0, sizeof(snap.parts));
	snap.head.status.use_latency_sum = 0;
	SAYS(buckets_page(), NOT "not mem", NOT "# use");
	TELLS(buckets_json(&snap), "/total/not_memory null", "/total/use_latency_sum 0");
}

/* Every word for what snooping found, and no other. */
TEST(snoops)
{
	assert_null(source_snoop(MEMLAT_SNOOP_NA));
	assert_string_equal(source_snoop(MEMLAT_SNOOP_NONE), "none");
	assert_string_equal(source_snoop(MEMLAT_SNOOP_MISS), "miss");
	assert_string_equal(source_snoop(MEMLAT_SNOOP_HIT), "hit");
	assert_string_equal(source_snoop(MEMLAT_SNOOP_HITM), "hitm");
	assert_string_equal(source_snoop(MEMLAT_SNOOP_FWD), "fwd");
	assert_string_equal(source_snoop(MEMLAT_SNOOP_XSNP_FWD), "xsnp_fwd");
	assert_null(source_snoop(MEMLAT_SNOOP_XSNP_FWD + 1));
	assert_true(source_remote(MEMLAT_SRC_RCACHE));
	assert_true(source_remote(MEMLAT_SRC_RPMEM));
	assert_false(source_remote(MEMLAT_SRC_DRAM));
	assert_false(source_remote(MEMLAT_SRC_L3_HITM));
}

TEST_WITH(quality_line, begin, end)
{
	struct memlat_status *status = &snap.head.status;
	size_t size;
	char *text;
	FILE *out = xmemstream(&text, &size);

	quality_print(out, status);
	status->state = MEMLAT_STATE_IDLE;
	status->ended = MEMLAT_END_STOPPED;
	status->full_pmis = 1500;
	status->flags = MEMLAT_F_KERNEL | MEMLAT_F_LOADS | MEMLAT_F_CHILDREN;
	status->pid = 71;
	status->stores = 0;
	status->period_high = 1009;
	quality_print(out, status);
	status->full_pmis = 1;
	quality_print(out, status);
	status->flags = MEMLAT_F_USER | MEMLAT_F_STORES | MEMLAT_F_THREAD;
	status->ended = MEMLAT_END_TAKEOVER;
	status->stores = status->samples;
	status->full_pmis = 0;
	status->cgroup = 4711;
	quality_print(out, status);
	/* Right after a start, no period was used yet: the first one is shown. */
	status->period_low = status->period_high = 0;
	status->store_period_low = status->store_period_high = 0;
	status->state = MEMLAT_STATE_RUNNING;
	status->flags |= MEMLAT_F_LOADS;
	quality_print(out, status);
	/* If they take turns, and not before they have. */
	status->traits |= MEMLAT_TRAIT_TURNS;
	quality_print(out, status);
	status->load_turn = 1;
	quality_print(out, status);
	xmemstream_end(out);
	says_just(text,
"12.3 s | 1,100 samples (100 stores), period 1,009..2,003 (stores 10,007), overhead 0.93%, 3 lost | 4 of 4 CPUs | ldlat 30, user and\n"
" kernel\n"
"12.3 s | 1,100 samples, period 1,009, overhead 0.93%, 3 lost, buffer full 1,500 times | stopped | ldlat 30, kernel, pid 71 and\n"
" children\n"
"12.3 s | 1,100 samples, period 1,009, overhead 0.93%, 3 lost, buffer full 1 time | stopped | ldlat 30, kernel, pid 71 and children\n"
"12.3 s | 1,100 samples (1,100 stores), store period 10,007, overhead 0.93%, 3 lost | ended: PMU taken over | user, tid 71, cgroup\n"
" 4711\n"
"12.3 s | 1,100 samples (1,100 stores), period 1,009, overhead 0.93%, 3 lost | 4 of 4 CPUs | ldlat 30, user, tid 71, cgroup 4711\n"
"12.3 s | 1,100 samples (1,100 stores), period 1,009, overhead 0.93%, 3 lost | 4 of 4 CPUs | ldlat 30, user, tid 71, cgroup 4711\n"
"12.3 s | 1,100 samples (1,100 stores), period 1,009, overhead 0.93%, 3 lost | 4 of 4 CPUs | ldlat 30, user, tid 71, cgroup 4711\n"
"loads had 100.0%, stores 0.0% of the time; weights cover only that time\n");
}

/* What every document says about the session. */
TEST_WITH(quality_as_json, begin, end)
{
	struct json_object *document = json_new();

	snap.head.status.flags = MEMLAT_F_KERNEL | MEMLAT_F_THREAD |
				 MEMLAT_F_PHYS;
	snap.head.status.ended = 4711;
	quality_put(document, &snap);
	document = reread(document);
	HOLDS(document, "/quality/period_high 2003", "/quality/weight_stores 1000700",
	      "/quality/kernel true", "/quality/user false", "/quality/thread true",
	      "/quality/children false", "/quality/phys_data true", "/quality/call_graph false",
	      "/quality/sampling_loads true", "/quality/sampling_stores false",
	      "/quality/ended unknown");
	json_object_put(document);
}

static char *hint(const struct memlat_status *status)
{
	return PRINTED(quality_print_hint(out, status));
}

/* Without samples, the hint depends on what was requested. */
TEST(hints)
{
	struct memlat_status status = {
		.state = MEMLAT_STATE_RUNNING, .started_ns = 1, .ldlat = 30,
		.flags = MEMLAT_F_LOADS | MEMLAT_F_STORES, .max_overhead = 100,
	};

	SAYS(hint(&status), "none was taken of loads longer than 30 cycles and stores.\n",
	     "start with a higher --max-overhead");
	status.max_overhead = 0;
	status.flags = MEMLAT_F_STORES;
	SAYS(hint(&status), "none was taken of stores.\n", "a lower --store-period", NOT "ldlat");
	status.flags = MEMLAT_F_LOADS;
	status.state = MEMLAT_STATE_IDLE;
	status.ended = MEMLAT_END_VMX;
	SAYS(hint(&status),
	     "The session ended: a guest got the PMU itself, or guests that memlat cannot see",
	     "--no-guests");
}
