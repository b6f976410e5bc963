// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "ctl_own.h"

#include "analysis/waits.h"
#include "profile/imported.h"
#include "views/disasm.h"
#include "views/figures.h"
#include "views/row.h"
#include "views/views.h"

/* Code of this program, to be sampled. */
static volatile long fought[2];

__attribute__((noinline)) static long reader(void)
{
	return fought[0] * 3;
}

__attribute__((noinline)) static long other_reader(long sum)
{
	return sum * 5 + fought[1];
}

#define ALL	((1U << DCACHE_BY) - 1)

static struct own own;
static struct rows_view view;

static void site_set(struct memlat_rec_site *site, __u64 ip, __u64 hits, __u64 misses)
{
	__u64 loads = hits + misses;

	memset(site, 0, sizeof(*site));
	site->ip = ip;
	site->space = (__u32)getpid();
	site->samples = loads;
	site->latency_sum = hits * 40 + misses * 350;
	site->weight = loads * SAMPLE_PERIOD;
	site->cost = site->latency_sum * SAMPLE_PERIOD;
	site->bucket[1] = hits;
	site->bucket[7] = misses;
	site->source[MEMLAT_SRC_L1] = hits;
	site->source[MEMLAT_SRC_RHITM] = misses;
	site->latency[MEMLAT_SRC_L1] = hits * 40;
	site->latency[MEMLAT_SRC_RHITM] = misses * 350;
	strcpy(site->comm, "own");
}

/* Where in a function an instruction begins: its second one. */
static __u64 second_instruction(__u64 start)
{
	struct disasm *disasm = disasm_new(own.namer);
	struct disasm_line lines[2];
	size_t at = 9;

	assert_non_null(disasm);
	assert_int_equal(disasm_around(disasm, (__u32)getpid(), 0, start, 0, 0, 1, lines, &at), 2);
	assert_int_equal(at, 0);
	assert_int_equal(lines[0].ip, start);
	disasm_free(disasm);
	return lines[1].ip;
}

static int begin(void **state)
{
	struct memlat_rec_site *sites;

	own_open(&own, 4, 0);
	sites = own.profile.snap.sites;
	site_set(&sites[0], (__u64)(uintptr_t)reader, 100, 600);
	site_set(&sites[1], (__u64)(uintptr_t)other_reader, 0, 100);
	site_set(&sites[2], 0xffffffff81000010, 0, 10);
	sites[2].space = 0;
	/* A process that nobody knows. */
	site_set(&sites[3], 0x401136, 0, 5);
	sites[3].space = SAMPLE_GONE_PID;
	own_name(&own);
	view = (struct rows_view){
		.profile = &own.profile, .namer = own.namer, .word = ALL, .show = 20, .width = 250,
	};
	return 0;
}

static int end(void **state)
{
	own_close(&own);
	return 0;
}

static char *text_of(void)
{
	return PRINTED(dcache_show(out, REPORT_TEXT, &view));
}

