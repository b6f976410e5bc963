// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl bus: the figures of counted events, in words and in every form. */
#include "ctl_profile.h"
#include "ctl_view.h"

#include <math.h>

#include "views/views.h"

#define SECOND	1000000000ULL

static struct memlat_rec_count counts[64];
static struct snapshot snap;
static struct bus bus;

/* An event on a CPU that was counted for `running` of the `enabled` cycles. */
static void count(unsigned int cpu, enum memlat_event_id event, __u64 value, __u64 enabled,
		  __u64 running)
{
	counts[snap.nr_counts++] = (struct memlat_rec_count){
		.hdr = { MEMLAT_REC_COUNT, sizeof(counts[0]) }, .cpu = cpu,
		.event = (__u16)event, .value = value, .enabled = enabled, .running = running,
	};
}

static void begin(void)
{
	memset(&snap, 0, sizeof(snap));
	memset(counts, 0, sizeof(counts));
	snap.counts = counts;
	snap.head.abi_version = MEMLAT_ABI_VERSION;
	strcpy(snap.head.model_name, "skx");
	snap.head.status.duration_ns = 2 * SECOND;
	snap.head.status.flags = MEMLAT_F_COUNT | MEMLAT_F_USER;
}

/*
 * 800 of 1000 cycles had a read outstanding, at this depth. Each event was counted for a quarter of
 * the time.
 */
static void fill(double depth, double demand)
{
	begin();
	count(0, MEMLAT_EVENT_CYCLES, 1000, 1000, 1000);
	count(0, MEMLAT_EVENT_INSTRUCTIONS, 500, 1000, 1000);
	count(0, MEMLAT_EVENT_READS_OUTSTANDING, (__u64)(200 * depth), 1000, 250);
	count(0, MEMLAT_EVENT_READS_CYCLES, 200, 1000, 250);
	count(0, MEMLAT_EVENT_DEMAND_OUTSTANDING, (__u64)(200 * demand), 1000, 250);
	count(0, MEMLAT_EVENT_DEMAND_CYCLES, 200, 1000, 250);
	count(0, MEMLAT_EVENT_READS, 2, 1000, 250);
	count(0, MEMLAT_EVENT_LOADS, 100, 1000, 500);
	count(0, MEMLAT_EVENT_DTLB_LOAD_WALKS, 1, 1000, 250);
}

static void is(struct bus_figure figure, double value)
{
	assert_true(figure.known);
	if (fabs(figure.value - value) > 1e-9)
		fail_msg("%g, not %g", figure.value, value);
}

TEST(figures_are_scaled)
{
	fill(1.1, 1.1);
	bus_compute(&bus, &snap);
	is(bus.traffic[BUS_READS].share, 0.8);
	is(bus.traffic[BUS_READS].depth, 1.1);
	is(bus.instructions_per_cycle, 0.5);
	/* 880 weighted cycles of 8 reads; 8 lines in 2 s; 4 walks of 200 loads. */
	is(bus.latency, 110);
	is(bus.bytes_per_second, 256);
	is(bus.walks_per_load, 0.02);
	is(bus.counted, 0.25);
	assert_int_equal(bus.main, BUS_READS);
	assert_false(bus.traffic[BUS_CODE].share.known);
	assert_false(bus.traffic[BUS_CODE].depth.known);
	assert_false(bus.misses_per_load.known);
}

/* A CPU that was busy for long and counted for a short time weighs as much as it was busy. */
TEST(each_cpu_is_scaled_by_itself)
{
	begin();
	count(0, MEMLAT_EVENT_CYCLES, 9000, 9000, 9000);
	count(1, MEMLAT_EVENT_CYCLES, 1000, 1000, 1000);
	count(0, MEMLAT_EVENT_READS_CYCLES, 10, 9000, 100);
	count(1, MEMLAT_EVENT_READS_CYCLES, 900, 1000, 900);
	count(0, MEMLAT_EVENT_READS_OUTSTANDING, 20, 9000, 100);
	count(1, MEMLAT_EVENT_READS_OUTSTANDING, 900, 1000, 900);
	bus_compute(&bus, &snap);
	is(bus.traffic[BUS_READS].share, (900 + 1000) / 10000.0);
	is(bus.traffic[BUS_READS].depth, (1800 + 1000) / (900 + 1000.0));
	assert_int_equal(bus.event[MEMLAT_EVENT_READS_CYCLES].cpus, 2);
}

