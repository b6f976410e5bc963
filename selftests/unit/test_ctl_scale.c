// SPDX-License-Identifier: GPL-2.0
/* Caliper's scale factor: what was counted beside the samples, divided by what these stand for. */
#include "ctl_view.h"

#include <math.h>

#include "analysis/waits.h"

static struct memlat_rec_count counts[64];
static struct snapshot snap;
static struct scale scale;

static void count(unsigned int cpu, enum memlat_event_id event, __u64 value)
{
	counts[snap.nr_counts++] = (struct memlat_rec_count){
		.hdr = { MEMLAT_REC_COUNT, sizeof(counts[0]) }, .cpu = cpu,
		.event = (__u16)event, .value = value, .enabled = 9, .running = 9,
	};
}

static void sampled(enum memlat_source source, __u64 weight)
{
	snap.buckets.weight[source % MEMLAT_BUCKETS][source] += weight;
}

/* Half of the misses are sampled: 400 and 100 of 1000 beyond L1, of which 200 are beyond L2. */
static void begin(__u32 ldlat)
{
	memset(&snap, 0, sizeof(snap));
	snap.counts = counts;
	snap.head.status.flags = MEMLAT_F_COUNT | MEMLAT_F_LOADS | MEMLAT_F_USER;
	snap.head.status.ldlat = ldlat;
	sampled(MEMLAT_SRC_L1, 5000);
	sampled(MEMLAT_SRC_LFB, 777);
	sampled(MEMLAT_SRC_UNKNOWN, 333);
	sampled(MEMLAT_SRC_L2, 400);
	sampled(MEMLAT_SRC_RHITM, 30);
	sampled(MEMLAT_SRC_DRAM, 70);
}

static void both_cpus(void)
{
	count(0, MEMLAT_EVENT_INSTRUCTIONS, 60000);
	count(0, MEMLAT_EVENT_LOADS, 20000);
	count(0, MEMLAT_EVENT_L1_MISSES, 900);
	count(0, MEMLAT_EVENT_L2_MISSES, 150);
	count(3, MEMLAT_EVENT_INSTRUCTIONS, 6000);
	count(3, MEMLAT_EVENT_LOADS, 2000);
	count(3, MEMLAT_EVENT_L1_MISSES, 100);
	count(3, MEMLAT_EVENT_L2_MISSES, 50);
}

static void is(enum scale_why why, unsigned int event, double factor)
{
	scale_compute(&scale, &snap);
	assert_string_equal(scale_why_name(scale.why), scale_why_name(why));
	assert_int_equal(scale.event, event);
	if (fabs(scale.factor - factor) > 1e-9)
		fail_msg("%g, not %g", scale.factor, factor);
}

/* The counted misses and the sampled ones are of one kind. */
TEST(of_one_kind)
{
	begin(3);
	both_cpus();
	is(SCALE_GOOD, MEMLAT_EVENT_L1_MISSES, 2);
	assert_int_equal(scale.counted, 1000);
	assert_int_equal(scale.sampled, 500);
	assert_int_equal(scale_up(&scale, 7), 14);
	assert_true(scale.count[MEMLAT_EVENT_LOADS].known);
	assert_int_equal(scale.count[MEMLAT_EVENT_LOADS].value, 22000);
	assert_false(scale.count[MEMLAT_EVENT_STORES].known);

	/*
	 * With a higher threshold some L2 hits are missing, but all loads from beyond L2 are there.
	 */
	snap.head.status.ldlat = 12;
	is(SCALE_GOOD, MEMLAT_EVENT_L2_MISSES, 2);
	assert_int_equal(scale.sampled, 100);
	snap.head.status.ldlat = 30;
	is(SCALE_GOOD, MEMLAT_EVENT_L2_MISSES, 2);
	snap.head.status.ldlat = 31;
	is(SCALE_LDLAT, MEMLAT_EVENT_NR, 1);
	assert_int_equal(scale_up(&scale, 7), 7);
	assert_int_equal(scale.count[MEMLAT_EVENT_L1_MISSES].value, 1000);
}

TEST(whatever_was_counted)
{
	begin(3);
	is(SCALE_NOT_COUNTED, MEMLAT_EVENT_NR, 1);
	count(0, MEMLAT_EVENT_INSTRUCTIONS, 60000);
	is(SCALE_NO_EVENT, MEMLAT_EVENT_NR, 1);
	/* With ldlat 3, all loads from beyond L2 are sampled, too. */
	count(0, MEMLAT_EVENT_L2_MISSES, 300);
	is(SCALE_GOOD, MEMLAT_EVENT_L2_MISSES, 3);
	snap.head.status.flags &= ~MEMLAT_F_COUNT;
	is(SCALE_NOT_COUNTED, MEMLAT_EVENT_NR, 1);
}