/* Events were counted beside the samples: estimates are by their factor, here 2. */
TEST_WITH(counted_beside, begin, end)
{
	struct memlat_rec_count counts[] = {
		{ .event = MEMLAT_EVENT_INSTRUCTIONS, .value = 9000000 },
		{ .event = MEMLAT_EVENT_LOADS, .value = 3000000 },
		{ .event = MEMLAT_EVENT_L2_MISSES, .value = 0 },
	};
	struct json_object *document;
	struct memlat_status *status;
	struct scale scale;

	status = &own.profile.snap.head.status;
	status->flags |= MEMLAT_F_COUNT | MEMLAT_F_LOADS;
	status->ldlat = 30;
	own.profile.snap.counts = counts;
	own.profile.snap.nr_counts = 3;
	scale_compute(&scale, &own.profile.snap);
	assert_true(scale.sampled);
	counts[2].value = 2 * scale.sampled;
	SAYS(text_of(),
	     "\ncounted loads            3,000,000 ", "\nscale factor                2018.0 ",
	     "  2.000 times   its period", "with a lock prefix",
	     /* The estimate, as report and top have it. */
	     "\nwaiting                       0.81 loads ", "    53.5%  53.5%     0.43 ",
	     "rmt HITM        700     70.0%      357          450    1,412,600\n");
	document = reread(dcache_show(NULL, REPORT_JSON, &view));
	HOLDS(document, "/totals/estimate/by counts", "/totals/estimate/event l2_misses",
	      "/totals/estimate/factor 2.0", "/totals/scale_factor 2018.0",
	      "/totals/counted/loads 3000000", "/totals/loads_waiting 0.8072");
	is_count(document, "/functions/0/est_misses", 600 * 2018);
	fits_schema(document, "dcache");
	json_object_put(document);

	/* Not corrected by this count: then by weight, with the reason. */
	status->ldlat = 50;
	SAYS(text_of(),
	     "\ncounted loads            3,000,000 ", "\nscale factor                1009.0 ",
	     "Estimates use only the samples' own weights: ldlat leaves out");
	TELLS(dcache_show(NULL, REPORT_JSON, &view), FITS "dcache", "/totals/estimate/by weight",
	      "/totals/estimate/why ldlat_too_high", "/totals/estimate/event null");
	own.profile.snap.counts = NULL;
	own.profile.snap.nr_counts = 0;
	status->busy_cycles = 0;
	SAYS(text_of(), "cycles were not counted: periods were fixed");
	status->flags |= IMPORTED;
	SAYS(text_of(), "cycles were not counted: perf took the samples", NOT "periods were fixed");
}

/* A file of another tool may not tell how long loads took: that is no average of 0. */
TEST_WITH(latency_is_not_known, begin, end)
{
	own.profile.snap.head.status.flags |= IMPORTED | IMPORTED_NO_LATENCY;
	SAYS(text_of(), "\naverage latency                  - cycles ", NOT "avg cyc");
	TELLS(dcache_show(NULL, REPORT_JSON, &view), FITS "dcache", "/totals/miss_latency_avg null",
	      "/served/0/latency_avg null", "/functions/0/miss_latency_avg null");
}

/* A store stands for so many stores, which says nothing of how many loads a load stands for. */
TEST_WITH(instructions_that_store_too, begin, end)
{
	struct memlat_rec_site *site = &own.profile.snap.sites[0];

	site->samples += 100;
	site->stores = 100;
	site->weight += 100 * 10007;
	TELLS(dcache_show(NULL, REPORT_JSON, &view), "/instructions/0/misses 600", "/instructions/0/est_misses 605400",
	      "/instructions/0/stores 100");
}

/* The record's address is that of the next instruction: the one before is meant. */
TEST_WITH(instructions_before, begin, end)
{
	struct json_object *document;

	own.profile.snap.sites[0].ip =
		second_instruction((__u64)(uintptr_t)reader);
	own.profile.snap.head.status.traits |= MEMLAT_TRAIT_IP_AFTER;
	SAYS(text_of(), "address after the instruction");
	document = reread(dcache_show(NULL, REPORT_JSON, &view));
	HOLDS(document, "/ip_after true", "/instructions/0/function reader",
	      /* The function begins there, although the record says otherwise. */
	      "/disassembly/0/hot 0");
	assert_string_equal(json_object_get_string(at(document, "/instructions/0/instruction")),
			    json_object_get_string(at(document, "/disassembly/0/code/0/instruction")));
	is_real(document, "/disassembly/0/code/0/cost", 0.535);
	json_object_put(document);
}

/* The address after a load, in code of no function. The load's last byte alone is "hlt". */
static __u64 after_load(void)
{
	__u64 at;

	asm(".pushsection .unnamed, \"ax\", @progbits\n\t"
	    ".byte 0x48, 0x8b, 0x47, 0xf4\n"
	    "0:\tnop\n\t"
	    ".popsection\n\t"
	    "lea 0b(%%rip), %0" : "=r" (at));
	return at;
}

/* Where the function begins is not known, so neither is where the instruction before begins. */
TEST_WITH(no_instruction_before, begin, end)
{
	own.profile.snap.sites[0].ip = after_load();
	own.profile.snap.head.status.traits |= MEMLAT_TRAIT_IP_AFTER;
	SAYS(text_of(), NOT "hlt");
	TELLS(dcache_show(NULL, REPORT_JSON, &view), "/instructions/0/misses 600", "/instructions/0/function null",
	      "/instructions/0/instruction null");
}