/* An event for which no counter had time is not taken for 0. */
TEST(not_counted_is_not_zero)
{
	begin();
	count(0, MEMLAT_EVENT_CYCLES, 1000, 1000, 1000);
	count(1, MEMLAT_EVENT_CYCLES, 10, 10, 10);
	count(0, MEMLAT_EVENT_READS_CYCLES, 50, 1000, 100);
	count(1, MEMLAT_EVENT_READS_CYCLES, 0, 10, 0);
	count(0, MEMLAT_EVENT_READS_OUTSTANDING, 0, 1000, 0);
	bus_compute(&bus, &snap);
	is(bus.traffic[BUS_READS].share, 0.5);
	assert_int_equal(bus.event[MEMLAT_EVENT_READS_CYCLES].silent, 1);
	assert_false(bus.traffic[BUS_READS].depth.known);
	assert_int_equal(bus.reading, BUS_UNKNOWN);
}

static void reads_as(enum bus_reading reading, const char *words)
{
	char text[BUS_WORDS];

	bus_compute(&bus, &snap);
	assert_int_equal(bus.reading, reading);
	says(bus_words(text, &bus), words);
}

TEST(readings_have_words)
{
	fill(1.1, 1.1);
	reads_as(BUS_CHAIN, "Reads are outstanding 80 % of the time at depth 1.1: a dependent chain, every miss fully exposed.");
	assert_false(bus.prefetched);
	fill(2.5, 2.5);
	reads_as(BUS_SOME, "at depth 2.5: some misses overlap");
	assert_false(bus.prefetched);
	fill(2.5, 1.2);
	reads_as(BUS_SOME, "itself asks for is at depth 1.2: the rest are prefetches");
	fill(8, 8);
	reads_as(BUS_DEEP, "at depth 8.0: many misses overlap");
	begin();
	reads_as(BUS_NOTHING, "Nothing was counted");
	count(0, MEMLAT_EVENT_CYCLES, 1000, 1000, 1000);
	reads_as(BUS_UNKNOWN, "has no event that counts");
	count(0, MEMLAT_EVENT_DEMAND_CYCLES, 0, 1000, 0);
	reads_as(BUS_UNKNOWN, "too short");
	begin();
	count(0, MEMLAT_EVENT_CYCLES, 1000, 1000, 1000);
	count(0, MEMLAT_EVENT_READS_CYCLES, 0, 1000, 100);
	count(0, MEMLAT_EVENT_READS_OUTSTANDING, 0, 1000, 100);
	reads_as(BUS_CACHED, "outstanding 0.0 % of the time: the data are in the caches");
	/* It reads from memory now and then, but one read at a time. */
	begin();
	count(0, MEMLAT_EVENT_CYCLES, 1000, 1000, 1000);
	count(0, MEMLAT_EVENT_READS_CYCLES, 20, 1000, 100);
	count(0, MEMLAT_EVENT_READS_OUTSTANDING, 20, 1000, 100);
	reads_as(BUS_CHAIN, "20 % of the time at depth 1.0: while they are, it is one miss at a time");
}

/* E-cores do not count all data reads: demand reads are shown instead, and named so. */
TEST(demand_reads_stand_in)
{
	begin();
	count(0, MEMLAT_EVENT_CYCLES, 1000, 1000, 1000);
	count(0, MEMLAT_EVENT_DEMAND_CYCLES, 90, 1000, 100);
	count(0, MEMLAT_EVENT_DEMAND_OUTSTANDING, 90, 1000, 100);
	reads_as(BUS_CHAIN, "Demand reads are outstanding 90 %");
	assert_int_equal(bus.main, BUS_DEMAND);
}