/* A CPU that did something but could not count: how much is missing is not known. */
TEST(on_all_cpus)
{
	begin(3);
	count(0, MEMLAT_EVENT_INSTRUCTIONS, 60000);
	count(0, MEMLAT_EVENT_L1_MISSES, 1000);
	count(1, MEMLAT_EVENT_INSTRUCTIONS, 0);
	is(SCALE_GOOD, MEMLAT_EVENT_L1_MISSES, 2);
	count(2, MEMLAT_EVENT_INSTRUCTIONS, 1);
	is(SCALE_NO_EVENT, MEMLAT_EVENT_NR, 1);
	assert_false(scale.count[MEMLAT_EVENT_L1_MISSES].known);
	count(2, MEMLAT_EVENT_L2_MISSES, 1);
	is(SCALE_PARTLY, MEMLAT_EVENT_NR, 1);
}

TEST(of_nothing)
{
	begin(3);
	both_cpus();
	memset(&snap.buckets, 0, sizeof(snap.buckets));
	is(SCALE_NO_SAMPLES, MEMLAT_EVENT_NR, 1);
	begin(3);
	count(0, MEMLAT_EVENT_INSTRUCTIONS, 60000);
	count(0, MEMLAT_EVENT_L1_MISSES, 0);
	count(0, MEMLAT_EVENT_L2_MISSES, 0);
	is(SCALE_NO_SAMPLES, MEMLAT_EVENT_NR, 1);
	/* From a newer module, or damaged. */
	count(0, 999, 5);
	is(SCALE_NO_SAMPLES, MEMLAT_EVENT_NR, 1);
}

/* 2 of 100 busy cycles by the samples, if each stands for two misses. */
static void begin_waits(__u64 loads)
{
	size_t i;

	begin(30);
	both_cpus();
	for (i = 0; i < TABLE_NR; i++)
		snap.sum[i].cost = 10000;
	snap.head.status.loads = loads;
	snap.head.status.busy_cycles = 1000000;
}

static void waits_are(enum waits_why why, double low, double high_from, double high_to)
{
	struct waits waits;

	waits_compute(&waits, &snap, NULL);
	assert_int_equal(waits.why, why);
	if (waits.low != low || waits.high < high_from || waits.high > high_to)
		fail_msg("%g to %g", waits.low, waits.high);
}

/* The share of busy cycles in which loads wait. An estimate bounds it only from above. */
TEST(waits)
{
	begin_waits(100000);
	waits_are(WAITS_ESTIMATED, 0, 0.02, 0.022);
	begin_waits(100);
	waits_are(WAITS_ESTIMATED, 0, 0.04, 0.5);
	/* Of the counted misses none was sampled: the factor is not 1, but unknown. */
	snap.buckets.weight[MEMLAT_SRC_RHITM % MEMLAT_BUCKETS][MEMLAT_SRC_RHITM] = 0;
	snap.buckets.weight[MEMLAT_SRC_DRAM % MEMLAT_BUCKETS][MEMLAT_SRC_DRAM] = 0;
	waits_are(WAITS_NO_FACTOR, 0, 1, 1);
	begin_waits(100);
	snap.head.status.flags &= ~MEMLAT_F_COUNT;
	waits_are(WAITS_NO_FACTOR, 0, 1, 1);
	/* Of busy cycles, only those of the tasks that were sampled. */
	begin_waits(100000);
	snap.head.status.sampled_cycles = 250000;
	waits_are(WAITS_ESTIMATED, 0, 0.08, 0.088);
	snap.head.status.sampled_cycles = 0;
	begin_waits(100);
	snap.head.status.busy_cycles = 0;
	waits_are(WAITS_NO_BUSY, 0, 1, 1);
	begin_waits(0);
	memset(snap.sum, 0, sizeof(snap.sum));
	waits_are(WAITS_NO_LATENCY, 0, 1, 1);
	/* Where a counter was free, nothing is estimated. */
	begin_waits(1);
	count(0, MEMLAT_EVENT_LOAD_STALLS, 300000);
	waits_are(WAITS_ESTIMATED, 0, 0.02, 1);
	begin_waits(1);
	snap.nr_counts = 0;
	count(0, MEMLAT_EVENT_INSTRUCTIONS, 60000);
	count(0, MEMLAT_EVENT_LOAD_STALLS, 300000);
	waits_are(WAITS_COUNTED, 0.3, 0.3, 0.3);
	/* Loads were slow, so a counter that stands still counts nothing here. */
	begin_waits(1);
	snap.nr_counts = 0;
	count(0, MEMLAT_EVENT_INSTRUCTIONS, 60000);
	count(0, MEMLAT_EVENT_LOAD_STALLS, 0);
	waits_are(WAITS_NO_FACTOR, 0, 1, 1);
}