TEST_WITH(nothing_to_show, begin, end)
{
	own.profile.snap.nr_sites = 0;
	SAYS(text_of(), "\nFunctions\n(none)\n");
	own.profile.snap.head.status.loads = 0;
	own.profile.snap.head.status.stores = 1100;
	SAYS(text_of(), "No loads: this session sampled stores", NOT "  cum.");
	own.profile.snap.head.status.samples = 0;
	SAYS(text_of(), "No samples", NOT "  cum.");
	/* No share of nothing in JSON. */
	memset(&own.profile.snap.buckets, 0, sizeof(own.profile.snap.buckets));
	memset(own.profile.snap.sum, 0, sizeof(own.profile.snap.sum));
	own.profile.snap.head.status.busy_cycles = 0;
	TELLS(dcache_show(NULL, REPORT_JSON, &view), "/totals/miss_rate null", "/totals/miss_latency_avg null",
	      "/totals/loads_waiting null", "/totals/scale_factor null", "/functions #0");
}

static void is_level(const struct level *level, const char *name, const char *title,
		     __u64 above, __u64 to)
{
	assert_string_equal(level->name, name);
	assert_string_equal(level->title, title);
	assert_int_equal(level->above, above);
	assert_int_equal(level->to, to);
}

TEST_WITH(levels_of_a_machine, begin, end)
{
	struct levels levels;

	levels_find(&levels, &own.profile.machine, &own.profile.snap);
	assert_true(levels.known);
	assert_int_equal(levels.nr, 6);
	is_level(&levels.level[0], "L2", "<=32", 0, 32);
	is_level(&levels.level[1], "L3", "<=90", 32, 90);
	is_level(&levels.level[2], "L3 HITM", "<=180", 90, 180);
	is_level(&levels.level[3], "DRAM", "<=360", 180, 360);
	is_level(&levels.level[4], "rmt HITM/DRAM", "<=512", 360, 512);
	is_level(&levels.level[5], "", ">512", 512, 0);
	/* With one node nothing is remote, unless it was seen. */
	own.profile.snap.head.status.nodes = 1;
	levels_find(&levels, &own.profile.machine, &own.profile.snap);
	assert_int_equal(levels.nr, 6);
	is_level(&levels.level[4], "rmt HITM", "<=512", 360, 512);
	memset(own.profile.snap.buckets.count, 0, sizeof(own.profile.snap.buckets.count));
	levels_find(&levels, &own.profile.machine, &own.profile.snap);
	assert_int_equal(levels.nr, 5);
	is_level(&levels.level[4], "", ">360", 360, 0);
	/* A machine with unknown edges: all rows, without names. */
	memset(own.profile.machine.latency_edge, 0, sizeof(own.profile.machine.latency_edge));
	levels_find(&levels, &own.profile.machine, &own.profile.snap);
	assert_false(levels.known);
	assert_int_equal(levels.nr, 7);
	is_level(&levels.level[0], "", "<=45", 0, 45);
	is_level(&levels.level[6], "", ">2048", 2048, 0);
}

/* Hits leave the rows around their average; not one load more, and none twice. */
TEST_WITH(hits_leave_the_rows, begin, end)
{
	const __u64 rows[MEMLAT_BUCKETS] = { 5, 10, 20, 0, 0, 0, 0, 100 };
	__u64 misses[MEMLAT_BUCKETS];

	levels_misses(&own.profile.snap, rows, 0, 0, misses);
	assert_memory_equal(misses, rows, sizeof(rows));
	levels_misses(&own.profile.snap, rows, 8, 8 * 40, misses);
	assert_int_equal(misses[1], 2);
	assert_int_equal(misses[0], 5);
	/* More than that row has: faster loads first, then slower ones. */
	levels_misses(&own.profile.snap, rows, 18, 18 * 40, misses);
	assert_int_equal(misses[0], 0);
	assert_int_equal(misses[1], 0);
	assert_int_equal(misses[2], 17);
	assert_int_equal(misses[7], 100);
}