/* On Alder Lake's P-cores, all data reads may be inaccurate, but demand reads are not (ADL038). */
TEST(doubtful_reads_are_told_and_not_gone_by)
{
	static struct memlat_rec_core core;
	const struct bus_view view = { .snap = &snap };
	struct json_object *json;

	fill(4.5, 1.2);
	strcpy(core.model_name, "adl-p");
	strcpy(core.model_title, "Alder, Raptor Lake P-core (Golden Cove)");
	snap.cores = &core;
	snap.nr_cores = 1;
	reads_as(BUS_CHAIN, "Demand reads are outstanding 80 % of the time at depth 1.2");
	assert_int_equal(bus.main, BUS_DEMAND);
	/* Figures that depend on the doubtful ones are not shown. */
	assert_false(bus.latency.known);
	SAYS(PRINTED(bus_print(out, &view)),
	     "\ndoubtful: data reads under way may be inaccurate", "(ADL038)\n");
	json = bus_json(&view);
	says(json_object_to_json_string(json), "\"errata\": \"ADL038\"");
	json_object_put(json);

	/* Sapphire Rapids has the same core, but its list has no such erratum. */
	strcpy(core.model_name, "spr");
	strcpy(core.model_title, "Sapphire Rapids");
	reads_as(BUS_DEEP, "Reads are outstanding 80 % of the time at depth 4.5");
	assert_true(bus.latency.known);
	assert_int_equal(bus.doubtful, 0);
	/* Haswell's erratum is about demand reads too, but there is nothing better. */
	strcpy(core.model_name, "hsw");
	strcpy(core.model_title, "Haswell");
	bus_compute(&bus, &snap);
	assert_int_equal(bus.main, BUS_READS);
	SAYS(PRINTED(bus_print(out, &view)), "HSD61", NOT "HSD76");
	snap.cores = NULL;
	snap.nr_cores = 0;
}

TEST(comparisons_have_words)
{
	char text[BUS_WORDS];
	struct bus other;

	fill(1.06, 1.06);
	bus_compute(&bus, &snap);
	fill(1.05, 1.05);
	bus_compute(&other, &snap);
	says(bus_words_without(text, &bus, &other), "nothing changes (depth 1.05)");
	fill(4.5, 1.2);
	bus_compute(&bus, &snap);
	says(bus_words_without(text, &bus, &other),
	     "With the prefetchers off: Reads are outstanding 80 % of the time at depth 1.");
	/* If both have counted nothing, there is no change and no depth. */
	begin();
	count(0, MEMLAT_EVENT_CYCLES, 10, 10, 10);
	count(0, MEMLAT_EVENT_READS_CYCLES, 0, 10, 10);
	bus_compute(&bus, &snap);
	says(bus_words_without(text, &bus, &bus), "nothing changes.");
}

/* All three forms have the same figures. */
TEST(forms_agree)
{
	const struct bus_view view = { .snap = &snap };

	fill(1.1, 1.1);
	SAYS(PRINTED(bus_print(out, &view)),
	     "reads outstanding 80.0 % of the cycles    average depth 1.10    each for 110 cycles    256 B/s    DTLB walks 0.02 per load\n",
	     "2.0 s ", " 1,000 cycles, 0.50 instructions each", " 1 CPU ",
	     "events took turns: each was counted 25.0 % of the time or more, and is scaled\n",
	     "data reads           80.0%   1.10     800       880    25.0%\n",
	     "code                     -      -       -         -        -\n");
	SAYS(PRINTED(bus_csv(out, &view)),
	     "table,kind,share,depth,cycles,weighted_cycles,counted,event,value,enabled,running,estimate,cpus,cpus_not_counted\r\n",
	     "kinds,reads,0.8,1.1,800,880,0.25,",
	     "events,,,,,,,reads_outstanding,220,1000,250,880,1,0\r\n");
	TELLS(bus_json(&view), FITS "bus", "/view bus", "/reading dependent_chain", "/share 0.8",
	      "/depth 1.1", "/kinds/0/depth 1.1", "/kinds/0/weighted_cycles 880",
	      "/events/2/estimate 880", "/events/16/event l1_misses", "/prefetch_off false",
	      "/without null");
}

TEST(words_fit_the_terminal)
{
	const struct bus_view view = { .snap = &snap };

	fill(1.1, 1.1);
	setenv("COLUMNS", "60", 1);
	SAYS(PRINTED(bus_print(out, &view)),
	     "\nReads are outstanding 80 % of the time at depth 1.1: a\ndependent chain, every miss fully exposed.\n\n");
	unsetenv("COLUMNS");
}

/* Two runs: the second one is a document of its own within the first. */
TEST(runs_are_compared)
{
	const struct bus_view view = { .snap = &snap, .without = &snap, .command = "./a\033b" };

	fill(1.1, 1.1);
	SAYS(PRINTED(bus_print(out, &view)),
	     "user, ./a\\033b and its children\n", "\nthe same with the prefetchers off\n",
	     "\nWith the prefetchers off nothing changes (depth 1.10).\n");
	SAYS(PRINTED(bus_csv(out, &view)),
	     "\r\nkinds_without,reads,0.8,1.1,", "\r\nevents_without,,,,,,,cycles,1000,");
	TELLS(bus_json(&view), FITS "bus", "/command ./a\033b", "/prefetch_off false",
	      "/without/prefetch_off true", "/without/depth 1.1");
}

/* Shares and averages of nothing are shown as unknown, and nothing is divided by zero. */
TEST(nothing_is_shown)
{
	const struct bus_view view = { .snap = &snap };

	begin();
	snap.head.status.duration_ns = 0;
	count(0, MEMLAT_EVENT_CYCLES, 0, 0, 0);
	count(0, MEMLAT_EVENT_READS, 0, 0, 0);
	SAYS(PRINTED(bus_print(out, &view)),
	     "Nothing was counted: the selected tasks did not run.\n", NOT "nan",
	     NOT "outstanding");
	TELLS(bus_json(&view), FITS "bus", "/reading nothing_counted", "/share null",
	      "/bytes_per_second null");
}

/* An estimate that no 64 bits hold is the largest number that they do. */
TEST(more_than_a_count_holds)
{
	const struct bus_view view = { .snap = &snap };

	begin();
	count(0, MEMLAT_EVENT_CYCLES, 1ULL << 60, 1000, 1);
	TELLS(bus_json(&view), "/events/0/event cycles", "/events/0/estimate 18446744073709551615");
}

/* Wrong use is reported before the device is opened. */
TEST(nonsense_is_refused)
{
	program_refuses("bus", 2, "what is to be counted? give a command (-- COMMAND), -p PID, or -a");
	program_refuses("bus -p 1 -- true", 2, "a command and -p:");
	program_refuses("bus -a -- true", 2, "a command and -a:");
	program_refuses("bus -a -p 1", 2, "-p and -a: one process, or everything");
	program_refuses("bus --prefetch compare -a", 2, "--prefetch compare runs a command twice");
	program_refuses("bus --prefetch on -- true", 2, "--prefetch on: without --prefetch the prefetchers stay as they are; give off or compare");
	program_refuses("bus --duration x -a", 2, "--duration x: not a number of seconds");
	program_refuses("bus --json --csv -a", 2, "output has one form");
	program_refuses("bus --ldlat 30 -a", 2, "no such option");
	program_refuses("bus -p 0", 2, "-p 0: out of range");
}

/* Valid records of the stream, and impossible ones. */
TEST(records_are_read)
{
	struct memlat_rec_count record = {
		.cpu = 3, .event = MEMLAT_EVENT_READS, .value = 7, .enabled = 10, .running = 5,
	};
	struct stream stream;
	struct snapshot read;

	stream_begin(&stream);
	stream_add(&stream, MEMLAT_REC_COUNT, &record, sizeof(record));
	/* A record of a newer module. */
	record.event = 999;
	stream_add(&stream, MEMLAT_REC_COUNT, &record, sizeof(record));
	stream_add_end(&stream);
	snapshot_init(&read);
	read.tables = 1U << MEMLAT_REC_COUNT;
	stream_read(&stream, &read);
	assert_int_equal(read.nr_counts, 2);
	assert_int_equal(read.counts[0].value, 7);
	bus_compute(&bus, &read);
	assert_int_equal(bus.event[MEMLAT_EVENT_READS].value, 7);
	snapshot_free(&read);

	memset(&stream, 0, sizeof(stream));
	record.running = 11;
	stream_add_status(&stream);
	stream_add(&stream, MEMLAT_REC_COUNT, &record, sizeof(record));
	snapshot_init(&read);
	assert_int_not_equal(snapshot_feed(&read, stream.bytes, stream.used), 0);
	says(read.error, "event 999 of CPU 3 was counted for longer");
	snapshot_free(&read);
}
